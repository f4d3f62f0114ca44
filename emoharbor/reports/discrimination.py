"""Does the benchmark tell supporters apart: Appendix E as printed, and standard statistics beside.

The ratings are those of EmoHarbor's equation 7: one for each person and supporter, the mean of
all dimensions over repeats. A person and supporter of whom a dimension has no mark have none.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.frames import Frames
from emoharbor.reports.discrimination_measures import measure_rows, printed_notes
from emoharbor.reports.discrimination_more import (
    dimension_sheet,
    missing_sheet,
    power_sheet,
    stability_sheet,
)
from emoharbor.reports.settings import Measured, measured, told_apart
from emoharbor.sheets import Column, Sheet
from emoharbor.stats.arms import MEAN, marks_of, with_mean
from emoharbor.stats.discrimination import SHUFFLES
from emoharbor.stats.pairwise import FEWEST

STEADY = 20


@dataclass(frozen=True)
class Ratings:
    """Tables of people down and supporters across, by dimension and for the mean of them all.

    `left_out` supporters have no rating at all.
    """

    tables: dict[str, pd.DataFrame]
    left_out: tuple[str, ...]

    @property
    def mean(self) -> pd.DataFrame:
        """The table of the mean of dimensions."""
        return self.tables[MEAN]


def discrimination(
    frames: Frames, *, judging: str | None = None, reference: bool = False, seed: int = 0
) -> list[Sheet]:
    """How well supporters are told apart, by dimension too; power, stability, and what is missing.

    Raises ConfigError when marks differ in suite, language, rubric, strategy or judge, when there
    are none, and where the extra `stats` is not installed.
    """
    settings = measured(frames, judging)
    if len(settings) > 1:
        raise ConfigError(f"{told_apart(settings)}: name runs that were measured alike")
    (found,) = settings
    ratings = ratings_of(found)
    table = ratings.mean
    sheets = [
        _measures(found, ratings, reference, seed),
        dimension_sheet({k: t for k, t in ratings.tables.items() if k != MEAN}),
        power_sheet(table),
        stability_sheet(table, seed),
    ]
    missing = missing_sheet(found, table)
    return [*sheets, missing] if missing else sheets


def ratings_of(found: Measured) -> Ratings:
    """The ratings of one setting; everybody whom a dialogue was planned with has a row."""
    marks = with_mean(marks_of(found.scores))
    people = found.dialogues["profile"].unique()
    tables = {
        str(name): marks[name].unstack("supporter").reindex(people, columns=found.supporters)
        for name in marks
    }
    empty = [name for name in found.supporters if tables[MEAN][name].isna().all()]
    kept = {
        name: table.drop(columns=[one for one in table if table[one].isna().all()])
        for name, table in tables.items()
    }
    return Ratings(kept, tuple(empty))


def _measures(found: Measured, ratings: Ratings, reference: bool, seed: int) -> Sheet:
    columns = (
        Column("measure", "measure"), Column("kind", "as"), Column("value", "value", 3),
        Column("test", "test"), Column("people", "people"),
        *((Column("published", "published", 3),) if reference else ()),
    )  # fmt: skip
    people = len(ratings.mean.dropna(how="all"))
    notes = (
        *_warnings(people, ratings.left_out),
        *found.notes,
        *printed_notes(ratings.mean, reference),
        f"shuffled: {SHUFFLES:,} times within each person (seed {seed})",
    )
    rows = tuple(measure_rows(ratings.mean, reference=reference, seed=seed))
    return Sheet("discrimination", f"Discrimination: {found.setting}", columns, rows, notes)


def _warnings(people: int, left_out: tuple[str, ...]) -> list[str]:
    found = []
    if people < FEWEST:
        found.append(f"warning: {people} people: under {FEWEST} nothing is tested")
    elif people < STEADY:
        found.append(f"warning: {people} people: under {STEADY} these figures are unsteady")
    if left_out:
        found.append(f"left out, without a single whole rating: {', '.join(left_out)}")
    return found
