"""Pairwise preferences: win rates, what the order of showing does, Bradley-Terry strengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from emoharbor.stats.intervals import DRAWS, Interval, clustered_mean, middle

if TYPE_CHECKING:
    import pandas as pd

POINTS = {"a": 1.0, "tie": 0.5, "b": 0.0}


@dataclass(frozen=True)
class PairRate:
    """How `a` did against `b` over matches that were judged in both orders.

    A match is won by whom both orders prefer, or whom one prefers while the other ties; `contrary`
    ones, in which each order preferred another, count as ties. `rate` is the mean of a win (1), a
    tie (0.5) and a loss (0) with its interval by people; `half` matches lack an order and are left
    out.
    """

    a: str
    b: str
    wins: int
    ties: int
    losses: int
    contrary: int
    half: int
    rate: Interval


@dataclass(frozen=True)
class Strength:
    """A contestant's Bradley-Terry strength: log-odds against the average one, with an interval.

    None, with `why`, where the matches do not tell (somebody won all or none of them).
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    matches: int
    why: str = ""


def match_points(judged: pd.DataFrame) -> pd.DataFrame:
    """A row a match (a, b, supporter, profile, repeat), with `points` of a and `contrary`.

    `judged` has a row an order, with `winner` as "a", "b" or "tie" and `turned`. Points are the
    means of both orders' and then 1, 0.5 or 0 (whoever has more than half has won); NA where an
    order is missing.
    """
    keys = ["a", "b", "supporter", "profile", "repeat"]
    points = judged.assign(points=judged["winner"].map(POINTS))
    both = points.groupby(keys, as_index=False).agg(
        mean=("points", "mean"), orders=("turned", "nunique"),
        least=("points", "min"), most=("points", "max"),
    )  # fmt: skip
    both["contrary"] = (both["least"] == 0) & (both["most"] == 1)
    both["points"] = (np.sign(both["mean"] - 0.5) + 1) / 2
    both.loc[both["orders"] < 2, "points"] = np.nan
    return both[[*keys, "points", "contrary"]]


def pair_rates(judged: pd.DataFrame, *, seed: int) -> list[PairRate]:
    """Every pair of contestants, in the order in which they stand in `judged`."""
    matches = match_points(judged)
    found = []
    for (a, b), its in matches.groupby(["a", "b"], sort=False):
        whole = its.dropna(subset="points")
        found.append(
            PairRate(
                a=str(a),
                b=str(b),
                wins=int((whole["points"] == 1).sum()),
                ties=int((whole["points"] == 0.5).sum()),
                losses=int((whole["points"] == 0).sum()),
                contrary=int(whole["contrary"].sum()),
                half=len(its) - len(whole),
                rate=clustered_mean(whole["points"], whole["profile"], seed=seed),
            )
        )
    return found


def first_shown(judged: pd.DataFrame, *, seed: int) -> Interval:
    """How often whoever was shown first is preferred, a tie counting half: 0.5 without a bias."""
    points = judged["winner"].map(POINTS)
    first = points.where(~judged["turned"], 1 - points)
    return clustered_mean(first, judged["profile"], seed=seed)


def strengths(judged: pd.DataFrame, *, seed: int, draws: int = DRAWS // 4) -> list[Strength]:
    """Bradley-Terry by maximum likelihood over all matches, ties as half a win for each.

    Intervals by drawing people, with the draws in which somebody won all or none left out.
    """
    matches = match_points(judged).dropna(subset="points")
    names = list(dict.fromkeys([*judged["a"], *judged["b"]]))
    met = {n: int(((matches["a"] == n) | (matches["b"] == n)).sum()) for n in names}
    wins = _wins_by_person(matches, names)
    whole = _bradley_terry(wins.sum(axis=0))
    if whole is None:
        why = "no strength: somebody won, or lost, all matches against the others"
        return [Strength(n, None, None, None, met[n], why) for n in names]
    rng = np.random.default_rng(seed)
    picked = rng.integers(len(wins), size=(draws, len(wins)))
    drawn = [one for p in picked if (one := _bradley_terry(wins[p].sum(axis=0))) is not None]
    if len(drawn) < draws / 2 or len(wins) < 2:
        why = "no interval: too few people for the draws to tell"
        return [
            Strength(n, float(v), None, None, met[n], why)
            for n, v in zip(names, whole, strict=True)
        ]
    low, high = np.percentile(np.array(drawn), middle(len(wins)), axis=0)
    bounds = zip(names, whole, low, high, strict=True)
    return [Strength(n, float(v), float(lo), float(hi), met[n]) for n, v, lo, hi in bounds]


def _wins_by_person(matches: pd.DataFrame, names: list[str]) -> np.ndarray[Any, Any]:
    """People x contestants x contestants: how often the one of the row beat that of the column."""
    people = {p: i for i, p in enumerate(matches["profile"].unique())}
    wins = np.zeros((len(people), len(names), len(names)))
    columns = (matches[name].tolist() for name in ("profile", "a", "b", "points"))
    for profile, a, b, points in zip(*columns, strict=True):
        person, one, other = people[profile], names.index(a), names.index(b)
        wins[person, one, other] += points
        wins[person, other, one] += 1 - points
    return wins


def _bradley_terry(wins: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    """Centred log strengths; None where the likelihood has no maximum (Ford 1957)."""
    from scipy.sparse.csgraph import connected_components

    if connected_components(wins > 0, directed=True, connection="strong")[0] > 1:
        return None
    from choix import ilsr_pairwise_dense

    try:
        found = ilsr_pairwise_dense(wins)
    except RuntimeError:
        # It does not converge where somebody all but never wins.
        return None
    return np.asarray(found) - np.mean(found)
