"""Intervals by a bootstrap of people: marks of one person belong together."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

DRAWS = 2000


@dataclass(frozen=True)
class Interval:
    """An estimate from `n` values of `clusters` people, and its 95 % interval.

    `value` is None without values; `low` and `high` are None where `why` says so.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    why: str = ""


def clustered_mean(
    values: pd.Series[Any], clusters: pd.Series[Any], *, seed: int, draws: int = DRAWS
) -> Interval:
    """The mean of all values, its interval by drawing whole clusters (seeded; see `middle`).

    Missing values are left out; they are for the caller to count. Raises ValueError for a value of
    nobody: left out in silence, it would be missing in `n`.
    """
    import numpy as np

    known = values.notna()
    _somebody(clusters[known])
    groups = values[known].astype(float).groupby(clusters[known].to_numpy()).agg(["sum", "count"])
    n, people = int(groups["count"].sum()), len(groups)
    if n == 0:
        return Interval(None, None, None, 0, 0, "no mark")
    mean = float(groups["sum"].sum() / n)
    if people < 2:
        return Interval(mean, None, None, n, people, "one person gives no interval")
    often = people_drawn(people, seed=seed, draws=draws)
    drawn = (often @ groups["sum"].to_numpy()) / (often @ groups["count"].to_numpy())
    low, high = np.percentile(drawn, middle(people))
    return Interval(mean, float(low), float(high), n, people)


def clustered(
    frame: pd.DataFrame,
    by: str,
    statistic: Callable[[pd.DataFrame], float],
    *,
    seed: int,
    draws: int = DRAWS,
) -> tuple[float, float, int] | None:
    """The 95 % interval of any statistic by drawing whole groups `by` of `frame`, seeded.

    `statistic` gives NaN where a draw has none (a constant column): these draws are left out, and
    the third number says how many stayed. None when fewer than two groups or draws are left.
    Raises ValueError for a row of no group.
    """
    import numpy as np

    _somebody(frame[by])
    places = [np.flatnonzero(frame[by].to_numpy() == one) for one in sorted(frame[by].unique())]
    if len(places) < 2:
        return None
    rng = np.random.default_rng(seed)
    found = np.array([statistic(frame.iloc[_drawn(places, rng)]) for _ in range(draws)])
    between = percentiles(found, len(places))
    return None if between is None else (*between, int(np.isfinite(found).sum()))


def _somebody(clusters: pd.Series[Any]) -> None:
    if clusters.isna().any():
        raise ValueError("a value belongs to nobody: leave it out first, or say whose it is")


def _drawn(places: list[np.ndarray[Any, Any]], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    import numpy as np

    picked = rng.integers(len(places), size=len(places))
    return np.concatenate([places[one] for one in picked])


@lru_cache(maxsize=64)
def people_drawn(people: int, *, seed: int, draws: int = DRAWS) -> np.ndarray[Any, Any]:
    """How often each of `people` is drawn, a row a draw: whole people, with replacement, seeded.

    Floats, since they are multiplied with sums; the array is not to be written to.
    """
    import numpy as np

    picked = np.random.default_rng(seed).integers(people, size=(draws, people))
    rows = np.arange(draws)[:, None] * people
    counted = np.bincount((picked + rows).ravel(), minlength=draws * people).astype(float)
    counted.flags.writeable = False
    return counted.reshape(draws, people)


def percentiles(drawn: np.ndarray[Any, Any], people: int) -> tuple[float, float] | None:
    """The 95 % interval from what was drawn of so many people, two or more.

    None when fewer than two draws have a value.
    """
    import numpy as np

    known = drawn[np.isfinite(drawn)]
    if len(known) < 2:
        return None
    low, high = np.percentile(known, middle(people))
    return float(low), float(high)


@cache
def middle(people: int) -> tuple[float, float]:
    """Between which percentiles of draws a 95 % interval lies, when two people or more were drawn.

    Draws of few people vary too little: their middle 95 % hold a mean of six people 85 times in a
    hundred. It is widened as Student's t is wider than the normal distribution, and a sample's
    deviation than that of its draws (Hesterberg 2015, What Teachers Should Know about the
    Bootstrap, expanded percentiles): 0.24 to 99.76 for six people, 2.3 to 97.7 for a hundred.
    """
    from scipy.special import ndtr, stdtrit

    low = 100 * float(ndtr(-math.sqrt(people / (people - 1)) * stdtrit(people - 1, 0.975)))
    return low, 100 - low
