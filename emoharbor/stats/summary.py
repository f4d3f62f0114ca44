"""From records to means, each beside how many marks it rests on and how many are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emoharbor.state.record import DialogueRecord, RoleUsage
from emoharbor.state.verdict import Score

# Means need no data frame, and pandas takes a second to import.
if TYPE_CHECKING:
    import pandas as pd

MARK_COLUMNS = ["supporter", "profile", "repeat", "dimension", "value", "cause"]


@dataclass(frozen=True)
class Mean:
    """The mean of `scored` marks, 1 to 5; None when there is none; `unscored` are not in it."""

    value: float | None
    scored: int
    unscored: int


@dataclass(frozen=True)
class SupporterSummary:
    """One supporter's column: `average` is the mean of the dimensions' means, None if one lacks.

    `finished`, `failed` and `unjudged` count dialogues: unjudged are those that were imported and
    have neither verdict nor failure. `exchanges`, a mean, and `endings` leave out the failed ones.
    """

    supporter: str
    dimensions: dict[str, Mean]
    average: float | None
    finished: int
    failed: int
    unjudged: int
    exchanges: float | None
    endings: dict[str, int]
    usage: dict[str, RoleUsage]
    models: dict[str, str]


def marks(records: Iterable[DialogueRecord]) -> pd.DataFrame:
    """One row a dimension of a finished dialogue: MARK_COLUMNS; `value` is NA when unscored."""
    import pandas as pd

    rows = [
        (r.supporter, r.profile, r.repeat, key, *_value(mark))
        for r in records
        if r.verdict
        for key, mark in r.verdict.scores.items()
    ]
    return pd.DataFrame(rows, columns=MARK_COLUMNS).astype({"value": "Int64"})


def _value(mark: object) -> tuple[int | None, str | None]:
    return (mark.value, None) if isinstance(mark, Score) else (None, getattr(mark, "cause", None))


def summarize(records: Iterable[DialogueRecord]) -> list[SupporterSummary]:
    """A summary for each supporter, in the order in which they first appear."""
    records = list(records)
    names = dict.fromkeys(r.supporter for r in records)
    return [_one(name, [r for r in records if r.supporter == name]) for name in names]


def _one(name: str, records: list[DialogueRecord]) -> SupporterSummary:
    finished = [r for r in records if r.verdict]
    unbroken = [r for r in records if not r.failure]
    means = _means(finished)
    known = [mean.value for mean in means.values() if mean.value is not None]
    whole = bool(known) and len(known) == len(means)
    return SupporterSummary(
        supporter=name,
        dimensions=means,
        average=sum(known) / len(known) if whole else None,
        finished=len(finished),
        failed=len(records) - len(unbroken),
        unjudged=len(unbroken) - len(finished),
        exchanges=sum(r.turns for r in unbroken) / len(unbroken) if unbroken else None,
        endings=dict(Counter(r.ending.reason for r in unbroken if r.ending)),
        usage=total_usage(records),
        models={role: spec for record in records for role, spec in record.models.items()},
    )


def _means(records: Iterable[DialogueRecord]) -> dict[str, Mean]:
    values: dict[str, list[int | None]] = {}
    for record in records:
        for key, mark in (record.verdict.scores if record.verdict else {}).items():
            values.setdefault(key, []).append(_value(mark)[0])
    return {key: _mean(found) for key, found in values.items()}


def _mean(values: list[int | None]) -> Mean:
    scored = [value for value in values if value is not None]
    mean = sum(scored) / len(scored) if scored else None
    return Mean(mean, len(scored), len(values) - len(scored))


def total_usage(records: Iterable[DialogueRecord]) -> dict[str, RoleUsage]:
    """Calls and tokens by role; a sum is None as soon as one of its parts is unknown."""
    totals: dict[str, RoleUsage] = {}
    for record in records:
        for role, usage in record.usage.items():
            totals[role] = _added(totals[role], usage) if role in totals else usage
    return totals


def _added(a: RoleUsage, b: RoleUsage) -> RoleUsage:
    def plus(x: int | None, y: int | None) -> int | None:
        return None if x is None or y is None else x + y

    return RoleUsage(
        input_tokens=plus(a.input_tokens, b.input_tokens),
        output_tokens=plus(a.output_tokens, b.output_tokens),
        cached_tokens=plus(a.cached_tokens, b.cached_tokens),
        calls=a.calls + b.calls,
        unknown=a.unknown + b.unknown,
        seconds=round(a.seconds + b.seconds, 3),
    )
