"""Sheets on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

import typer
from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from emoharbor.sheets import Column, Format, Sheet

STYLES = {"": "", "best": "bold", "second": "underline"}
# Between two columns, and outside of all of them.
GAP, EDGES = 2, 2
# Words need no more than this beside numbers.
FOLDED = 24


def sheet_view(sheet: Sheet, width: int) -> Iterator[Table | Text]:
    """A sheet, and below it its notes; one that is wider than `width` in blocks of columns."""
    widths = {column.key: _width(sheet, column) for column in sheet.columns}
    yield Text(sheet.title, style="italic")
    for columns in _blocks(sheet, widths, width - EDGES):
        table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
        for column in columns:
            wrapped = wrap(column.label, widths[column.key], break_long_words=False)
            side: Literal["right", "left"] = "right" if sheet.is_number(column) else "left"
            table.add_column(Text("\n".join(wrapped)), justify=side, overflow="fold")
        for row in sheet.rows:
            cells = [(sheet.cell(row, column), column) for column in columns]
            table.add_row(*(Text(sheet.text(c, column), STYLES[c.rank]) for c, column in cells))
        yield table
    yield from (Text(note, style="dim") for note in sheet.footnotes)


def _blocks(sheet: Sheet, widths: Mapping[str, int], width: int) -> list[list[Column]]:
    """Columns that fit beside each other, each time after the words that say what a row is.

    A column `KEY_change` stays beside the one of `KEY` before it.
    """
    first = next((n for n, c in enumerate(sheet.columns) if sheet.is_number(c)), 0)
    words = list(sheet.columns[:first])
    groups: list[list[Column]] = []
    for column in sheet.columns[first:]:
        if groups and column.key == f"{groups[-1][0].key}_change":
            groups[-1].append(column)
        else:
            groups.append([column])
    blocks = [list(words)]
    for group in groups:
        wide = sum(widths[c.key] + GAP for c in (*blocks[-1], *group))
        if wide > width and len(blocks[-1]) > len(words):
            blocks.append(list(words))
        blocks[-1] += group
    return blocks


def _width(sheet: Sheet, column: Column) -> int:
    """The cells a column takes: its longest value and word of its label; words may be folded."""
    label = max(map(cell_len, column.label.split()), default=0)
    texts = (sheet.text(sheet.cell(row, column), column) for row in sheet.rows)
    widest = max(map(cell_len, texts), default=0)
    return max(1, label, widest if sheet.is_number(column) else min(widest, FOLDED))


def emit(console: Console, sheets: Sequence[Sheet], form: Format | None, out: Path | None) -> None:
    """Prints sheets, or writes them where `out` says; see `write_sheets` for its errors."""
    from emoharbor.sheets import text_of, write_sheets
    from emoharbor.sheets.write import Format as Known

    if out is not None:
        for file in write_sheets(sheets, out, form):
            console.print(Text(f"written: {file}"))
    elif form in (None, Known.terminal):
        for number, sheet in enumerate(sheets):
            if number:
                console.print()
            console.print(*sheet_view(sheet, console.width), sep="\n")
    else:
        typer.echo(text_of(sheets, form), nl=False)
