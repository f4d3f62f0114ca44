"""What a table of marks hides: how long dialogues are, how they end, how those in them feel."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from emoharbor.reports.comparison_sides import CELL, UNSCORED, Side, counted
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.stats.intervals import Interval, clustered_mean
from emoharbor.stats.pairwise import FEWEST
from emoharbor.stats.trajectories import trajectories

Row = dict[str, Cell | float | int | str]
Sides = Sequence[tuple[Side, Sequence[str]]]
ENDINGS = {
    "user_satisfied": "satisfied",
    "user_gave_up": "gave up",
    "user_left": "left",
    "max_turns": "at cap",
    "recorded_end": "recording ended",
}
SCALES = {
    "emotion": "depth of a label on the ladder of negative emotion, 0 to 5",
    "appraisal": "intensity, 1 to 5",
}
FEELINGS = (
    Column("supporter", "supporter"),
    Column("side", "side"),
    Column("kind", "states"),
    Column("n", "n"),
    Column("level", "level"),
    Column("slope", "slope", signed=True),
    Column("volatility", "volatility"),
    Column("risen", "risen"),
    Column("recovered", "recovered", digits=0, percent=True),
    Column("when", "in exchange", digits=1),
)
DRAWN = f"intervals of 95 % by drawing people, where there are {FEWEST} or more"
FIGURES = tuple(column.key for column in FEELINGS[4:])


def endings_sheet(sides: Sides, dimensions: Sequence[str], seed: int) -> Sheet:
    """Counts, exchanges and endings by reason of each supporter on each side."""
    reasons = [r for r in ENDINGS if any((s.dialogues["ending"] == r).any() for s, _ in sides)]
    columns = [Column("supporter", "supporter"), Column("side", "side")]
    columns += [Column(key, key) for key in ("dialogues", *counted(s for s, _ in sides))]
    columns += [Column("exchanges", "exchanges", digits=1)]
    columns += [Column(reason, ENDINGS[reason]) for reason in reasons]
    rows = []
    for at in range(len(sides[0][1])):
        for its, names in sides:
            rows.append(_ending(its, names[at], dimensions, reasons, seed))
    notes = (
        "exchanges: mean of the dialogues that did not fail, which the endings count too",
        f"{DRAWN}, seed {seed}",
        UNSCORED,
    )
    return Sheet(
        "endings", "Dialogues: how long, and how they end", tuple(columns), tuple(rows), notes
    )


def _ending(
    its: Side, supporter: str, dimensions: Sequence[str], reasons: Sequence[str], seed: int
) -> Row:
    mine = its.unbroken[its.unbroken["supporter"] == supporter]
    turns = clustered_mean(mine["turns"], mine["profile"], seed=seed)
    return {
        "supporter": supporter,
        "side": its.name,
        **its.counts(supporter, dimensions),
        "exchanges": _mean(turns, 1, "no dialogue that did not fail"),
        **{reason: int((mine["ending"] == reason).sum()) for reason in reasons},
    }


def feelings_sheet(sides: Sides, seed: int) -> Sheet:
    """The course of the inner states of each supporter's dialogues on each side."""
    found = [_courses(its) for its, _ in sides]
    rows: list[Row] = []
    for at in range(len(sides[0][1])):
        for (its, names), courses in zip(sides, found, strict=True):
            mine = courses[courses["supporter"] == names[at]]
            place: Row = {"supporter": names[at], "side": its.name}
            rows += [place | row for row in _feelings(mine, its, seed)]
    kinds = {str(kind) for courses in found for kind in courses["kind"].unique()}
    notes = [f"level of {kind}: {SCALES[kind]}" for kind in SCALES if kind in kinds]
    notes += ["the two scales are not the same"] if len(kinds) > 1 else []
    notes += [
        "n: dialogues that did not fail and whose states have a level; slope: least squares, an "
        "exchange; volatility: mean absolute change from one state to the next",
        "risen: dialogues in which the level rose; recovered: the share of these in which it came "
        "back to where it first rose from, or lower, and the mean exchange in which it did; who "
        "leaves before has not recovered",
        f"{DRAWN}, seed {seed}",
    ]
    title = "How those who seek support feel: a higher level is worse"
    return Sheet("feelings", title, FEELINGS, tuple(rows), tuple(notes))


def _courses(its: Side) -> pd.DataFrame:
    states = its.inner_states
    return trajectories(states if states.empty else states.merge(its.unbroken[CELL], on=CELL))


def _feelings(mine: pd.DataFrame, its: Side, seed: int) -> list[Row]:
    if mine.empty:
        why = f"{its.name}: no inner state with a level was recorded"
        return [{"kind": "none", "n": 0, **dict.fromkeys(FIGURES, Cell(None, why=why))}]
    return [_feeling(str(kind), part, seed) for kind, part in mine.groupby("kind", sort=False)]


def _feeling(kind: str, mine: pd.DataFrame, seed: int) -> Row:
    risen = mine[mine["risen"].notna()]
    back = risen["recovered"].notna().astype(float)

    def mean(values: pd.Series[float], digits: int, why: str) -> Cell:
        return _mean(
            clustered_mean(values, mine.loc[values.index, "profile"], seed=seed), digits, why
        )

    return {
        "kind": kind,
        "n": len(mine),
        "level": mean(mine["level"], 2, ""),
        "slope": mean(mine["slope"], 2, "no dialogue with two states"),
        "volatility": mean(mine["volatility"], 2, "no dialogue with two states"),
        "risen": len(risen),
        "recovered": Cell(float(back.mean())) if len(risen) else Cell(None, why="none has risen"),
        "when": mean(risen["recovered"], 1, "none has recovered"),
    }


def _mean(found: Interval, digits: int, why: str) -> Cell:
    if found.value is None:
        return Cell(None, why=why)
    if found.low is None or found.high is None or found.clusters < FEWEST:
        return Cell(found.value)
    return Cell(found.value, f"[{found.low:.{digits}f}, {found.high:.{digits}f}]")
