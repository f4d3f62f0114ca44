"""What flows through the graph: messages, inner states, and what an agent sees of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from emoharbor.state.profile import Frozen, Language, Level, Profile
from emoharbor.state.verdict import Ending

Speaker = Literal["supporter", "user"]
Leaning = Literal["stay", "unsure", "leave"]


class Message(Frozen):
    """One observable line of the dialogue."""

    kind: Literal["message"] = "message"
    role: Speaker
    text: str


class Appraisal(Frozen):
    """IS_t = (c_t, e_t, g_t) (EmoHarbor, equation 2), with the steps that lead there.

    `intensity` runs from 1 (faint) to 5 (overwhelming); None in the first state, which is made
    from the profile without a call.
    """

    kind: Literal["appraisal"] = "appraisal"
    noticed: str = ""
    cognition: str
    emotion: str
    intensity: Level | None = None
    disclosure: str = ""
    goals: str
    leaning: Leaning = "stay"
    why: str = ""


class Emotion(Frozen):
    """The worst-case seeker's state: one label, what led to it, and how it feels."""

    kind: Literal["emotion"] = "emotion"
    label: str
    transition_reason: str = ""
    description: str = ""
    deteriorated: bool = False


InnerState = Annotated[Appraisal | Emotion, Field(discriminator="kind")]
MemoryItem = Annotated[Message | Appraisal | Emotion, Field(discriminator="kind")]


class Utterance(Frozen):
    """The Talker's last word, and its decision: `wants_to_end` decides, `why` says how."""

    text: str
    wants_to_end: bool = False
    why: Literal["unspecified", "satisfied", "gave_up"] = "unspecified"
    reason: str = ""


@dataclass(frozen=True)
class UserView:
    """What an agent of the user's side sees. `rng` is the same for every supporter at this turn."""

    profile: Profile
    h_u: tuple[Message | Appraisal | Emotion, ...]
    utterance: Utterance | None
    turn: int
    max_turns: int
    language: Language
    rng: random.Random
    ending: Ending | None = None

    @property
    def messages(self) -> list[Message]:
        """The observable dialogue, in order; message number n is at index n - 1."""
        return [item for item in self.h_u if isinstance(item, Message)]

    @property
    def inner(self) -> Appraisal | Emotion | None:
        """The newest inner state, if there is any."""
        states = (item for item in reversed(self.h_u) if not isinstance(item, Message))
        return next(states, None)


def initial_appraisal(profile: Profile) -> Appraisal:
    """IS_0 = InitialState(P_U) (Algorithm 1, line 4), read off the profile's C without a call."""
    c = profile.counselling
    return Appraisal(cognition=c.problem, emotion=c.emotional_state, goals=" ".join(c.goals))
