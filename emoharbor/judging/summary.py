"""What came of a judging: each dimension's mean, and how far repeats of a judge lie apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, variance

from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Score


@dataclass(frozen=True)
class Marks:
    """One dimension: the mean of the dialogues' means over their repeats, from 1 to 5.

    `spread` is the standard deviation within a dialogue, pooled over those with two marks or more;
    None where there is none. `scored` and `unscored` count marks.
    """

    mean: float | None
    spread: float | None
    scored: int
    unscored: int


@dataclass(frozen=True)
class SupporterMarks:
    """How one supporter's whole dialogues were judged; prefixes are only counted."""

    supporter: str
    dimensions: dict[str, Marks]
    dialogues: int
    verdicts: int
    prefixes: int
    failed: int


def judged_summary(records: Iterable[DialogueRecord]) -> list[SupporterMarks]:
    """One for each supporter, in the order in which they first appear; failures are of both."""
    by_supporter = defaultdict[str, list[DialogueRecord]](list)
    for record in records:
        by_supporter[record.supporter].append(record)
    return [_one(name, found) for name, found in by_supporter.items()]


def _one(supporter: str, records: Sequence[DialogueRecord]) -> SupporterMarks:
    given = [record for record in records if record.verdict]
    whole = [record for record in given if record.judging and record.judging.upto is None]
    values = defaultdict[str, dict[tuple[str, str, int], list[int | None]]](dict)
    for record in whole:
        for key, mark in (record.verdict.scores if record.verdict else {}).items():
            value = mark.value if isinstance(mark, Score) else None
            values[key].setdefault(record.cell, []).append(value)
    return SupporterMarks(
        supporter,
        {key: _marks(list(by_dialogue.values())) for key, by_dialogue in values.items()},
        dialogues=len({record.cell for record in whole}),
        verdicts=len(whole),
        prefixes=len(given) - len(whole),
        failed=sum(record.failure is not None for record in records),
    )


def _marks(dialogues: Sequence[Sequence[int | None]]) -> Marks:
    known = [[value for value in values if value is not None] for values in dialogues]
    several = [values for values in known if len(values) > 1]
    freedom = sum(len(values) - 1 for values in several)
    squares = sum(variance(values) * (len(values) - 1) for values in several)
    scored = sum(map(len, known))
    return Marks(
        mean=fmean(fmean(values) for values in known if values) if scored else None,
        spread=sqrt(squares / freedom) if freedom else None,
        scored=scored,
        unscored=sum(map(len, dialogues)) - scored,
    )
