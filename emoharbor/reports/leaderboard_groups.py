"""Who is served badly: supporters' means by group of people."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from emoharbor.errors import ConfigError, nearest
from emoharbor.frames import COLUMNS
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.stats.groups import GroupMean, banded, by_group
from emoharbor.stats.pairwise import FEWEST

FIELDS = tuple(name for name in COLUMNS["people"] if name != "profile")
Row = Mapping[str, Cell | float | int | str]


def checked_field(field: str) -> str:
    """Raises ConfigError for what is no field of people."""
    if field not in FIELDS:
        raise ConfigError(f"--by {field}: people have no such field{nearest(field, FIELDS)}")
    return field


def group_sheet(
    scores: pd.DataFrame, people: pd.DataFrame, field: str, end: str, seed: int
) -> Sheet:
    """A row a supporter and group: its mean, and whether it lies below the mean with everybody."""
    checked_field(field)
    met = people[people["profile"].isin(scores["profile"])]
    groups = banded(met.set_index("profile")[field])
    columns = (
        Column("supporter", "supporter"), Column("group", field), Column("people", "people"),
        Column("mean", "mean"), Column("low", "from"), Column("high", "to"),
        Column("against", "against everybody", signed=True), Column("mark", ""),
    )  # fmt: skip
    found = by_group(scores, groups, seed=seed)
    unknown = scores["profile"].nunique() - len(groups)
    notes = _notes(found, field, seed)
    if unknown:
        notes.append(f"of {unknown} people no {field} is known: they are in no group")
    rows = tuple(_row(one) for one in found)
    return Sheet(f"by-{field}{end}", f"By {field}", columns, rows, tuple(notes))


def _row(one: GroupMean) -> Row:
    its = one.mean
    difference = (
        its.value - one.everybody if its.value is not None and one.everybody is not None else None
    )
    return {
        "supporter": one.supporter,
        "group": one.group,
        "people": one.people,
        "mean": Cell(its.value, why="" if its.value is not None else its.why),
        "low": Cell(its.low, why="" if its.low is not None else its.why),
        "high": Cell(its.high, why="" if its.high is not None else its.why),
        "against": Cell(difference, why="" if difference is not None else its.why or "no mean"),
        "mark": "few" if one.few else "lower" if one.below else "",
    }


def _notes(found: list[GroupMean], field: str, seed: int) -> list[str]:
    if not found:
        return []
    if len({one.group for one in found}) < 2:
        return [f"everybody is of one group of {field}: there is nothing to set beside it"]
    asked = [one for one in found if not one.few]
    low = sorted((one for one in found if one.below), key=lambda one: _gap(one))
    told = ", ".join(f"{one.supporter} with {one.group} ({_gap(one):+.2f})" for one in low)
    chance = f"about {0.025 * len(asked):.1f} would by chance, were nobody served worse"
    notes = [f"intervals: 95 %, by drawing whole people (seed {seed})"]
    if asked:
        notes.append(
            f"lower: the whole interval lies below the supporter's mean with everybody: "
            f"{len(low)} of {len(asked)} ({chance})" + (f": {told}" if told else "")
        )
    if len(asked) < len(found):
        notes.append(f"few: under {FEWEST} people, too few to say anything")
    return notes


def _gap(one: GroupMean) -> float:
    return float(one.mean.value or 0) - float(one.everybody or 0)
