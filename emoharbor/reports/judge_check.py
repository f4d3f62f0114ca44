"""A judge's check as tables: what moved its marks, how steady it is, how much it sees as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.state.answer import AnswerRecord
from emoharbor.stats.intervals import Interval
from emoharbor.stats.judge_check import SMALL, Shift, halo, shifts, steadiness
from emoharbor.stats.pairwise import FEWEST

COLUMNS = (
    Column("says", "what was changed"),
    Column("dialogues", "dialogues"),
    Column("shift", "shift of the mean", signed=True),
    Column("changed", "marks changed", digits=0, percent=True),
    Column("unscored", "unscored"),
    Column("wanted", "wanted"),
    Column("word", "found"),
)
FACTS = (Column("fact", "over the dialogues as they are"), Column("value", "value"))


def marks_frame(answers: Sequence[AnswerRecord]) -> pd.DataFrame:
    """A row a mark: variant, dialogue, profile, sample, dimension, value."""
    rows = [
        {**record.about, "dimension": key, "value": mark.get("value")}
        for record in answers
        if record.answer is not None
        for key, mark in record.answer["scores"].items()
    ]
    columns = ["variant", "dialogue", "profile", "sample", "dimension", "value"]
    return pd.DataFrame(rows, columns=columns).astype({"value": float})


def check_sheets(
    answers: Sequence[AnswerRecord],
    failed: int,
    left: int,
    variants: Mapping[str, tuple[str, str]],
    judge: str,
    seed: int,
) -> list[Sheet]:
    """Two tables; `variants` has what each key says and what is expected of it, same or lower."""
    marks = marks_frame(answers)
    notes = [
        f"judge: {judge}; {len(answers)} verdicts, {failed} failed, {left} still to ask",
        "shift: mean of (changed - as it is) over dialogues and dimensions, on the scale of 1 to "
        f"5; interval of 95 % by drawing people, seed {seed}",
        f"same: the interval lies within {SMALL} of no shift; open: it is too wide to tell; "
        "changed: the share of marks that moved by half a level or more",
    ]
    found = shifts(marks, seed=seed)
    rows = [_row(one, *variants[one.variant]) for one in found]
    asked = {one.variant for one in found}
    notes += [f"not asked: {says}" for key, (says, _) in variants.items() if key not in asked]
    return [
        Sheet("judge-check", "Does anything move this judge?", COLUMNS, tuple(rows), tuple(notes)),
        Sheet("judge", "The judge as it is", FACTS, tuple(_facts(marks))),
    ]


def _row(one: Shift, says: str, expected: str) -> dict[str, Cell | float | int | str]:
    shift = one.shift
    spread = "" if shift.low is None else f"[{shift.low:+.2f}, {shift.high:+.2f}]"
    why = shift.why if shift.value is None or not spread else ""
    return {
        "says": says,
        "dialogues": one.dialogues,
        "shift": Cell(shift.value, note=spread, why=why),
        "changed": Cell(
            one.changed, why="" if one.changed is not None else "no mark on both sides"
        ),
        "unscored": one.unscored,
        "wanted": {"same": "no shift", "lower": "a drop"}[expected],
        "word": word(shift, expected),
    }


def word(shift: Interval, expected: str) -> str:
    """What the interval says: same, higher, lower, or open where it does not tell.

    Under FEWEST people it says nothing: of two people every other interval misses.
    """
    if shift.low is None or shift.high is None:
        return "undefined"
    if shift.clusters < FEWEST:
        return f"under {FEWEST} people"
    if expected == "lower":
        return "drops" if shift.high < 0 else "does not drop" if shift.low >= -SMALL else "open"
    if -SMALL <= shift.low and shift.high <= SMALL:
        return "same"
    return "rises" if shift.low > 0 else "drops" if shift.high < 0 else "open"


def _facts(marks: pd.DataFrame) -> list[dict[str, Cell | float | int | str]]:
    steady, together = steadiness(marks), halo(marks)
    spread = Cell(steady.sd, why=steady.why)
    mean = Cell(together.mean, note=f"({together.pairs} pairs)", why=together.why)
    rows: list[dict[str, Cell | float | int | str]] = [
        {"fact": f"SD of a mark asked again ({steady.places} marks)", "value": spread},
        {
            "fact": "share of marks that were the same each time",
            "value": Cell(steady.equal, why=steady.why),
        },
        {
            "fact": f"correlation between dimensions (Spearman, {together.dialogues} dialogues)",
            "value": mean,
        },
    ]
    if together.highest:
        a, b, value = together.highest
        rows.append({"fact": f"the highest of them: {a} and {b}", "value": value})
    return rows
