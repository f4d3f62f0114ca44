"""What stands behind the table of correlations: intervals, bias, strategies, repeats."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from emoharbor.frames.labels import label_of
from emoharbor.reports.agreement_study import MARK, MEAN, Study
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.stats.agreement import bias, variance_ratio
from emoharbor.stats.correlation import STATISTICS, Drawn
from emoharbor.stats.intervals import Interval
from emoharbor.stats.panels import Panel, Who
from emoharbor.stats.repeatability import repeatability

Row = dict[str, Cell | float | int | str]
WHO = (Column("judge", "judge"), Column("strategy", "strategy"), Column("dimension", "dimension"))


def told(interval: Interval) -> Cell:
    """A value with its interval, or why there is none."""
    if interval.value is None or interval.low is None or interval.high is None:
        return Cell(interval.value, why=interval.why or "no interval")
    return Cell(interval.value, note=f"[{interval.low:.2f}, {interval.high:.2f}]")


def correlation_sheet(found: Study, notes: Sequence[str]) -> Sheet:
    """All three correlations with their intervals, and the ceiling of Pearson's r."""
    columns = (
        *WHO,
        Column("n", "items"),
        Column("pearson", "Pearson's r"),
        Column("ceiling", "one person with others, r"),
        Column("spearman", "Spearman's ρ"),
        Column("kendall", "Kendall's τ-b"),
    )
    rows = []
    for who in found.judges:
        ceilings = found.ceilings("pearson", who)
        for name in (*found.dimensions, MEAN, MARK):
            its = {one: found.correlations[who, name, one] for one in STATISTICS}
            row = _row(who, name) | {"n": its["pearson"].n}
            row |= {one: told(drawn.interval()) for one, drawn in its.items()}
            if name in ceilings:
                row["ceiling"] = told(ceilings[name].interval())
            rows.append(row)
    mark = f"{MARK}: of each item over the dimensions, where people and judge gave all of them"
    title = "Judges and people: correlations"
    return Sheet("correlations", title, columns, tuple(rows), (*notes, mark))


def bias_sheet(found: Study) -> Sheet:
    """How much higher a judge marks, and how much of the scale it uses."""
    columns = (
        *WHO,
        Column("n", "items"),
        Column("people", "people"),
        Column("judge_mean", "judge's mean"),
        Column("bias", "judge - people", signed=True),
        Column("ratio", "variance ratio"),
    )
    rows = [
        _bias_row(found, who, name, panel)
        for who in found.judges
        for name, panel in found.dimensions.items()
    ]
    notes = [
        "variance ratio: of the judge's single marks over those of people, same items; under 1 "
        "the judge uses less of the scale",
        *(f"judges' marks from {one} of people's scale" for one in found.panels.moved),
    ]
    return Sheet("bias", "Judges and people: bias and spread", columns, tuple(rows), tuple(notes))


def _bias_row(found: Study, who: Who, name: str, panel: Panel) -> Row:
    people, judge = panel.people, panel.judge(who)
    drawn = bias(people, judge, found.panels.clusters, found.panels.drawn)
    both = np.isfinite(people) & np.isfinite(judge)
    row = _row(who, name) | {"n": drawn.n, "bias": told(drawn.interval())}
    for key, marks in (("people", people), ("judge_mean", judge)):
        row[key] = Cell(float(marks[both].mean())) if both.any() else Cell(None, why=drawn.why)
    ratio = variance_ratio(panel.marks, panel.judges.get(who, judge[:, None]))
    why = "no variance ratio: fewer than two items, or all marks are the same"
    row["ratio"] = Cell(ratio, why=why if ratio is None else "")
    return row


def strategy_sheet(found: Study) -> Sheet | None:
    """Every two strategies of a judge on the items that both judged; None where there is one."""
    columns = (
        Column("judge", "judge"),
        Column("first", "strategy"),
        Column("second", "against"),
        Column("dimension", "dimension"),
        Column("n", "items"),
        Column("a", "r"),
        Column("b", "r of the other"),
        Column("difference", "difference", signed=True),
    )
    rows = []
    for a, b in combinations(found.judges, 2):
        if a[0] != b[0]:
            continue
        # What knows more of the user comes first, so that a gain is a plus.
        for name, (less, more, apart) in found.compared(a, b).items():
            row: Row = {"judge": a[0], "first": b[1], "second": a[1], "dimension": _label(name)}
            row |= {"n": apart.n, "a": _plain(more), "b": _plain(less)}
            rows.append(row | {"difference": told(apart.interval())})
    if not rows:
        return None
    note = (
        "difference of the two correlations on the same draws of people; an interval without 0 "
        "speaks for a difference, of many rows one in twenty does by chance: look at the mean"
    )
    title = "Strategies compared: Pearson's r with people"
    return Sheet("strategies", title, columns, tuple(rows), (note,))


def repeatability_sheet(found: Study) -> Sheet | None:
    """What a judge says when asked again; None where no judge was."""
    columns = (
        *WHO,
        Column("n", "items"),
        Column("repeats", "repeats"),
        Column("sd", "SD within item"),
        Column("icc", "ICC(1,1)"),
        Column("equal", "equal marks", digits=0, percent=True),
    )
    rows = []
    for who in found.judges:
        for name, panel in found.dimensions.items():
            marks = panel.judges.get(who)
            if marks is None or marks.shape[1] < 2:
                continue
            its = repeatability(marks)
            row = _row(who, name) | {"n": its.items, "repeats": its.repeats}
            row |= {"sd": Cell(its.sd, why=its.why), "equal": Cell(its.equal, why=its.why)}
            rows.append(row | {"icc": told(its.icc)})
    if not rows:
        return None
    note = (
        "SD in points of the scale; ICC one-way random, of one judgment; equal: pairs of repeats "
        "with the same mark"
    )
    return Sheet("repeats", "Judges asked again", columns, tuple(rows), (note,))


def _row(who: Who, name: str) -> Row:
    return {"judge": who[0], "strategy": who[1], "dimension": _label(name)}


def _label(name: str) -> str:
    return name if name in (MEAN, MARK) else label_of(name).short


def _plain(drawn: Drawn) -> Cell:
    return Cell(drawn.value, why=drawn.why if drawn.value is None else "")
