"""Sheets on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from emoharbor.sheets import Format, Sheet

STYLES = {"": "", "best": "bold", "second": "underline"}


def sheet_view(sheet: Sheet) -> Iterator[Table | Text]:
    """A sheet, and below it its notes."""
    table = Table(title=Text(sheet.title), title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    for column in sheet.columns:
        number = sheet.is_number(column)
        table.add_column(Text(column.label), justify="right" if number else "left", overflow="fold")
    for row in sheet.rows:
        cells = [(sheet.cell(row, column), column) for column in sheet.columns]
        table.add_row(*(Text(sheet.text(c, column), STYLES[c.rank]) for c, column in cells))
    yield table
    yield from (Text(note, style="dim") for note in sheet.footnotes)


def emit(console: Console, sheets: Sequence[Sheet], form: Format | None, out: Path | None) -> None:
    """Prints sheets, or writes them where `out` says; see `write_sheets` for its errors."""
    from emoharbor.sheets import text_of, write_sheets
    from emoharbor.sheets.write import Format as Known

    if out is not None:
        for file in write_sheets(sheets, out, form):
            console.print(Text(f"written: {file}"))
    elif form in (None, Known.terminal):
        for sheet in sheets:
            console.print(*sheet_view(sheet), sep="\n")
    else:
        typer.echo(text_of(sheets, form), nl=False)
