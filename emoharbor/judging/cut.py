"""Dialogues cut after an exchange, and inner states woven into the lines they belong to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from emoharbor.state.dialogue import Appraisal, Emotion, Message
from emoharbor.state.record import DialogueRecord

Item = Message | Appraisal | Emotion


def ends(h_u: Iterable[Item]) -> list[int]:
    """How much of H_u each exchange ends with: the number of items up to its last message.

    An exchange begins where the side that spoke first takes the floor; an inner state belongs to
    the exchange of the line that follows it.
    """
    found, opener, before, last = list[int](), "", "", 0
    for count, item in enumerate(h_u, start=1):
        if not isinstance(item, Message):
            continue
        opener = opener or item.role
        if item.role == opener and before not in ("", opener):
            found.append(last)
        before, last = item.role, count
    return [*found, last] if last else found


def first(record: DialogueRecord, exchanges: int | None) -> list[Item]:
    """H_u up to the end of so many exchanges, or all of it."""
    return record.h_u if exchanges is None else record.h_u[: ends(record.h_u)[exchanges - 1]]


def cuts(record: DialogueRecord, every: int | None) -> list[int | None]:
    """After which exchanges it is judged: `every` so many short of its end, and as a whole."""
    count = len(ends(record.h_u))
    return [*(range(every, count, every) if every else ()), None]


def woven(lines: Sequence[Message], states: Iterable[Appraisal | Emotion]) -> list[Item]:
    """Each state before the words that came of it: the user's next ones in a row."""
    left, before = iter(states), ""
    found = list[Item]()
    for line in lines:
        if line.role == "user" and before != "user":
            found += [state for state in [next(left, None)] if state is not None]
        found.append(line)
        before = line.role
    return found
