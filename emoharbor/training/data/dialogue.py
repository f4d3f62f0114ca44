"""A dialogue as a supporter is to learn it: its lines the target, the user's the context."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from emoharbor.agents.outside import as_chat
from emoharbor.models.base import ChatMessage
from emoharbor.state.dialogue import InnerState, Message
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Score

Arm = Literal["average", "worst"]


@dataclass(frozen=True)
class Inner:
    """What the user felt before a line of theirs; `line` is the 1-based number of that line.

    Lines of the user alone are counted, so a system text moves no number.
    """

    line: int
    state: InnerState


@dataclass(frozen=True)
class Dialogue:
    """One record of a run, ready to be written.

    `messages` begin with the user and end with the supporter, who take turns; they are empty where
    the supporter never spoke. `system` is the text that the supporter had, None where it had none
    of ours. `arm` is None for a suite that belongs to neither arm.
    """

    record: DialogueRecord
    run: str
    arm: Arm | None
    system: str | None
    messages: tuple[ChatMessage, ...]
    inner: tuple[Inner, ...]

    @property
    def mean(self) -> float | None:
        """The mean of the dimensions that were marked, 1 to 5; None where there is no mark."""
        marks = self.marks.values()
        return sum(marks) / len(marks) if marks else None

    @property
    def marks(self) -> dict[str, int]:
        """The mark of each dimension that has one, 1 to 5."""
        verdict = self.record.verdict
        scores = verdict.scores.items() if verdict else ()
        return {name: score.value for name, score in scores if isinstance(score, Score)}

    @property
    def text(self) -> str:
        """All that both say, without what nobody would call another dialogue: case and spaces."""
        lines = (f"{m['role']}: {m['content']}" for m in self.messages)
        return re.sub(r"\s+", " ", "\n".join(lines)).strip().casefold()

    @property
    def about(self) -> dict[str, Any]:
        """Where it is from: the same keys for every dialogue."""
        record = self.record
        return {
            "run": self.run,
            "cell": f"{record.supporter}/{record.profile}/{record.repeat}",
            "thread": record.thread,
            "suite": record.suite,
            "arm": self.arm or "",
            "language": record.language,
            "profile": record.profile,
            "supporter": record.supporter,
            "supporter_model": record.models.get("supporter", ""),
            "verdict_mean": None if self.mean is None else round(self.mean, 4),
            "ending": record.ending.reason if record.ending else "",
            "exchanges": record.turns,
        }


def dialogue_of(
    record: DialogueRecord, run: str, arm: Arm | None, system: str | None, first_line: str
) -> Dialogue:
    """The dialogue of a record; `first_line` stands in the user's place when the supporter opens.

    Lines in a row of the same side become one message, since most chat templates refuse them; what
    the user says after the supporter's last line has no answer and is left out.
    """
    messages, numbers = _in_turns(as_chat(record.h_s, first_line), _opened(record))
    while messages and messages[-1]["role"] == "user":
        messages.pop()
    inner = tuple(found for found in _inner(record, numbers) if 2 * found.line <= len(messages))
    return Dialogue(record, run, arm, system, tuple(messages), inner)


def _opened(record: DialogueRecord) -> bool:
    """Whether a line stands before what was said."""
    return not record.h_s or record.h_s[0].role == "supporter"


def _in_turns(lines: list[ChatMessage], opened: bool) -> tuple[list[ChatMessage], list[int]]:
    """Messages in turns, and for each line of H_s the number of its message."""
    messages: list[ChatMessage] = []
    numbers: list[int] = []
    for line in lines:
        if messages and messages[-1]["role"] == line["role"]:
            joined = f"{messages[-1]['content']}\n{line['content']}"
            messages[-1] = {"role": line["role"], "content": joined}
        else:
            messages.append({"role": line["role"], "content": line["content"]})
        numbers.append(len(messages))
    return messages, numbers[1:] if opened else numbers


def _inner(record: DialogueRecord, numbers: list[int]) -> list[Inner]:
    """Each inner state with the line of the user to which it led."""
    found: list[Inner] = []
    waiting: list[InnerState] = []
    spoken = 0
    for item in record.h_u:
        if not isinstance(item, Message):
            waiting.append(item)
            continue
        if item.role == "user" and spoken < len(numbers):
            found += [Inner(numbers[spoken] // 2 + 1, state) for state in waiting]
            waiting = []
        spoken += 1
    return found


def arm_of(suite: str) -> Arm | None:
    """The arm of a suite, by its name; None for one that is neither average nor worst case."""
    arms: Mapping[str, Arm] = {"average_case": "average", "worst_case": "worst"}
    return next((arm for name, arm in arms.items() if suite.startswith(name)), None)
