"""What a change that should mean nothing, or something, does to a judge's marks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from emoharbor.stats.intervals import Interval, clustered_mean

if TYPE_CHECKING:
    import pandas as pd

PLAIN = "as_it_is"
# Half of what one mark in two dialogues would be worth: smaller shifts change no ranking.
SMALL = 0.25


@dataclass(frozen=True)
class Shift:
    """How marks move under one variant: the mean of variant - plain over dialogues x dimensions.

    `changed` is the share of marks that differ by half a level or more from the plain mean;
    `unscored` counts those that have a mark on one side alone.
    """

    variant: str
    dialogues: int
    unscored: int
    shift: Interval
    changed: float | None


@dataclass(frozen=True)
class Steadiness:
    """A judge asked the same again: `sd` within dialogue and dimension, and the share of equals.

    `sd` is pooled over the `places` that were marked at least twice; `equal` is the share of them
    where all marks are the same. None, with `why`, where nothing was marked twice.
    """

    places: int
    sd: float | None
    equal: float | None
    why: str = ""


@dataclass(frozen=True)
class Halo:
    """How much dimensions move together over `dialogues`: mean Spearman correlation of pairs.

    Pairs with a dimension that does not vary have none; `pairs` counts the others.
    """

    dialogues: int
    pairs: int
    mean: float | None
    highest: tuple[str, str, float] | None
    why: str = ""


def shifts(marks: pd.DataFrame, *, seed: int) -> list[Shift]:
    """One for each variant but the plain one, in order of `marks`.

    `marks` has a row a mark: variant, dialogue, profile, sample, dimension, value (NaN: unscored).
    """
    keys = ["dialogue", "profile", "dimension"]
    plain = marks[marks["variant"] == PLAIN].groupby(keys)["value"].mean().rename("plain")
    found = []
    for variant, its in marks[marks["variant"] != PLAIN].groupby("variant", sort=False):
        both = its.groupby(keys)["value"].mean().to_frame("value").join(plain, how="outer")
        both = both.loc[both.index.get_level_values("dialogue").isin(its["dialogue"])]
        moved = (both["value"] - both["plain"]).reset_index(name="moved")
        whole = moved.dropna(subset="moved")
        found.append(
            Shift(
                variant=str(variant),
                dialogues=whole["dialogue"].nunique(),
                unscored=len(moved) - len(whole),
                shift=clustered_mean(whole["moved"], whole["profile"], seed=seed),
                changed=float((whole["moved"].abs() >= 0.5).mean()) if len(whole) else None,
            )
        )
    return found


def steadiness(marks: pd.DataFrame) -> Steadiness:
    """The plain marks of several samples against each other."""
    plain = marks[(marks["variant"] == PLAIN) & marks["value"].notna()]
    grouped = plain.groupby(["dialogue", "dimension"])["value"]
    several = grouped.agg(["count", "var", "nunique"])
    several = several[several["count"] > 1]
    if several.empty:
        return Steadiness(0, None, None, "no dialogue was judged twice as it is")
    free = several["count"] - 1
    pooled = float(np.sqrt((several["var"] * free).sum() / free.sum()))
    return Steadiness(len(several), pooled, float((several["nunique"] == 1).mean()))


def halo(marks: pd.DataFrame) -> Halo:
    """Spearman's correlations between dimensions over the plain dialogues' means."""
    plain = marks[marks["variant"] == PLAIN]
    table = plain.pivot_table(index="dialogue", columns="dimension", values="value", sort=False)
    if len(table) < 3:
        return Halo(len(table), 0, None, None, "fewer than three dialogues")
    varied = table.loc[:, table.nunique() > 1]
    related = varied.corr(method="spearman", min_periods=3)
    values, names = related.to_numpy(), [str(name) for name in related.columns]
    pairs = [
        (names[i], names[j], float(values[i, j]))
        for i, j in zip(*np.triu_indices(len(names), 1), strict=True)
        if np.isfinite(values[i, j])
    ]
    if not pairs:
        return Halo(len(table), 0, None, None, "fewer than two dimensions vary")
    mean = float(np.mean([value for _, _, value in pairs]))
    return Halo(len(table), len(pairs), mean, max(pairs, key=lambda pair: pair[2]))
