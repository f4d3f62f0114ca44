"""Agents that say what was said before: a recorded dialogue through the same graph.

In the loop each side speaks once an exchange. So several recorded lines of one speaker in a row
are said as one message, and a dialogue is replayed whole when

- the one who spoke first opens it, or the user does and the supporter's first words are there
  already: the loop ends on the supporter's words only where the user opens;
- its cap of exchanges is the number of times that the user takes the floor, for that is what
  ends it where the supporter has the last word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from emoharbor.agents.protocols import Reply
from emoharbor.errors import ConfigError
from emoharbor.state.dialogue import Message, UserView, Utterance
from emoharbor.state.verdict import Ending


def floors(lines: Iterable[Message]) -> list[Message]:
    """The lines with those of one speaker in a row as one message, each on a line of its own."""
    return [
        Message(role=role, text="\n".join(line.text for line in group))
        for role, group in groupby(lines, key=lambda line: line.role)
    ]


@dataclass(frozen=True)
class ReplaySupporter:
    """Says the supporter's lines of `recorded`, in order."""

    recorded: tuple[Message, ...]

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The next recorded words; a ConfigError when the recording holds no more."""
        lines = [m.text for m in floors(self.recorded) if m.role == "supporter"]
        spoken = sum(m.role == "supporter" for m in floors(history))
        if spoken >= len(lines):
            raise ConfigError(f"the recording has {len(lines)} supporter lines, one more is wanted")
        return Reply(text=lines[spoken])


@dataclass(frozen=True)
class ReplayTalker:
    """Says the user's lines of `recorded`, in order."""

    recorded: tuple[Message, ...]

    async def __call__(self, user: UserView) -> Utterance:
        """The next recorded words; a ConfigError when the recording holds no more."""
        lines = [m.text for m in floors(self.recorded) if m.role == "user"]
        spoken = sum(m.role == "user" for m in floors(user.messages))
        if spoken >= len(lines):
            raise ConfigError(f"the recording has {len(lines)} user lines, one more is wanted")
        return Utterance(text=lines[spoken])


@dataclass(frozen=True)
class RecordedEnd:
    """Ends the dialogue where the recording ends, if the user has the last word in it."""

    recorded: tuple[Message, ...]

    async def __call__(self, user: UserView) -> Ending | None:
        """`recorded_end` once every recorded line was said."""
        said = floors(user.messages)
        if len(said) < len(floors(self.recorded)):
            return None
        return Ending(reason="recorded_end", turn=user.turn, words=said[-1].text if said else "")
