"""Supporters by dimensions in the second of two arms, and how far each is from the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from emoharbor.reports.comparison_sides import UNSCORED, Side, counted, label
from emoharbor.sheets import Cell, Column, Sheet, ranked
from emoharbor.stats.arms import MEAN, Letters, changes, letters, people_of
from emoharbor.stats.pairwise import EXACT

Row = dict[str, Cell | float | int | str]
Cells = Mapping[tuple[str, str], tuple[Cell, Cell]]


def arms_sheet(
    first: Side, second: Side, supporters: Sequence[str], dimensions: Sequence[str]
) -> Sheet:
    """Means, letters and relative changes of supporters whom people met in both arms.

    Dimensions go down and supporters across where there are fewer of these.
    """
    before, after = first.marks(dimensions), second.marks(dimensions)
    after = after[after.index.get_level_values("supporter").isin(supporters)]
    own, mean = letters(after[list(dimensions)]), letters(after[[MEAN]])
    several = len(supporters) > 1
    cells = _cells(before, after, supporters, {**own.of, **mean.of} if several else {})
    kinds, counts = counted([second]), {n: second.counts(n, dimensions) for n in supporters}
    counts = {name: {kind: its[kind] for kind in kinds} for name, its in counts.items()}
    notes = [
        f"Δ: how much more the mean of {second.name} is than that of {first.name}, as a share of "
        "it, over the people with a mark in both",
        f"of the second side, {UNSCORED}",
    ]
    notes += _letter_notes(own, mean, len(supporters), dimensions) if several else []
    whole = [*dimensions, MEAN]
    laid = _dimensions_down if len(supporters) < len(whole) else _supporters_down
    columns, rows = laid(cells, supporters, whole, counts)
    title = f"{second.name} beside {first.name}: means of people's marks"
    return Sheet("arms", title, tuple(columns), tuple(rows), tuple(notes))


def _cells(
    before: pd.DataFrame,
    after: pd.DataFrame,
    supporters: Sequence[str],
    lettered: Mapping[tuple[str, str], str],
) -> Cells:
    found: dict[tuple[str, str], tuple[Cell, Cell]] = {}
    its = {name: changes(people_of(before, name), people_of(after, name)) for name in supporters}
    for key in map(str, after.columns):
        ranks = ranked({name: its[name][key].mean for name in supporters})
        for name in supporters:
            one = its[name][key]
            why = one.why if one.mean is None else ""
            mean = Cell(one.mean, lettered.get((key, name), ""), why, ranks[name])
            found[key, name] = (mean, Cell(one.share, why=one.why))
    return found


def _letter_notes(own: Letters, mean: Letters, many: int, dimensions: Sequence[str]) -> list[str]:
    pairs = f"{many * (many - 1) // 2} pair{'s' * (many > 2)}"
    told = [
        "beside a mean its letters: of two supporters that share none in a dimension the marks "
        "differ at p < 0.05, by Wilcoxon's signed-rank test over the people whom both met (zeros "
        f"by Pratt; exact where {EXACT} or fewer differ, else the normal approximation), corrected "
        "after Benjamini-Hochberg; best bold, second underlined",
        f"one family of tests: {pairs} of supporters x {len(dimensions)} dimensions, "
        + _family(own),
        f"the mean of dimensions is a family of its own: {pairs}, " + _family(mean),
    ]
    unlettered = {**own.unlettered, **mean.unlettered}
    return told + [f"{label(key)} has no letters: {why}" for key, why in unlettered.items()]


def _family(its: Letters) -> str:
    untested = "; ".join(f"{many} x {why}" for why, many in its.untested.items())
    told = f"{its.tested} tested, {its.different} differ"
    lacking = sum(its.untested.values())
    return told + (
        f", {lacking} not testable and taken as no difference ({untested})" * bool(lacking)
    )


def _dimensions_down(
    cells: Cells,
    supporters: Sequence[str],
    dimensions: Sequence[str],
    counts: Mapping[str, Mapping[str, int]],
) -> tuple[list[Column], list[Row]]:
    columns = [Column("dimension", "dimension"), *_pairs_of_columns(supporters, supporters)]
    rows: list[Row] = [
        {"dimension": label(key), **_row(supporters, [cells[key, name] for name in supporters])}
        for key in dimensions
    ]
    rows += [
        {"dimension": kind, **{name: counts[name][kind] for name in supporters}}
        for kind in counts[supporters[0]]
    ]
    return columns, rows


def _supporters_down(
    cells: Cells,
    supporters: Sequence[str],
    dimensions: Sequence[str],
    counts: Mapping[str, Mapping[str, int]],
) -> tuple[list[Column], list[Row]]:
    columns = [Column("supporter", "supporter")]
    columns += _pairs_of_columns(dimensions, [label(key) for key in dimensions])
    columns += [Column(kind, kind) for kind in counts[supporters[0]]]
    rows: list[Row] = [
        {
            "supporter": name,
            **_row(dimensions, [cells[key, name] for key in dimensions]),
            **counts[name],
        }
        for name in supporters
    ]
    return columns, rows


def _pairs_of_columns(keys: Sequence[str], labels: Sequence[str]) -> list[Column]:
    pairs = zip(keys, labels, strict=True)
    return [
        column
        for key, text in pairs
        for column in (
            Column(key, text),
            Column(f"{key}_change", "Δ", digits=1, signed=True, percent=True),
        )
    ]


def _row(keys: Sequence[str], cells: Sequence[tuple[Cell, Cell]]) -> Row:
    found: Row = {}
    for key, (mean, share) in zip(keys, cells, strict=True):
        found |= {key: mean, f"{key}_change": share}
    return found
