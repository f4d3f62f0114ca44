"""Marks by exchange, of judged prefixes (Figures 7, 9 and 10)."""

from __future__ import annotations

import pandas as pd

from emoharbor.frames.judgings import prefix_judging
from emoharbor.frames.labels import label_of
from emoharbor.reports.turns_cells import Row, between, point_cell
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.stats.pairwise import FEWEST
from emoharbor.stats.turns import by_turn, prefix_marks, trend

MISSING = (
    "no prefix of a dialogue has been judged: emoharbor judge RUN --model MODEL --every 3 has "
    "what was said up to exchange 3, 6, 9 … judged"
)


def marks_sheet(
    scores: pd.DataFrame, dialogues: pd.DataFrame, judging: str | None, seed: int
) -> Sheet:
    """A row a supporter and dimension: the mean mark by exchange and the trend within dialogues.

    Raises ConfigError where `judging` is none that has prefixes, or several have and none is named.
    """
    name, title = prefix_judging(scores, judging), "Marks by exchange"
    if name is None:
        return Sheet("dimensions-by-turn", title, (Column("system", "supporter"),), (), (MISSING,))
    marks = prefix_marks(scores[scores["judging"] == name], dialogues)
    turns = sorted(int(turn) for turn in marks["turn"].unique())
    columns = (
        Column("system", "supporter"), Column("dimension", "dimension"),
        *(Column(f"t{turn}", f"after {turn}") for turn in turns),
        Column("trend", "change an exchange", 3, signed=True), Column("unscored", "unscored"),
    )  # fmt: skip
    rows: list[Row] = []
    for system, its in marks.groupby("system", sort=False):
        there = its.drop_duplicates(["run", "supporter", "profile", "repeat", "turn"])["turn"]
        counted = there.value_counts()
        rows.append(
            {
                "system": str(system),
                "dimension": "dialogues",
                **{f"t{turn}": int(counted.get(turn, 0)) for turn in turns},
            }
        )
        groups = its.groupby("dimension", sort=False)
        rows += [_row(str(system), str(key), one, turns, seed) for key, one in groups]
    return Sheet("dimensions-by-turn", title, columns, tuple(rows), _notes(name, seed))


def _row(system: str, dimension: str, its: pd.DataFrame, turns: list[int], seed: int) -> Row:
    points = {point.turn: point for point in by_turn(its, seed=seed)}
    slope = trend(its, seed=seed)
    asked = set(its["turn"])
    return {
        "system": system,
        "dimension": label_of(dimension).short,
        **{
            f"t{t}": point_cell(points.get(t), "no dialogue has a mark there")
            for t in turns
            if t in asked
        },
        "trend": Cell(slope.value, between(slope.low, slope.high, "+.3f"), slope.why),
        "unscored": int(its["value"].isna().sum()),
    }


def _notes(name: str, seed: int) -> tuple[str, ...]:
    return (
        f"judged by {name}, what was said up to the exchange alone; repeats of the judge averaged",
        "means are over the dialogues that got so far: who leaves early is in the first ones only",
        "change an exchange: within the same dialogues (a line with its own height for each), so "
        "that it does not rise because low ones leave; long dialogues weigh more in it",
        f"intervals of 95 % by drawing people, seed {seed}; none under {FEWEST} people",
    )
