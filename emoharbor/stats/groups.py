"""Means over all dimensions, of everybody and of groups of people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from emoharbor.stats.intervals import DRAWS, Interval, people_drawn, percentiles
from emoharbor.stats.pairwise import FEWEST

AGES = {"under 18": 17, "18–29": 29, "30–44": 44, "45–59": 59, "60 and over": 200}
LEVELS = {"low": 2, "middle": 3, "high": 5}
NO_MARK = "no mark"


@dataclass(frozen=True)
class GroupMean:
    """A supporter's mean with one group of people, beside its mean with everybody.

    `few` is true under FEWEST people, where nothing can be said; `below` is true where it is not,
    and the group's whole interval lies below the mean with everybody.
    """

    supporter: str
    group: str
    people: int
    mean: Interval
    everybody: float | None
    few: bool
    below: bool


@dataclass(frozen=True)
class Means:
    """A supporter's mean in each dimension, and the mean of these, with their intervals."""

    all: Interval
    dimensions: dict[str, Interval]


@dataclass(frozen=True)
class _Sums:
    """Sums and counts of a supporter's marks: a row a person, a column a dimension."""

    dimensions: tuple[str, ...]
    people: pd.Index[str]
    sums: np.ndarray[Any, Any]
    counts: np.ndarray[Any, Any]

    def only(self, rows: np.ndarray[Any, Any]) -> _Sums:
        """Of the people in these rows alone."""
        return _Sums(self.dimensions, self.people[rows], self.sums[rows], self.counts[rows])

    def drawn(self, seed: int, draws: int) -> np.ndarray[Any, Any]:
        """The dimensions' means of each draw of people, NaN where a draw has no mark."""
        often = people_drawn(len(self.people), seed=seed, draws=draws)
        with np.errstate(invalid="ignore"):
            return np.asarray((often @ self.sums) / (often @ self.counts))

    @property
    def means(self) -> np.ndarray[Any, Any]:
        """The dimensions' means, NaN where there is no mark."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.sums.sum(axis=0) / self.counts.sum(axis=0))

    def overall(self, drawn: np.ndarray[Any, Any]) -> Interval:
        """The mean of the dimensions' means."""
        pairs = zip(self.dimensions, self.means, strict=True)
        lacking = [name for name, mean in pairs if np.isnan(mean)]
        why = f"no mark of {', '.join(lacking)}" if self.counts.any() else NO_MARK
        rated = self.counts.any(axis=1).sum()
        return _interval(self.means.mean(), drawn.mean(axis=1), self.counts.sum(), rated, why)


def means_of(marks: pd.DataFrame, *, seed: int, draws: int = DRAWS) -> Means:
    """Means with intervals by drawing whole people (seeded), the same people for all of them.

    `marks` has profile, dimension and value (NA where unscored), of one supporter. A dimension
    without a mark has no mean, and then there is none of them all.
    """
    its = _sums(marks)
    drawn = its.drawn(seed, draws)
    marked, rated = its.counts.sum(axis=0), (its.counts > 0).sum(axis=0)
    each = {
        name: _interval(its.means[at], drawn[:, at], marked[at], rated[at], NO_MARK)
        for at, name in enumerate(its.dimensions)
    }
    return Means(its.overall(drawn), each)


def _sums(marks: pd.DataFrame) -> _Sums:
    values = marks["value"].astype("float64")
    names = [str(name) for name in marks["dimension"].unique()]
    # People in the order of their names: what is drawn must not hang on who finished first.
    by = values.groupby([marks["profile"], marks["dimension"]])
    table = by.agg(["sum", "count"]).unstack("dimension").fillna(0)
    sums, counts = (table[kind][names].to_numpy(dtype=float) for kind in ("sum", "count"))
    return _Sums(tuple(names), table.index, sums, counts)


def _interval(
    mean: float, drawn: np.ndarray[Any, Any], marks: float, people: int, why: str
) -> Interval:
    n, people = int(marks), int(people)
    if np.isnan(mean):
        return Interval(None, None, None, n, people, why)
    found = percentiles(drawn, people) if people > 1 else None
    if found is None:
        return Interval(float(mean), None, None, n, people, "one person gives no interval")
    return Interval(float(mean), *found, n, people)


def by_group(marks: pd.DataFrame, groups: pd.Series[str], *, seed: int) -> list[GroupMean]:
    """Every supporter's mean with every group, supporters and groups in the order they come in.

    `marks` has supporter, profile, dimension and value; `groups` the group by profile, an ordered
    category or not. People of no group are left out of the groups, not of the mean of everybody.
    """
    found = []
    order = list(groups.cat.categories) if hasattr(groups, "cat") else sorted(groups.unique())
    for supporter, its in marks.groupby("supporter", sort=False):
        sums = _sums(its)
        everybody, of = float(sums.means.mean()), groups.reindex(sums.people)
        for group in order:
            rows = np.flatnonzero(of == group)
            if len(rows):
                mean = sums.only(rows)
                found.append(_mean(str(supporter), str(group), mean, everybody, seed))
    return found


def _mean(supporter: str, group: str, its: _Sums, everybody: float, seed: int) -> GroupMean:
    mean = its.overall(its.drawn(seed, DRAWS))
    few = mean.clusters < FEWEST
    below = not few and mean.high is not None and mean.high < everybody
    known = None if np.isnan(everybody) else everybody
    return GroupMean(supporter, group, mean.clusters, mean, known, few, below)


def banded(values: pd.Series) -> pd.Series:
    """Groups of a field of people: ages in AGES, traits from 1 to 5 in LEVELS, else as they are."""
    known = values.dropna()
    if known.dtype == bool:
        return known.map({True: "yes", False: "no"})
    if not pd.api.types.is_numeric_dtype(known):
        return known.astype(str).replace("", "none")
    bands = LEVELS if known.max() <= max(LEVELS.values()) else AGES
    return pd.cut(known, [-1, *bands.values()], labels=list(bands))
