"""A Thinker with another theory of emotion: core affect, which a concept makes an emotion.

    emoharbor run emoharbor --supporter bot=scripted:echo --model scripted:echo \
        --set 'agents.thinker={use: "examples/own_thinker.py:CoreAffect", model: user}' \
        --limit 1 --turns 3 --out runs/own_thinker

In the theory of constructed emotion nobody switches between a fixed set of emotions. What is there
is how pleasant and how stirred up one feels; it becomes an emotion when a person finds a concept
of their own for it. So the model gives two numbers and a concept, and the state is made of these.
Talker, judge and tables stay as they are: they read an Appraisal, whatever theory it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.errors import SimulatorFailed
from emoharbor.models.base import ChatMessage, ChatModel
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import Appraisal, UserView
from emoharbor.state.profile import Frozen, Level

INSTRUCTIONS = """You are this person, in a chat with somebody who offers support:
{person}

When you have read their newest message, say what it does to you, as one JSON object:
- "body": what you notice in your body, in a few words
- "pleasant": how it feels, from 1 (very bad) to 3 (neither) to 5 (very good)
- "stirred": from 1 (heavy, slow) to 3 (neither) to 5 (wide awake, on edge)
- "concept": your own word for such a feeling, at this moment, in this trouble
- "meaning": what you make of it all, one plain sentence
- "wish": what you want from the next messages"""


class Affect(Frozen):
    """What the model is asked for."""

    body: str
    pleasant: Level
    stirred: Level
    concept: str
    meaning: str
    wish: str

    def state(self) -> Appraisal:
        """As the other agents read it; it is as strong as it is far from neutral, 1, 3 or 5."""
        felt = f"{self.concept} ({self.body}; pleasant {self.pleasant}/5, stirred {self.stirred}/5)"
        strength = 1 + 2 * max(abs(self.pleasant - 3), abs(self.stirred - 3))
        return Appraisal(cognition=self.meaning, emotion=felt, intensity=strength, goals=self.wish)


@dataclass(frozen=True)
class CoreAffect:
    """Core affect and a concept for it, after every message of the supporter's."""

    model: ChatModel
    repair: Prompt

    async def __call__(self, user: UserView) -> Appraisal:
        """The next inner state. Raises SimulatorFailed when two replies were unusable."""
        person = user.profile.model_dump_json(exclude={"id", "language"})
        lines = [f"{'You' if m.role == 'user' else 'They'}: {m.text}" for m in user.messages]
        messages: list[ChatMessage] = [
            {"role": "system", "content": INSTRUCTIONS.format(person=person)},
            {"role": "user", "content": "\n\n".join(lines) or "(nobody has written yet)"},
        ]
        try:
            affect = await ask(
                self.model,
                messages,
                partial(read_as, Affect),
                schema=Affect.model_json_schema(),
                repair=self.repair,
            )
        except Unusable as error:
            raise SimulatorFailed(f"thinker: {error.problem}") from error
        return affect.state()
