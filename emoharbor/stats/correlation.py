"""Correlations, and their intervals by drawing people: a draw is a weight for every item.

A draw with replacement takes an item 0, 1, 2, … times. Moments, ranks and counts of pairs follow
from these weights, so that thousands of draws are a few products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from emoharbor.stats.intervals import Interval, people_drawn

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]
Statistic = Literal["pearson", "spearman", "kendall"]
STATISTICS: tuple[Statistic, ...] = ("pearson", "spearman", "kendall")
FEWEST = 3
# Marks that differ by less differ by rounding.
SAME = 1e-9
# Kendall's pairs grow with the square of the items: what a draw may cost, and how few are drawn.
PAIRS = 200_000_000
FEWEST_DRAWS = 200


@dataclass(frozen=True)
class Drawn:
    """An estimate over `n` items of `clusters` people, and the same in every draw.

    `draws` is NaN where a draw has none. `value` None is undefined and then `why` says so.
    """

    value: float | None
    draws: Array
    n: int
    clusters: int
    why: str = ""

    def interval(self) -> Interval:
        """The estimate with its 95 % interval by percentiles of the draws that have a value."""
        known = self.draws[np.isfinite(self.draws)]
        why = self.why
        if self.value is not None and self.clusters < 2:
            why = "one person gives no interval"
        elif self.value is not None and len(known) < max(2, len(self.draws) / 2):
            why = "no interval: undefined in most draws of people"
        if self.value is None or why:
            return Interval(self.value, None, None, self.n, self.clusters, why)
        low, high = np.percentile(known, [2.5, 97.5])
        return Interval(self.value, float(low), float(high), self.n, self.clusters)


def undefined(why: str, n: int = 0) -> Drawn:
    """What has no value."""
    return Drawn(None, np.full(0, np.nan), n, 0, why)


def weights(clusters: pd.Series[Any], seed: int, draws: int) -> Array:
    """How often each draw of whole clusters takes each item, (draws, items) in the items' order."""
    codes, people = clusters.factorize()
    return people_drawn(len(people), seed=seed, draws=draws)[:, codes].astype(float)


def correlation(statistic: Statistic, x: Array, y: Array, clusters: Array, drawn: Array) -> Drawn:
    """The correlation of two marks of each item, of those that have both (NaN is none).

    `clusters` says whose an item is, `drawn` are the items' `weights`. Undefined under three
    items and where one of the two is constant.
    """
    from scipy import stats

    both = np.isfinite(x) & np.isfinite(y)
    x, y, n = x[both], y[both], int(both.sum())
    if n < FEWEST:
        return undefined(f"fewer than {FEWEST} items with both marks", n)
    if np.ptp(x) < SAME or np.ptp(y) < SAME:
        return undefined("all marks are the same", n)
    points = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    value = float(points[statistic](x, y).statistic)
    found = WEIGHTED[statistic](x, y, drawn[:, both])
    return Drawn(value, found, n, len(set(clusters[both].tolist())))


def weighted_pearson(x: Array, y: Array, drawn: Array) -> Array:
    """Pearson's r in each draw; NaN where a draw is constant in one of the two."""
    x, y, total = x - x.mean(), y - y.mean(), drawn.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mx, my = drawn @ x / total, drawn @ y / total
        sxy = drawn @ (x * y) / total - mx * my
        sxx, syy = drawn @ (x * x) / total - mx**2, drawn @ (y * y) / total - my**2
    return _ratio(sxy, sxx, syy)


def weighted_spearman(x: Array, y: Array, drawn: Array) -> Array:
    """Spearman's rho in each draw: Pearson's r of the ranks that the draw gives its items."""
    (x_ranks, sxx), (y_ranks, syy) = _ranks(x, drawn), _ranks(y, drawn)
    return _ratio((drawn * x_ranks * y_ranks).sum(axis=1), sxx, syy)


