"""What there is to know of people's and judges' marks: every estimate, on the same draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from emoharbor.ratings import in_order
from emoharbor.stats.agreement import ABSOLUTE, CONSISTENT, Grade, Icc, alpha, centred, grade, icc
from emoharbor.stats.correlation import (
    STATISTICS,
    Array,
    Drawn,
    Statistic,
    ceiling,
    correlation,
    difference,
    mean_of,
    row_means,
    undefined,
)
from emoharbor.stats.intervals import Interval
from emoharbor.stats.panels import Panel, Panels, Who, panels

ORDER = ("standard", "user_aware", "internal_state_aware")
MEAN, MARK = "mean of the correlations", "mean mark"


@dataclass(frozen=True)
class Among:
    """How people agree in one dimension; `ceiling` is that of one person with the others."""

    alpha: Interval
    icc: Icc
    grade: Grade
    ceiling: Mapping[Statistic, Drawn]


@dataclass(frozen=True)
class Study:
    """Panels, and what follows from them; `within_rater` correlates marks centred on each rater."""

    panels: Panels
    within_rater: bool

    @cached_property
    def dimensions(self) -> dict[str, Panel]:
        """The panels by dimension, in the rubric's order."""
        found = {panel.dimension: panel for panel in self.panels.dimensions}
        return {name: found[name] for name in in_order(found)}

    @cached_property
    def judges(self) -> list[Who]:
        """By name, each in the order of its strategies: what knows less first."""
        return sorted(self.panels.judges, key=lambda who: (who[0], _place(who[1]), who[1]))

    @cached_property
    def people(self) -> dict[str, Among]:
        """How people agree, by dimension."""
        return {name: self._among(panel) for name, panel in self.dimensions.items()}

    @cached_property
    def correlations(self) -> dict[tuple[Who, str, Statistic], Drawn]:
        """Of each judge, by dimension; then of their mean and of the mean mark."""
        found = dict[tuple[Who, str, Statistic], Drawn]()
        for who in self.judges:
            for statistic in STATISTICS:
                parts = {
                    n: self._correlation(statistic, who, p) for n, p in self.dimensions.items()
                }
                parts[MEAN] = mean_of(list(parts.values()))
                parts[MARK] = self._mean_mark(statistic, who)
                found |= {(who, name, statistic): drawn for name, drawn in parts.items()}
        return found

    def ceilings(self, statistic: Statistic, who: Who | None = None) -> dict[str, Drawn]:
        """How one person correlates with the others, by dimension; then their mean.

        With `who` this is over the dimensions in which that judge has a correlation.
        """
        found = {name: among.ceiling[statistic] for name, among in self.people.items()}
        mine = [
            drawn
            for name, drawn in found.items()
            if who is None or self.correlations[who, name, statistic].value is not None
        ]
        return {**found, MEAN: mean_of(mine)}

    def compared(self, a: Who, b: Who) -> dict[str, tuple[Drawn, Drawn, Drawn]]:
        """Pearson's r of two strategies on the items that both judged, and b - a."""
        found = {}
        for name, panel in self.dimensions.items():
            both = np.isfinite(panel.judge(a)) & np.isfinite(panel.judge(b))
            one, other = (self._correlation("pearson", who, panel, both) for who in (a, b))
            found[name] = (one, other, difference(one, other))
        known = [pair for pair in found.values() if pair[2].value is not None]
        one, other = (mean_of([pair[place] for pair in known]) for place in (0, 1))
        return {**found, MEAN: (one, other, difference(one, other))}

    def _among(self, panel: Panel) -> Among:
        clusters, drawn = self.panels.clusters, self.panels.drawn
        agreed = alpha(panel.marks, clusters, drawn).interval()
        marks = _own_centred(panel.marks) if self.within_rater else panel.marks
        return Among(
            alpha=agreed,
            icc=icc(panel.marks, CONSISTENT if self.within_rater else ABSOLUTE),
            grade=grade(agreed),
            ceiling={one: ceiling(one, marks, clusters, drawn) for one in STATISTICS},
        )

    def _correlation(
        self, statistic: Statistic, who: Who, panel: Panel, items: Array | None = None
    ) -> Drawn:
        if who not in panel.judges:
            return undefined("the judge has no mark of these items in this dimension")
        judge = panel.judge(who)
        if items is not None:
            judge = np.where(items, judge, np.nan)
        people = panel.people
        if self.within_rater:
            people, judge = centred(panel.marks, judge)
        return correlation(statistic, people, judge, self.panels.clusters, self.panels.drawn)

    def _mean_mark(self, statistic: Statistic, who: Who) -> Drawn:
        mine = [panel for panel in self.dimensions.values() if who in panel.judges]
        if len({panel.scale for panel in mine}) != 1:
            return undefined(
                "no mean mark: the dimensions have different scales, or none is shared"
            )
        pairs = [
            centred(p.marks, p.judge(who)) if self.within_rater else (p.people, p.judge(who))
            for p in mine
        ]
        people, judge = (np.mean([pair[place] for pair in pairs], axis=0) for place in (0, 1))
        people, judge = np.round(people, 9), np.round(judge, 9)
        return correlation(statistic, people, judge, self.panels.clusters, self.panels.drawn)


def study(ratings: pd.DataFrame, *, within_rater: bool, seed: int, draws: int) -> Study:
    """The study of a frame with the columns of emoharbor.ratings. Raises ConfigError."""
    return Study(panels(ratings, seed=seed, draws=draws), within_rater)


def _place(strategy: str) -> int:
    return ORDER.index(strategy) if strategy in ORDER else len(ORDER)


def _own_centred(marks: Array) -> Array:
    return np.round(marks - row_means(marks.T), 9)
