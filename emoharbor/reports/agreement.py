"""Agreement between people and judges as tables; whether people agree stands first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.frames.labels import label_of
from emoharbor.reports import agreement_words as words
from emoharbor.reports.agreement_details import (
    bias_sheet,
    correlation_sheet,
    repeatability_sheet,
    strategy_sheet,
    told,
)
from emoharbor.reports.agreement_published import table1
from emoharbor.reports.agreement_study import MEAN, Study, study
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.stats.agreement import TENTATIVE
from emoharbor.stats.correlation import STATISTICS, Drawn
from emoharbor.stats.intervals import DRAWS

MARKED = "†"
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ-b"}
FEWEST_DRAWS = 100
Row = Mapping[str, Cell | float | int | str]


def agreement_sheets(
    ratings: pd.DataFrame,
    *,
    within_rater: bool = False,
    seed: int = 0,
    draws: int = DRAWS,
    reference: bool = False,
    notes: Sequence[str] = (),
) -> list[Sheet]:
    """Tables of a frame with the columns of emoharbor.ratings, of people's and judges' marks.

    How people agree; then, where judges are there, Pearson's r as in the paper's Table 1, all
    correlations with intervals, bias and spread, strategies compared, and repeats. `reference`
    puts the published Table 1 beside. `notes` are told under the first table. Raises ConfigError
    without a mark of a person, on mixed scales, and for fewer than 100 draws.
    """
    if draws < FEWEST_DRAWS:
        raise ConfigError(f"--draws {draws}: {FEWEST_DRAWS} or more give an interval")
    found = study(ratings, within_rater=within_rater, seed=seed, draws=draws)
    said = words.headline(found)
    whole = [
        words.raters(ratings),
        *notes,
        *words.missing(ratings),
        *words.apart(ratings),
        *words.how(found, seed, draws),
    ]
    sheets = [_people_sheet(found, ratings, [*said, *whole])]
    if found.judges:
        first = [*said, *words.how(found, seed, draws)]
        sheets += _pearson_sheets(found, reference, said)
        sheets += [correlation_sheet(found, first), bias_sheet(found)]
        sheets += [sheet for sheet in (strategy_sheet(found), repeatability_sheet(found)) if sheet]
    elif reference:
        sheets.append(_published_sheet())
    return sheets


def _people_sheet(found: Study, ratings: pd.DataFrame, notes: list[str]) -> Sheet:
    people = ratings[ratings["rater_kind"] != "judge"]
    number = "3" if found.within_rater else "2"
    columns = (
        Column("dimension", "dimension"),
        Column("items", "items"),
        Column("raters", "raters"),
        Column("marks", "marks"),
        Column("missing", "missing"),
        Column("alpha", "α ordinal", signed=True),
        Column("grade", "people's agreement"),
        Column("single", f"ICC({number},1)", signed=True),
        Column("mean", f"ICC({number},k)", signed=True),
        *(Column(one, f"one with others {SYMBOLS[one]}", signed=True) for one in STATISTICS),
    )
    rows = []
    for name, among in found.people.items():
        marks = people[people["dimension"] == name]
        given = marks[marks["score"].notna()]
        row: dict[str, Cell | float | int | str] = {
            "dimension": label_of(name).short,
            "items": int(given["item_id"].nunique()),
            "raters": len(given[["rater_kind", "rater_id"]].drop_duplicates()),
            "marks": len(given),
            "missing": len(marks) - len(given),
            "alpha": told(among.alpha),
            "grade": words.GRADES[among.grade],
            "single": told(among.icc.single),
            "mean": told(among.icc.mean),
        }
        rows.append(row | {one: told(among.ceiling[one].interval()) for one in STATISTICS})
    title = f"Agreement between people: {words.verdict(found)}"
    return Sheet("people", title, columns, tuple(rows), (*notes, *_defined(found.within_rater)))


def _defined(within_rater: bool) -> tuple[str, ...]:
    kind = "two-way mixed, consistency" if within_rater else "two-way random, absolute agreement"
    return (
        f"α: Krippendorff's, ordinal; from 0.8 up reliable, from {TENTATIVE} up tentative",
        f"ICC: {kind}, of one mark (1) and of the raters' mean (k), over items that all raters "
        "marked; intervals by the F distribution",
        "one with others: the ceiling, how one person's marks correlate with the mean of the "
        "others', a mean over people; a judge is held against the mean of all, which is easier",
    )


def _pearson_sheets(found: Study, reference: bool, said: list[str]) -> list[Sheet]:
    """Table 1, with the ceiling first; the published one in it where all its dimensions are."""
    values = {
        ("people", "one with others"): found.ceilings("pearson"),
        **{
            who: {n: found.correlations[who, n, "pearson"] for n in (*found.dimensions, MEAN)}
            for who in found.judges
        },
    }
    rows: list[Row] = [_row(*who, its) for who, its in values.items()]
    notes = [*said, "mean: of the correlations that there are, each dimension counting alike"]
    weak = [name for name, among in found.people.items() if among.grade == "none"]
    if weak:
        notes.insert(len(said), f"{MARKED} people do not agree on this dimension")
    shown = set(found.dimensions) >= set(next(iter(table1().rows.values())))
    if reference and shown:
        published = _published_sheet()
        rows += published.rows
        notes += published.notes
    columns = _wide_columns(found, weak)
    title = "Judges and people: Pearson's r with people's mean mark of each item"
    if found.within_rater:
        title += ", within raters"
    sheet = Sheet("pearson", title, columns, tuple(rows), tuple(notes))
    return [sheet] + ([_published_sheet()] if reference and not shown else [])


def _row(judge: str, strategy: str, values: dict[str, Drawn]) -> Row:
    cells: dict[str, Cell | float | int | str] = {
        name: Cell(one.value, why=one.why if one.value is None else "")
        for name, one in values.items()
    }
    return {"judge": judge, "strategy": strategy, **cells}


def _wide_columns(found: Study, weak: Sequence[str]) -> tuple[Column, ...]:
    return (
        Column("judge", "judge"),
        Column("strategy", "strategy"),
        *(
            Column(name, label_of(name).short + (f" {MARKED}" if name in weak else ""))
            for name in found.dimensions
        ),
        Column(MEAN, "mean"),
    )


def _published_sheet() -> Sheet:
    published = table1()
    names = list(next(iter(published.rows.values())))
    rows: tuple[Row, ...] = tuple(
        {
            "judge": f"{judge} (published)",
            "strategy": strategy,
            **marks,
            MEAN: sum(marks.values()) / len(marks),
        }
        for (judge, strategy), marks in published.rows.items()
    )
    columns = (
        Column("judge", "judge"),
        Column("strategy", "strategy"),
        *(Column(name, label_of(name).short) for name in names),
        Column(MEAN, "mean"),
    )
    note = (
        f"published: {published.source}; other dialogues and people: 183 dialogues, each marked "
        "by the one person who had it; how far people agree was not reported"
    )
    return Sheet("published", "Published: Pearson's r with people", columns, rows, (note,))
