"""Agents that say what was said before: a recorded dialogue through the same graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emoharbor.agents.protocols import Reply
from emoharbor.errors import ConfigError
from emoharbor.state.dialogue import Message, UserView, Utterance
from emoharbor.state.verdict import Ending


@dataclass(frozen=True)
class ReplaySupporter:
    """Says the supporter's lines of `recorded`, in order."""

    recorded: tuple[Message, ...]

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The next recorded line; a ConfigError when the recording holds no more."""
        lines = [m.text for m in self.recorded if m.role == "supporter"]
        spoken = sum(m.role == "supporter" for m in history)
        if spoken >= len(lines):
            raise ConfigError(f"the recording has {len(lines)} supporter lines, one more is wanted")
        return Reply(text=lines[spoken])


@dataclass(frozen=True)
class ReplayTalker:
    """Says the user's lines of `recorded`, in order."""

    recorded: tuple[Message, ...]

    async def __call__(self, user: UserView) -> Utterance:
        """The next recorded line; a ConfigError when the recording holds no more."""
        lines = [m.text for m in self.recorded if m.role == "user"]
        spoken = sum(m.role == "user" for m in user.messages)
        if spoken >= len(lines):
            raise ConfigError(f"the recording has {len(lines)} user lines, one more is wanted")
        return Utterance(text=lines[spoken])


@dataclass(frozen=True)
class RecordedEnd:
    """Ends the dialogue where the recording ends."""

    recorded: tuple[Message, ...]

    async def __call__(self, user: UserView) -> Ending | None:
        """`recorded_end` once every recorded user line was said."""
        lines = sum(m.role == "user" for m in self.recorded)
        said = [m.text for m in user.messages if m.role == "user"]
        if len(said) < lines:
            return None
        return Ending(reason="recorded_end", turn=user.turn, words=said[-1] if said else "")
