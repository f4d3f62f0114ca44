"""H_u cut into exchanges, the form in which the user's agents remember it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from emoharbor.state.dialogue import Appraisal, Emotion, Message


@dataclass(frozen=True)
class Exchange:
    """What the user heard, then thought, then said; None for what has not happened (yet)."""

    heard: str | None = None
    inner: Appraisal | Emotion | None = None
    said: str | None = None


def exchanges(h_u: Iterable[Message | Appraisal | Emotion]) -> list[Exchange]:
    """All exchanges, the one in progress last. The first has no `heard` if the user opens."""
    done: list[Exchange] = []
    now = Exchange()
    for item in h_u:
        if not isinstance(item, Message):
            now = replace(now, inner=item)
        elif item.role == "supporter":
            now = Exchange(heard=item.text)
        else:
            done.append(replace(now, said=item.text))
            now = Exchange()
    return done if now == Exchange() and done else [*done, now]
