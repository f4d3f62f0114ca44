"""How far people agree among themselves, and how a judge's marks lie beside theirs."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from emoharbor.stats.correlation import SAME, Array, Drawn, row_means, undefined
from emoharbor.stats.extra import needs_stats
from emoharbor.stats.intervals import Interval

# Krippendorff (2004): conclusions from 0.8 up, tentative ones from 0.667 up, none below.
TENTATIVE, RELIABLE = 0.667, 0.8
# pingouin takes no fewer marks.
FEWEST_COMPLETE = 5
# pingouin's rows: one-way, two-way absolute and two-way consistency, of one mark, then of the mean.
ONE_WAY, ABSOLUTE, CONSISTENT = 0, 1, 2
Grade = Literal["unknown", "none", "weak", "tentative", "reliable"]


@dataclass(frozen=True)
class Icc:
    """An intraclass correlation of one rater's mark and of the mean of `raters`.

    Each with its 95 % interval by pingouin, over the `items` that all raters marked. A value is
    None where `why` says so.
    """

    single: Interval
    mean: Interval
    items: int
    raters: int
    why: str = ""


def alpha(marks: Array, clusters: Array, drawn: Array) -> Drawn:
    """Krippendorff's alpha for ordered marks (items, people), NaN where there is none.

    `n` counts the items with two marks or more. The draws take the coincidences of whole items,
    which add up, as often as `drawn` says.
    """
    paired = np.isfinite(marks).sum(axis=1) >= 2
    n = int(paired.sum())
    if not n:
        return undefined("one rater an item: agreement between people has no value")
    known, counts = _counts(marks[paired])
    if len(known) < 2:
        return undefined("all marks are the same", n)
    try:
        import krippendorff
    except ImportError as error:
        raise needs_stats(error) from error
    value = krippendorff.alpha(
        value_counts=counts, value_domain=known, level_of_measurement="ordinal"
    )
    draws = weighted_alpha(counts, drawn[:, paired])
    return Drawn(float(value), draws, n, len(set(clusters[paired].tolist())))


def weighted_alpha(counts: Array, drawn: Array) -> Array:
    """Ordinal alpha in each draw, of how often each item got each value, (items, values).

    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section D with ordinal
    differences: those of the values' middle ranks. NaN where a draw holds one value alone.
    """
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs -= np.eye(counts.shape[1]) * counts[:, :, None]
    pairs /= (counts.sum(axis=1) - 1)[:, None, None]
    together = (drawn @ pairs.reshape(len(counts), -1)).reshape(-1, *pairs.shape[1:])
    each = together.sum(axis=2)
    middle = np.cumsum(each, axis=1) - each / 2
    apart = (middle[:, :, None] - middle[:, None, :]) ** 2
    seen = (together * apart).sum(axis=(1, 2))
    chance = (each[:, :, None] * each[:, None, :] * apart).sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(chance > 0, 1 - (each.sum(axis=1) - 1) * seen / chance, np.nan)


def _counts(marks: Array) -> tuple[Array, Array]:
    known = np.unique(marks[np.isfinite(marks)])
    return known, (marks[:, :, None] == known).sum(axis=1).astype(float)


def icc(marks: Array, form: int) -> Icc:
    """An intraclass correlation of marks (items, raters), after Shrout and Fleiss (1979).

    ONE_WAY is their ICC(1,·), ABSOLUTE ICC(2,·), CONSISTENT ICC(3,·).
    """
    whole = marks[np.isfinite(marks).all(axis=1)]
    items, raters = whole.shape
    why = ""
    if raters < 2:
        why = "one rater: agreement between people has no value"
    elif items < FEWEST_COMPLETE:
        why = f"fewer than {FEWEST_COMPLETE} items that all {raters} raters marked"
    elif np.ptp(whole) < SAME:
        why = "all marks are the same"
    if why:
        nothing = Interval(None, None, None, items, items, why)
        return Icc(nothing, nothing, items, raters, why)
    single, mean = _pingouin(whole, form)
    return Icc(single, mean, items, raters)


def _pingouin(whole: Array, form: int) -> tuple[Interval, Interval]:
    try:
        from pingouin import intraclass_corr
    except ImportError as error:
        raise needs_stats(error) from error
    import pandas as pd

    items, raters = whole.shape
    place = np.indices(whole.shape)
    long = pd.DataFrame({"item": place[0].ravel(), "rater": place[1].ravel()})
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Judges who repeat themselves to the letter leave no variance to divide by.
        warnings.simplefilter("ignore", RuntimeWarning)
        long["mark"] = whole.ravel()
        table = intraclass_corr(long, "item", "rater", "mark")  # type: ignore[no-untyped-call]
    found = []
    for row in (form, form + 3):
        value, ends = float(table["ICC"].iloc[row]), table.iloc[row, -1]
        found.append(_between(value, [float(end) for end in ends], items))
    return found[0], found[1]


def _between(value: float, ends: Sequence[float], items: int) -> Interval:
    """What is no number is none; only perfect agreement has itself for an interval."""
    if not np.isfinite(value):
        return Interval(None, None, None, items, items, "no two items differ but by rater")
    if not np.isfinite(ends).all():
        if abs(value - 1) > SAME:
            why = "no interval: raters differ by the same everywhere"
            return Interval(value, None, None, items, items, why)
        ends = [value, value]
    return Interval(value, ends[0], ends[1], items, items)


def grade(found: Interval) -> Grade:
    """What an alpha allows to conclude: none where its interval reaches 0 or below."""
    if found.value is None:
        return "unknown"
    lowest = found.value if found.low is None else found.low
    if lowest <= 0:
        return "none"
    if found.value < TENTATIVE:
        return "weak"
    return "tentative" if found.value < RELIABLE else "reliable"


def centred(marks: Array, judge: Array) -> tuple[Array, Array]:
    """People's and a judge's marks of each item, both less their mean over each rater's items.

    For every rater with two marks or more, both are centred on the items that this rater marked
    and the judge too; then an item's values are the means over its raters. NaN for others.
    """
    both = np.isfinite(marks) & np.isfinite(judge)[:, None]
    both &= both.sum(axis=0) >= 2
    own = np.where(both, marks, np.nan)
    theirs = np.where(both, judge[:, None], np.nan)
    apart = (values - row_means(values.T) for values in (own, theirs))
    people, machine = (np.round(row_means(values), 9) for values in apart)
    return people, machine


def bias(people: Array, judge: Array, clusters: Array, drawn: Array) -> Drawn:
    """The mean of judge - people over the items that have both marks."""
    both = np.isfinite(people) & np.isfinite(judge)
    n = int(both.sum())
    if not n:
        return undefined("no item with both marks")
    apart, part = judge[both] - people[both], drawn[:, both]
    with np.errstate(invalid="ignore", divide="ignore"):
        draws = part @ apart / part.sum(axis=1)
    return Drawn(float(apart.mean()), draws, n, len(set(clusters[both].tolist())))


def variance_ratio(marks: Array, judge: Array) -> float | None:
    """The variance of a judge's single marks over that of people's, of the same items.

    Both are (items, marks), the judge's repeats each by itself: the mean of several would vary
    less than what it is held against. None where either is constant, or of one item.
    """
    both = np.isfinite(judge).any(axis=1) & np.isfinite(marks).any(axis=1)
    theirs, single = (its[both][np.isfinite(its[both])] for its in (judge, marks))
    if both.sum() < 2 or np.ptp(single) < SAME or np.ptp(theirs) < SAME:
        return None
    return float(theirs.var(ddof=1) / single.var(ddof=1))
