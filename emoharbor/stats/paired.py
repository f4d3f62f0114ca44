"""Two runs side by side: the same people, and by how much their marks differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, stdev

from emoharbor.errors import ConfigError
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Score

Pair = tuple[DialogueRecord, DialogueRecord]
Key = tuple[str, str, int]


@dataclass(frozen=True)
class PairedDimension:
    """One dimension over `n` pairs that have a mark on both sides.

    `difference` is the mean of after - before with its 95 % interval `low`..`high` (Student's t)
    on the scale of the marks; `higher`, `same` and `lower` count pairs; `p` is Wilcoxon's
    signed-rank test, two-sided, over the pairs that differ. What is undefined is None, and `note`
    says why. `unscored` pairs lack a mark on a side.
    """

    dimension: str
    n: int
    unscored: int
    before: float | None
    after: float | None
    difference: float | None
    low: float | None
    high: float | None
    higher: int
    same: int
    lower: int
    p: float | None
    note: str


@dataclass(frozen=True)
class Comparison:
    """Every dimension for one supporter before and one after.

    `failed` pairs have a failure on a side, `unjudged` ones otherwise lack a verdict on one;
    `unpaired` dialogues stand in one run alone.
    """

    before: str
    after: str
    pairs: int
    failed: int
    unjudged: int
    unpaired: int
    dimensions: tuple[PairedDimension, ...]


def compare(
    before: Iterable[DialogueRecord],
    after: Iterable[DialogueRecord],
    supporters: Mapping[str, str],
) -> list[Comparison]:
    """Pairs by profile and repeat, for each supporter of `before` with its one of `after`."""
    old, new = ({r.cell: r for r in records} for records in (before, after))
    return [_compared(old, new, a, b) for a, b in supporters.items()]


def matched(before: Iterable[DialogueRecord], after: Iterable[DialogueRecord]) -> dict[str, str]:
    """Which supporter is to be compared with which: those of one name, or the only two there are.

    Raises ConfigError when neither holds.
    """
    old, new = (sorted({r.supporter for r in records}) for records in (before, after))
    both = [name for name in old if name in new]
    if both:
        return {name: name for name in both}
    if len(old) == len(new) == 1:
        return {old[0]: new[0]}
    raise ConfigError(
        f"which supporters are to be compared? The first run has {', '.join(old) or 'none'}, "
        f"the second {', '.join(new) or 'none'}: name a pair with --pair FIRST=SECOND"
    )


def _compared(
    old: Mapping[Key, DialogueRecord], new: Mapping[Key, DialogueRecord], a: str, b: str
) -> Comparison:
    mine = {key[1:]: record for key, record in old.items() if key[0] == a}
    others = {key[1:]: record for key, record in new.items() if key[0] == b}
    pairs = [(mine[key], others[key]) for key in mine if key in others]
    unbroken = [(x, y) for x, y in pairs if not (x.failure or y.failure)]
    judged = [(x, y) for x, y in unbroken if x.verdict and y.verdict]
    keys = dict.fromkeys(
        key for pair in judged for r in pair if r.verdict for key in r.verdict.scores
    )
    return Comparison(
        before=a,
        after=b,
        pairs=len(pairs),
        failed=len(pairs) - len(unbroken),
        unjudged=len(unbroken) - len(judged),
        unpaired=len(mine.keys() ^ others.keys()),
        dimensions=tuple(_dimension(key, judged) for key in keys),
    )


def _dimension(key: str, pairs: list[Pair]) -> PairedDimension:
    marks = [(_mark(x, key), _mark(y, key)) for x, y in pairs]
    both = [(x, y) for x, y in marks if x is not None and y is not None]
    differences = [y - x for x, y in both]
    low, high = _interval(differences)
    p, note = _wilcoxon(differences)
    return PairedDimension(
        dimension=key,
        n=len(both),
        unscored=len(marks) - len(both),
        before=fmean(x for x, _ in both) if both else None,
        after=fmean(y for _, y in both) if both else None,
        difference=fmean(differences) if both else None,
        low=low,
        high=high,
        higher=sum(d > 0 for d in differences),
        same=sum(d == 0 for d in differences),
        lower=sum(d < 0 for d in differences),
        p=p,
        note=note,
    )


def _mark(record: DialogueRecord, key: str) -> int | None:
    mark = record.verdict.scores.get(key) if record.verdict else None
    return mark.value if isinstance(mark, Score) else None


def _interval(differences: list[int]) -> tuple[float | None, float | None]:
    if len(differences) < 2:
        return None, None
    from scipy.special import stdtrit

    n, mean = len(differences), fmean(differences)
    half = float(stdtrit(n - 1, 0.975)) * stdev(differences) / math.sqrt(n)
    return mean - half, mean + half


def _wilcoxon(differences: list[int]) -> tuple[float | None, str]:
    if not differences:
        return None, "no pair has a mark on both sides"
    if not any(differences):
        return None, "no pair differs"
    if len(differences) < 2:
        return None, "one pair is no sample"
    from scipy.stats import wilcoxon

    return float(wilcoxon(differences).pvalue), ""
