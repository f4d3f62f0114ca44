"""Scripted twins of the agents: the real graph without a model, for tests and for trying things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emoharbor.agents.protocols import Reply
from emoharbor.state.dialogue import Appraisal, Emotion, Message, UserView, Utterance
from emoharbor.state.verdict import Score, Verdict


@dataclass(frozen=True)
class ScriptedSupporter:
    """Says `lines` in order, and the last one again and again."""

    lines: tuple[str, ...] = ("I'm here. What is on your mind?", "Tell me more about that.")

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The line for this exchange."""
        spoken = sum(m.role == "supporter" for m in history)
        return Reply(text=self.lines[min(spoken, len(self.lines) - 1)])


@dataclass(frozen=True)
class ScriptedThinker:
    """Thinks `states` in order, and the last one again and again."""

    states: tuple[Appraisal | Emotion, ...] = (
        Appraisal(cognition="I am not sure yet.", emotion="uneasy", goals="To be heard."),
    )

    async def __call__(self, user: UserView) -> Appraisal | Emotion:
        """The state for this exchange."""
        return self.states[min(user.turn, len(self.states)) - 1]


@dataclass(frozen=True)
class ScriptedTalker:
    """Says `utterances` in order, and the last one again and again."""

    utterances: tuple[Utterance, ...] = (Utterance(text="hi"), Utterance(text="it's just a lot"))

    async def __call__(self, user: UserView) -> Utterance:
        """The utterance for this exchange."""
        return self.utterances[min(user.turn, len(self.utterances)) - 1]


@dataclass(frozen=True)
class ScriptedEvaluator:
    """Gives every dimension of `dimensions` the same mark, for the first message."""

    dimensions: tuple[str, ...] = ("empathetic",)
    value: int = 3

    async def __call__(self, user: UserView) -> Verdict:
        """The same verdict for every dialogue."""
        score = Score(reason="scripted", evidence=(1,), value=self.value)
        scores = dict.fromkeys(self.dimensions, score)
        return Verdict(rubric="scripted", strategy="standard", scores=scores)  # type: ignore[arg-type]
