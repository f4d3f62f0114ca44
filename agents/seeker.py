"""The worst-case seeker: a Talker with four controls of how hard it is to help."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from emoharbor.agents.talker import conversation, speak
from emoharbor.models.base import ChatMessage, ChatModel
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import UserView, Utterance

# The scale of each control, the level without effect first. What the others do is written out in
# the prompts (parts/controls.md). "varies": another level from profile to profile.
VARIES = "varies"
Engagement = Literal["ordinary", "low", "minimal", "varies"]
Resistance = Literal["ordinary", "guarded", "strong", "varies"]
ExpressionStyle = Literal["own", "terse", "vague", "direct", "colloquial", "varies"]
SelfDisclosure = Literal["ordinary", "limited", "closed", "varies"]
Preset = Literal["average", "hard", "hardest"]
SCALES: Mapping[str, tuple[str, ...]] = {
    "engagement": get_args(Engagement),
    "resistance": get_args(Resistance),
    "expression_style": get_args(ExpressionStyle),
    "self_disclosure": get_args(SelfDisclosure),
}
PRESETS: Mapping[Preset, tuple[str, str, str, str]] = {
    "average": ("ordinary", "ordinary", "own", "ordinary"),
    "hard": ("low", "guarded", VARIES, "limited"),
    "hardest": ("minimal", "strong", VARIES, "closed"),
}
Levels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Seeker:
    """U_t of a seeker who is hard to help (worst-case paper, section 3.1).

    `preset` sets all four controls; each may be set by itself besides. None: as the preset says.
    """

    model: ChatModel
    prompt: Prompt
    repair: Prompt
    preset: Preset = "hard"
    engagement: Engagement | None = None
    resistance: Resistance | None = None
    expression_style: ExpressionStyle | None = None
    self_disclosure: SelfDisclosure | None = None

    async def __call__(self, user: UserView) -> Utterance:
        """The next utterance. Raises SimulatorFailed when two replies were unusable."""
        return await speak(self.model, self.conversation(user), self.repair)

    def conversation(self, user: UserView) -> list[ChatMessage]:
        """The seeker's own conversation, the controls at the end of every message."""
        return conversation(self.prompt, user, levels=self.levels(user.profile.id))

    def levels(self, person: str) -> Levels:
        """The controls that have an effect, each with the level of this person."""
        own = (self.engagement, self.resistance, self.expression_style, self.self_disclosure)
        chosen = zip(SCALES, own, PRESETS[self.preset], strict=True)
        levels = ((name, _level(name, level or usual, person)) for name, level, usual in chosen)
        return tuple((name, level) for name, level in levels if level != SCALES[name][0])


def _level(control: str, level: str, person: str) -> str:
    """`level`; where it varies, one that has an effect, always the same for a person."""
    if level != VARIES:
        return level
    effective = SCALES[control][1:-1]
    number = hashlib.blake2b(f"{control}/{person}".encode(), digest_size=4).digest()
    return effective[int.from_bytes(number, "big") % len(effective)]
