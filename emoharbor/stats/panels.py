"""The long table of ratings as one panel a dimension: items down, people and judges across."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from emoharbor.errors import ConfigError
from emoharbor.stats.correlation import Array, row_means, weights

if TYPE_CHECKING:
    import pandas as pd

# A judge's name and strategy.
Who = tuple[str, str]


@dataclass(frozen=True)
class Panel:
    """One dimension, over the items of `Panels`; NaN where there is no mark.

    `marks` is (items, people). `judges` holds of each judge and strategy all repeats, (items,
    repeats), on the people's scale.
    """

    dimension: str
    scale: tuple[float, float]
    marks: Array
    judges: Mapping[Who, Array]

    @property
    def people(self) -> Array:
        """The mean of people's marks of each item."""
        return row_means(self.marks)

    def judge(self, who: Who) -> Array:
        """The mean of a judge's repeats of each item."""
        if who not in self.judges:
            return np.full(len(self.marks), np.nan)
        return row_means(self.judges[who])


@dataclass(frozen=True)
class Panels:
    """Every dimension that people marked.

    `clusters` says whose each item is: the person who sought support, or the item itself where
    anybody is unknown (`by` tells which). `drawn` are the items' weights in every draw.
    `moved` are the judges' scales that were laid on people's.
    """

    items: tuple[str, ...]
    clusters: Array
    by: str
    drawn: Array
    dimensions: tuple[Panel, ...]
    judges: tuple[Who, ...]
    moved: tuple[str, ...]


def panels(ratings: pd.DataFrame, *, seed: int, draws: int) -> Panels:
    """Panels of a frame with the columns of emoharbor.ratings; the items are those people marked.

    Raises ConfigError where people have marked nothing, or one dimension on two scales.
    """
    kinds, known = ratings["rater_kind"] == "judge", ratings["score"].notna()
    people = ratings[~kinds & known]
    if people.empty:
        raise ConfigError("no mark of a person is there: rater_kind human, expert, … is wanted")
    # Sorted, as what is drawn must not hang on the order of rows or files.
    items = sorted(people["item_id"].unique())
    judged = ratings[kinds & known & ratings["item_id"].isin(items)]
    names = judged[["rater_id", "strategy"]].drop_duplicates().sort_values(["rater_id", "strategy"])
    persons = ratings[ratings["profile_id"] != ""].groupby("item_id")["profile_id"].first()
    by = "person" if all(item in persons.index for item in items) else "item"
    whose = persons.reindex(items) if by == "person" else _series(items)
    clusters = whose.factorize()[0]
    found, moved = [], set[str]()
    for dimension, marks in people.groupby("dimension", sort=False):
        theirs = judged[judged["dimension"] == dimension]
        panel, scales = _panel(str(dimension), marks, theirs, items)
        found.append(panel)
        moved |= scales
    return Panels(
        tuple(items),
        clusters,
        by,
        weights(whose, seed, draws),
        tuple(found),
        tuple((str(a), str(b)) for a, b in names.itertuples(index=False)),
        tuple(sorted(moved)),
    )


def _panel(
    dimension: str, marks: pd.DataFrame, theirs: pd.DataFrame, items: list[str]
) -> tuple[Panel, set[str]]:
    """One dimension, and in words which judges' scales were moved to people's."""
    scale, moved = _scale(marks, f"people mark {dimension}"), set[str]()
    judges = {}
    for name, its in theirs.groupby(["rater_id", "strategy"]):
        other = _scale(its, f"{name[0]} marks {dimension}")
        if other != scale:
            moved.add(f"{other[0]:g} to {other[1]:g} on {scale[0]:g} to {scale[1]:g}")
        values = _wide(its, items, "sample")
        judges[(str(name[0]), str(name[1]))] = _moved(values, other, scale)
    # A seeker and a supporter of one id are two people.
    whole = marks.assign(rater=marks["rater_kind"] + " " + marks["rater_id"])
    return Panel(dimension, scale, _wide(whole, items, "rater"), judges), moved


def _series(items: list[str]) -> pd.Series[Any]:
    import pandas as pd

    return pd.Series(items)


def _scale(marks: pd.DataFrame, who: str) -> tuple[float, float]:
    scales = marks[["scale_min", "scale_max"]].drop_duplicates()
    ends = [(float(low), float(high)) for low, high in scales.to_numpy()]
    if len(ends) > 1:
        told = " and ".join(f"{low:g} to {high:g}" for low, high in ends)
        raise ConfigError(f"{who} on several scales: {told}; bring them to one")
    return ends[0]


def _wide(marks: pd.DataFrame, items: list[str], across: str) -> Array:
    """The mean of what stands in one place: a rater may have marked an item several times."""
    wide = marks.groupby(["item_id", across])["score"].mean().unstack()
    return wide.reindex(items).to_numpy(dtype=float)


def _moved(values: Array, old: tuple[float, float], new: tuple[float, float]) -> Array:
    return (values - old[0]) / (old[1] - old[0]) * (new[1] - new[0]) + new[0]
