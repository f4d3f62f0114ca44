"""Intervals by a bootstrap of people: marks of one person belong together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    """The mean of all values, its interval by drawing whole clusters (percentiles, seeded).

    Missing values are left out; they are for the caller to count.
    """
    import numpy as np

    known = values.notna()
    groups = values[known].astype(float).groupby(clusters[known].to_numpy()).agg(["sum", "count"])
    n, people = int(groups["count"].sum()), len(groups)
    if n == 0:
        return Interval(None, None, None, 0, 0, "no mark")
    mean = float(groups["sum"].sum() / n)
    if people < 2:
        return Interval(mean, None, None, n, people, "one person gives no interval")
    picked = np.random.default_rng(seed).integers(people, size=(draws, people))
    sums, counts = groups["sum"].to_numpy()[picked], groups["count"].to_numpy()[picked]
    low, high = np.percentile(sums.sum(axis=1) / counts.sum(axis=1), [2.5, 97.5])
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
    """
    import numpy as np

    places = [np.flatnonzero(frame[by].to_numpy() == one) for one in frame[by].unique()]
    if len(places) < 2:
        return None
    rng = np.random.default_rng(seed)
    found = np.array([statistic(frame.iloc[_drawn(places, rng)]) for _ in range(draws)])
    found = found[np.isfinite(found)]
    if len(found) < 2:
        return None
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high), len(found)


def _drawn(places: list[np.ndarray[Any, Any]], rng: np.random.Generator) -> np.ndarray[Any, Any]:
    import numpy as np

    picked = rng.integers(len(places), size=len(places))
    return np.concatenate([places[one] for one in picked])
