"""Would the ranking be the same with other people: it is made again from people drawn anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from emoharbor.stats.pairwise import DIGITS

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

DRAWS = 1000


@dataclass(frozen=True)
class Place:
    """A rank from 1, equals sharing the better one, and where 95 % of the draws put it."""

    mean: float
    rank: int
    low: int
    high: int


@dataclass(frozen=True)
class Stability:
    """How a ranking by mean fares over `draws` seeded draws of people, with replacement.

    `top` are those who share the first rank and `same_top` the share of draws (0 to 1) in which
    exactly they do; `tau` is the mean of Kendall's tau-b between the draws' means and all
    people's. None, with `why`, where there is nothing to rank.
    """

    top: tuple[str, ...] = ()
    same_top: float | None = None
    tau: float | None = None
    places: Mapping[str, Place] = field(default_factory=dict)
    draws: int = 0
    why: str = ""


def stability(table: pd.DataFrame, *, seed: int, draws: int = DRAWS) -> Stability:
    """Ranks the columns of `table` (people down, NaN where there is no rating), again and again.

    Draws in which somebody has no rating at all are left out.
    """
    import numpy as np
    from scipy.stats import rankdata

    # In the order of their names: what is drawn must not hang on who finished first.
    table = table.dropna(how="all").sort_index()
    if table.shape[1] < 2 or len(table) < 2:
        return Stability(why="a ranking needs two supporters, and two people to draw from")
    if table.isna().all().any():
        return Stability(why="a supporter has no rating")
    means = table.mean().to_numpy().round(DIGITS)
    drawn = _drawn(table, seed, draws)
    ranks = rankdata(-drawn, method="min", axis=1).astype(int)
    own = rankdata(-means, method="min").astype(int)
    low, high = np.percentile(ranks, [2.5, 97.5], axis=0, method="closest_observation").astype(int)
    names = [str(name) for name in table]
    return Stability(
        top=tuple(name for name, rank in zip(names, own, strict=True) if rank == 1),
        same_top=float(((ranks == 1) == (own == 1)).all(axis=1).mean()),
        tau=_tau(own, ranks),
        places={
            name: Place(float(means[i]), int(own[i]), int(low[i]), int(high[i]))
            for i, name in enumerate(names)
        },
        draws=len(drawn),
    )


def _drawn(table: pd.DataFrame, seed: int, draws: int) -> np.ndarray[Any, Any]:
    """The means of each draw (draws, supporters)."""
    import numpy as np

    known = table.notna().to_numpy().astype(float)
    ratings, people = table.fillna(0).to_numpy(dtype=float), len(table)
    often = np.random.default_rng(seed).multinomial(people, np.full(people, 1 / people), draws)
    counts = often @ known
    whole = (counts > 0).all(axis=1)
    return np.asarray((often[whole] @ ratings / counts[whole]).round(DIGITS))


def _tau(own: np.ndarray[Any, Any], ranks: np.ndarray[Any, Any]) -> float | None:
    """The mean over draws; None where all are equals, in all or in every draw."""
    import numpy as np
    from scipy.stats import kendalltau

    # Most draws rank alike: each ranking is looked at once.
    different, often = np.unique(ranks, axis=0, return_counts=True)
    told = (different != different[:, :1]).any(axis=1)
    if len(set(own)) < 2 or not told.any():
        return None
    found = [kendalltau(own, one).statistic for one in different[told]]
    return float(np.average(found, weights=often[told]))
