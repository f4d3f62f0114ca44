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


def means_of(marks: pd.DataFrame, *, seed: int, draws: int = DRAWS) -> Means:
    """Means with intervals by drawing whole people (seeded), the same people for all of them.

    `marks` has profile, dimension and value (NA where unscored), of one supporter. A dimension
    without a mark has no mean, and then there is none of them all.
    """
    values = marks["value"].astype("float64")
    # People in the order of their names: what is drawn must not hang on who finished first.
    by = values.groupby([marks["profile"], marks["dimension"]])
    names = [str(name) for name in marks["dimension"].unique()]
    table = by.agg(["sum", "count"]).unstack("dimension").fillna(0)
    sums, counts = (table[kind][names].to_numpy(dtype=float) for kind in ("sum", "count"))
    with np.errstate(invalid="ignore"):
        means = sums.sum(axis=0) / counts.sum(axis=0)
        often = people_drawn(len(table), seed=seed, draws=draws)
        drawn = (often @ sums) / (often @ counts)
    rated = (counts > 0).any(axis=1).sum(), *(counts > 0).sum(axis=0)
    marked = counts.sum(), *counts.sum(axis=0)
    lacking = [name for name, mean in zip(names, means, strict=True) if np.isnan(mean)]
    whys = f"no mark of {', '.join(lacking)}" if marked[0] else "no mark", *["no mark"] * len(names)
    found = [
        _interval(*one)
        for one in zip(
            (means.mean(), *means), (drawn.mean(axis=1), *drawn.T), marked, rated, whys, strict=True
        )
    ]
    return Means(found[0], dict(zip(names, found[1:], strict=True)))


def _interval(
    mean: float, drawn: np.ndarray[Any, Any], marks: float, people: int, why: str
) -> Interval:
    n, people = int(marks), int(people)
    if np.isnan(mean):
        return Interval(None, None, None, n, people, why)
    found = percentiles(drawn)
    if people < 2 or found is None:
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
        everybody = means_of(its, seed=seed).all.value
        of = its["profile"].map(groups)
        for group in order:
            mine = its[of == group]
            if not mine.empty:
                found.append(_mean(str(supporter), str(group), mine, everybody, seed))
    return found


def _mean(
    supporter: str, group: str, marks: pd.DataFrame, everybody: float | None, seed: int
) -> GroupMean:
    people = int(marks["profile"].nunique())
    mean, few = means_of(marks, seed=seed).all, people < FEWEST
    known = not few and mean.high is not None and everybody is not None
    below = known and float(mean.high or 0) < float(everybody or 0)
    return GroupMean(supporter, group, people, mean, everybody, few, below)


def banded(values: pd.Series) -> pd.Series:
    """Groups of a field of people: ages in AGES, traits from 1 to 5 in LEVELS, else as they are."""
    known = values.dropna()
    if known.dtype == bool:
        return known.map({True: "yes", False: "no"})
    if not pd.api.types.is_numeric_dtype(known):
        return known.astype(str).replace("", "none")
    bands = LEVELS if known.max() <= max(LEVELS.values()) else AGES
    return pd.cut(known, [-1, *bands.values()], labels=list(bands))
