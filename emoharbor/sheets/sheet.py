"""A table that is told in several ways: on a terminal, and as CSV, Markdown, LaTeX or HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Literal

Value = float | int | str | None
Rank = Literal["", "best", "second"]
UNDEFINED = "–"


@dataclass(frozen=True)
class Cell:
    """One value, what stands behind it (an interval, letters), and why there is none.

    `value` None is undefined, and then `why` is told below the table. `rank` is shown in bold for
    the best of its column or row and underlined for the second.
    """

    value: Value
    note: str = ""
    why: str = ""
    rank: Rank = ""

    def __post_init__(self) -> None:
        if isinstance(self.value, float) and not math.isfinite(self.value):
            raise ValueError(f"a cell holds {self.value}: an undefined value is None, with a why")
        if self.value is None and not self.why:
            raise ValueError("an undefined cell says why")


@dataclass(frozen=True)
class Column:
    """A column by its key. `digits` are those of floats; `signed` shows a plus too."""

    key: str
    label: str
    digits: int = 2
    signed: bool = False
    percent: bool = False


@dataclass(frozen=True)
class Sheet:
    """A titled table. Rows hold a Cell or a plain value by the column's key; one left out is empty.

    `name` is its file's, of letters, digits and hyphens. `notes` stand below the table.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Mapping[str, Cell | float | int | str], ...]
    notes: tuple[str, ...] = ()

    def cell(self, row: Mapping[str, Cell | float | int | str], column: Column) -> Cell:
        """What stands in a row under a column."""
        found = row.get(column.key, "")
        return found if isinstance(found, Cell) else Cell(found)

    @cached_property
    def whys(self) -> list[str]:
        """Why cells are undefined, each once, in the order of the rows."""
        cells = (self.cell(row, column) for row in self.rows for column in self.columns)
        return list(dict.fromkeys(cell.why for cell in cells if cell.why))

    @property
    def footnotes(self) -> Iterator[str]:
        """The lines below the table: why something is undefined, by number, then the notes."""
        yield from (f"[{number}] {why}" for number, why in enumerate(self.whys, 1))
        yield from self.notes

    def text(self, cell: Cell, column: Column) -> str:
        """A cell in words, without its rank; one with a `why` refers to the footnote."""
        told = UNDEFINED if cell.value is None else _shown(cell.value, column)
        told += f" {cell.note}" if cell.note else ""
        return f"{told} [{self.whys.index(cell.why) + 1}]" if cell.why else told

    def is_number(self, column: Column) -> bool:
        """Whether a column holds numbers, which stand on the right."""
        values = [self.cell(row, column).value for row in self.rows]
        known = [value for value in values if value not in (None, "")]
        return all(not isinstance(value, str) for value in known)


def ranked(values: Mapping[str, float | None], digits: int = 2) -> dict[str, Rank]:
    """Who is best and who is second among `values`, as they are shown: equals share a rank.

    A higher value is better. With fewer than two values nobody is ranked.
    """
    known = {k: round(v, digits) for k, v in values.items() if v is not None}
    places = sorted(set(known.values()), reverse=True)
    ranks: tuple[Rank, ...] = ("best", "second")
    if len(known) < 2 or len(places) < 2:
        return dict.fromkeys(values, "")
    found = dict(zip(places, ranks, strict=False))
    return {k: found.get(known[k], "") if k in known else "" for k in values}


def _shown(value: float | int | str, column: Column) -> str:
    if isinstance(value, str):
        return value
    sign = "+" if column.signed else ""
    if isinstance(value, Integral) and not column.percent:
        return f"{value:{sign},}"
    if column.percent:
        return f"{100 * value:{sign}z.{column.digits}f} %"
    return f"{value:{sign}z.{column.digits}f}"