def weighted_kendall(x: Array, y: Array, drawn: Array) -> Array:
    """Kendall's tau-b in each draw; an item that is drawn twice is a tie with itself.

    With many items only the first of the draws are made.
    """
    part = drawn[: max(FEWEST_DRAWS, PAIRS // len(x) ** 2)]
    # Small whole numbers: half the digits hold them exactly, in half the time.
    signs = [np.sign(v[:, None] - v[None, :]).astype(np.float32) for v in (x, y)]
    small = part.astype(np.float32)
    agreeing = ((small @ (signs[0] * signs[1])) * small).sum(axis=1, dtype=float)
    pairs = part.sum(axis=1) ** 2
    x_apart, y_apart = (pairs - (_counts(v, part)[0] ** 2).sum(axis=1) for v in (x, y))
    return _ratio(agreeing, x_apart, y_apart)


WEIGHTED: dict[Statistic, Callable[[Array, Array, Array], Array]] = {
    "pearson": weighted_pearson,
    "spearman": weighted_spearman,
    "kendall": weighted_kendall,
}


def mean_of(parts: Sequence[Drawn]) -> Drawn:
    """The mean of estimates on the same draws, over those that are defined."""
    known = [part for part in parts if part.value is not None]
    if not known:
        return undefined("no dimension has a value")
    value = float(np.mean([part.value for part in known if part.value is not None]))
    many = min(len(part.draws) for part in known)
    draws = np.mean([part.draws[:many] for part in known], axis=0)
    n, clusters = max(part.n for part in known), max(part.clusters for part in known)
    return Drawn(value, draws, n, clusters)


def difference(a: Drawn, b: Drawn) -> Drawn:
    """What b is above a, on the same draws."""
    if a.value is None or b.value is None:
        return undefined(a.why or b.why)
    many = min(len(a.draws), len(b.draws))
    apart = b.draws[:many] - a.draws[:many]
    return Drawn(b.value - a.value, apart, min(a.n, b.n), min(a.clusters, b.clusters))


def ceiling(statistic: Statistic, marks: Array, clusters: Array, drawn: Array) -> Drawn:
    """How a person correlates with the mean of the others, a mean over the people.

    `marks` is (items, people), NaN where there is none. People who share fewer than three items
    with others, or who mark them all the same, are left out; `n` is the mean number of items.
    """
    known = np.isfinite(marks)
    if (known.sum(axis=1) < 2).all():
        return undefined("one rater an item: there is no other person to compare with")
    parts = []
    for place in np.flatnonzero(known.sum(axis=0) >= FEWEST):
        own = marks[:, place]
        others = row_means(np.where(np.arange(marks.shape[1]) == place, np.nan, marks))
        parts.append(correlation(statistic, own, others, clusters, drawn))
    found = mean_of(parts)
    if found.value is None:
        return undefined(f"nobody marked {FEWEST} items that others marked too, and differently")
    n = round(float(np.mean([part.n for part in parts if part.value is not None])))
    return Drawn(found.value, found.draws, n, found.clusters)


def row_means(marks: Array) -> Array:
    """The mean of each row over what is known; NaN where nothing is."""
    known = np.isfinite(marks)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, marks, 0).sum(axis=1) / known.sum(axis=1))


def _ratio(xy: Array, xx: Array, yy: Array) -> Array:
    # What is left of a constant draw is rounding.
    apart = (xx > 1e-12) & (yy > 1e-12)
    return np.where(apart, xy / np.sqrt(np.where(apart, xx * yy, 1)), np.nan)


def _counts(values: Array, drawn: Array) -> tuple[Array, Array]:
    """How often each draw takes each value, (draws, values), and the items' places in these."""
    known, places = np.unique(values, return_inverse=True)
    return drawn @ np.eye(len(known))[places], places


def _ranks(values: Array, drawn: Array) -> tuple[Array, Array]:
    """The middle rank of each item in each draw less the draw's mean rank; their sum of squares."""
    counts, places = _counts(values, drawn)
    # The middle of 1 to n is every draw's mean rank.
    middle = np.cumsum(counts, axis=1) - counts / 2 - drawn.sum(axis=1)[:, None] / 2
    return middle[:, places], (counts * middle**2).sum(axis=1)
