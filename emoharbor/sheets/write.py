"""Sheets into files: one file for what holds several, else a file a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

from emoharbor.errors import ConfigError
from emoharbor.sheets.formats import to_csv, to_html, to_latex, to_markdown
from emoharbor.sheets.sheet import Sheet


class Format(StrEnum):
    """How tables are told."""

    terminal = "terminal"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"
    html = "html"


ENDS = {Format.csv: ".csv", Format.markdown: ".md", Format.latex: ".tex", Format.html: ".html"}


def text_of(sheets: Sequence[Sheet], form: Format) -> str:
    """All sheets as one text. A CSV of several has each under its title."""
    if form is Format.html:
        return to_html(sheets)
    told = {Format.csv: to_csv, Format.markdown: to_markdown, Format.latex: to_latex}[form]
    if form is Format.csv and len(sheets) > 1:
        return "\n".join(f"# {sheet.title}\n{told(sheet)}" for sheet in sheets)
    return "\n".join(map(told, sheets))


def write_sheets(sheets: Sequence[Sheet], out: Path, form: Format | None) -> list[Path]:
    """Writes `sheets` to the file `out`, whose ending says how; or into a folder, a file a sheet.

    Raises ConfigError for an ending that is none of ENDS, a format that contradicts it, several
    sheets for one CSV file, and what cannot be written.
    """
    found = next((f for f, end in ENDS.items() if out.suffix == end), None)
    if out.suffix and found is None and not out.is_dir():
        raise ConfigError(f"-o {out}: a folder, or a name in {', '.join(ENDS.values())} is wanted")
    if found and form not in (None, Format.terminal, found):
        raise ConfigError(f"-o {out}: its ending says {found.value}, --format {form.value}")
    if found is Format.csv and len(sheets) > 1:
        names = ", ".join(sheet.name for sheet in sheets)
        raise ConfigError(f"-o {out}: there are {len(sheets)} tables ({names}); name a folder")
    if found:
        return [_written(out, text_of(sheets, found))]
    chosen = form if form in ENDS and form is not None else Format.csv
    return [_written(out / (s.name + ENDS[chosen]), text_of([s], chosen)) for s in sheets]


def _written(file: Path, text: str) -> Path:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # A spreadsheet knows by the mark that the file is UTF-8.
        file.write_text(
            text, encoding="utf-8-sig" if file.suffix == ".csv" else "utf-8", newline=""
        )
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error
    return file
