"""Paired differences of two sides, and what is left of them at the same length of dialogues."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from emoharbor.reports.comparison_sides import Side, label
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.stats.arms import MEAN, people_of
from emoharbor.stats.length import Adjusted, adjusted
from emoharbor.stats.paired import PairedDifference, paired
from emoharbor.stats.pairwise import EXACT

Row = dict[str, Cell | float | int | str]
Pairs = Mapping[str, str]
P = (
    "p: Wilcoxon's signed-rank test over people (zeros by Pratt; exact where "
    f"{EXACT} or fewer differ, else the normal approximation)"
)
ALONE = "fewer than two people: no interval"
DIFFERENCES = (
    Column("supporter", "supporter"),
    Column("dimension", "dimension"),
    Column("n", "n"),
    Column("unscored", "lack"),
    Column("first", "first"),
    Column("second", "second"),
    Column("difference", "diff.", signed=True),
    Column("low", "low", signed=True),
    Column("high", "high", signed=True),
    Column("higher", "+"),
    Column("same", "="),
    Column("lower", "-"),
    Column("p", "p", digits=4),
    Column("q", "q", digits=4),
)
LENGTHS = (
    Column("supporter", "supporter"),
    Column("n", "n"),
    Column("first", "exchanges first", digits=1),
    Column("second", "second", digits=1),
    Column("difference", "difference", signed=True),
    Column("adjusted", "at same length", signed=True),
    Column("low", "low", signed=True),
    Column("high", "high", signed=True),
    Column("p", "p", digits=4),
    Column("slope", "an exchange more", digits=3, signed=True),
)


def named(a: str, b: str) -> str:
    """Two supporters that are compared; one name where it is the same."""
    return a if a == b else f"{a} -> {b}"


def differences_sheet(first: Side, second: Side, pairs: Pairs, dimensions: Sequence[str]) -> Sheet:
    """Second - first by supporter and dimension, over the people who met both."""
    before, after = first.marks(dimensions), second.marks(dimensions)
    own = paired(before[list(dimensions)], after[list(dimensions)], pairs)
    mean = paired(before[[MEAN]], after[[MEAN]], pairs)
    by_name = {a: [d for d in (*own, *mean) if d.pair.a == a] for a in pairs}
    told = [
        "n: people with a mark on both sides, lack: people judged on both who lack one; "
        "low, high: 95 %, Student's t over people",
        f"{P}; q: corrected after Benjamini-Hochberg over one family of the "
        f"{_tested(own)} tests of {len(pairs)} supporters x {len(dimensions)} dimensions, of the "
        f"mean of dimensions over its own {_tested(mean)}",
    ]
    rows = tuple(_difference(one) for name in pairs for one in by_name[name])
    title = f"Paired differences: {second.name} - {first.name}"
    return Sheet("differences", title, DIFFERENCES, rows, tuple(told))


def _tested(found: Sequence[PairedDifference]) -> int:
    return sum(one.pair.p is not None for one in found)


def _difference(one: PairedDifference) -> Row:
    pair, nobody = one.pair, "nobody has a mark on both sides"
    why = nobody if pair.n == 0 else ALONE
    return {
        "supporter": named(pair.a, pair.b),
        "dimension": label(one.dimension),
        "n": pair.n,
        "unscored": one.unscored,
        "first": _cell(one.before, nobody),
        "second": _cell(one.after, nobody),
        "difference": _cell(pair.difference, nobody),
        "low": _cell(one.low, why),
        "high": _cell(one.high, why),
        "higher": one.higher,
        "same": one.same,
        "lower": one.lower,
        "p": _cell(pair.p, pair.why),
        "q": _cell(pair.q, pair.why),
    }


def _cell(value: float | None, why: str) -> Cell:
    return Cell(value, why="" if value is not None else why)


def length_sheet(first: Side, second: Side, pairs: Pairs, dimensions: Sequence[str]) -> Sheet:
    """The difference of the mean of dimensions, as it is and at the same number of exchanges."""
    people = pd.concat(_met(first, second, pairs, dimensions), ignore_index=True)
    found = {named(a, b): adjusted(people[people["supporter"] == a]) for a, b in pairs.items()}
    if len(pairs) > 1:
        found["all"] = adjusted(people)
    notes = (
        "at same length: the arm's coefficient in: mean of dimensions ~ arm + exchanges, by least "
        "squares over people (two rows each), in 'all' with a constant a supporter; interval of "
        "95 % and p by standard errors clustered on people, not corrected",
        "how long a dialogue lasts is itself an outcome: this says what is left of the difference "
        "at equal length, not what length causes; where the two hardly overlap in length it "
        "reaches beyond what was seen",
    )
    rows = tuple(_length(name, one) for name, one in found.items())
    return Sheet("length", "Differences at the same length of dialogues", LENGTHS, rows, notes)


def _met(
    first: Side, second: Side, pairs: Pairs, dimensions: Sequence[str]
) -> Iterator[pd.DataFrame]:
    """For each pair of supporters a row a person: mark and exchanges in both arms."""
    sides = {"first": first, "second": second}
    marks = {name: side.marks(dimensions) for name, side in sides.items()}
    turns = {name: side.judged_turns for name, side in sides.items()}
    for a, b in pairs.items():
        columns: dict[str, pd.Series[float]] = {}
        for name, supporter in (("first", a), ("second", b)):
            columns[f"{name}_mark"] = people_of(marks[name], supporter)[MEAN]
            columns[f"{name}_turns"] = people_of(turns[name], supporter)["turns"]
        frame = pd.concat(columns, axis=1, join="inner").rename_axis("profile").reset_index()
        yield frame.assign(supporter=a)


def _length(name: str, one: Adjusted) -> Row:
    before, after = one.lengths or (None, None)
    return {
        "supporter": name,
        "n": one.n,
        "first": _cell(before, one.why),
        "second": _cell(after, one.why),
        "difference": _cell(one.difference, one.why),
        **{
            key: _cell(getattr(one, key), one.why)
            for key in ("adjusted", "low", "high", "p", "slope")
        },
    }
