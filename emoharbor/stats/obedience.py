"""Whether a control does what it is meant to do: one level against another, person by person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from emoharbor.stats.intervals import Interval, clustered_mean
from emoharbor.stats.pairwise import FEWEST, Pair, corrected, signed_rank

if TYPE_CHECKING:
    import pandas as pd

Found = Literal["as intended", "against", "no clear effect", "side effect", "", "not tested"]
# How a measure is meant to go from one level of a control to another: 1, -1, or 0 for no effect.
Meant = Callable[[str, str, str, str], int]


@dataclass(frozen=True)
class Effect:
    """What changes in `measure` when `control` goes from one level to another.

    `pair.difference` is the mean over `pair.n` people of b - a, all else the same, `low`..`high`
    its 95 % interval (None where there is none). `meant` is 1 or -1 for an effect that the control
    is to have, else 0.
    """

    control: str
    measure: str
    pair: Pair
    low: float | None
    high: float | None
    meant: int

    @property
    def found(self) -> Found:
        """What was meant beside what was measured, by the corrected p."""
        if not self.pair.differs:
            if self.pair.n < FEWEST:
                return "not tested"
            return "no clear effect" if self.meant else ""
        if not self.meant:
            return "side effect"
        assert self.pair.difference is not None
        return "as intended" if self.pair.difference * self.meant > 0 else "against"


def effects(
    dialogues: pd.DataFrame,
    grid: Mapping[str, Sequence[str]],
    measures: Sequence[str],
    meant: Meant,
    *,
    seed: int,
) -> list[Effect]:
    """Every two levels of every control in every measure; all tests are one family.

    `dialogues` has a row a dialogue: a column a control of `grid` with its level, `profile`,
    `repeat`, and a column a measure, NaN where it is undefined. `meant(control, measure, a, b)`
    says what is intended.
    """
    found = [
        _effect(dialogues, grid, control, measure, a, b, meant, seed)
        for control, levels in grid.items()
        for a, b in combinations(levels, 2)
        for measure in measures
    ]
    pairs = corrected(effect.pair for effect in found)
    return [replace(effect, pair=pair) for effect, pair in zip(found, pairs, strict=True)]


def at_level(
    dialogues: pd.DataFrame, control: str, level: str, measure: str, *, seed: int
) -> Interval:
    """The mean of a measure at one level over all dialogues that have it, people drawn."""
    mine = dialogues[dialogues[control] == level]
    return clustered_mean(mine[measure], mine["profile"], seed=seed)


def _effect(
    dialogues: pd.DataFrame,
    grid: Mapping[str, Sequence[str]],
    control: str,
    measure: str,
    a: str,
    b: str,
    meant: Meant,
    seed: int,
) -> Effect:
    others = [other for other in grid if other != control]
    before, after = (
        dialogues[dialogues[control] == level].set_index(["profile", "repeat", *others])[measure]
        for level in (a, b)
    )
    differences: pd.Series[Any] = (after - before).dropna()
    people = differences.groupby(level="profile").mean()
    interval = clustered_mean(people, people.index.to_series(), seed=seed)
    p, why = signed_rank(people.tolist())
    pair = Pair(a, b, len(people), interval.value, p, why=why)
    return Effect(
        control, measure, pair, interval.low, interval.high, meant(control, measure, a, b)
    )
