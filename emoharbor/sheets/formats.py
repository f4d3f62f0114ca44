"""Sheets as text for a spreadsheet, a page or a paper."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import get_args

from rich.cells import cell_len

from emoharbor.sheets.sheet import Cell, Column, Rank, Sheet

BESIDES = ("note", "why", "rank")
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "–": "--", "−": "$-$", "…": r"\ldots{}", "→": r"$\rightarrow$",
    "≥": r"$\geq$", "≤": r"$\leq$", "±": r"$\pm$", "×": r"$\times$",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}  # fmt: skip
_GREEK = {
    "α": "alpha", "η": "eta", "ω": "omega", "ρ": "rho", "τ": "tau", "χ": "chi",
    "Δ": "Delta", "σ": "sigma", "μ": "mu", "κ": "kappa",
}  # fmt: skip
_STYLE = """body{font-family:system-ui,sans-serif;margin:2rem}
table{border-collapse:collapse;margin:1rem 0}caption{text-align:left;font-weight:600}
th,td{padding:.25rem .6rem;border-bottom:1px solid #ccc;text-align:left;vertical-align:top}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.second{text-decoration:underline}
.best{font-weight:700}p.note{margin:.1rem 0;font-size:.9rem}"""


def to_csv(sheet: Sheet) -> str:
    """Values in full, a row a line. What stands beside a value has a column of its own."""
    fields = [name for column in sheet.columns for name in _fields(sheet, column)]
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=fields, lineterminator="\n")
    writer.writeheader()
    for row in sheet.rows:
        line: dict[str, object] = {}
        for column in sheet.columns:
            cell = sheet.cell(row, column)
            line[column.key] = cell.value
            line |= {f"{column.key}_{name}": getattr(cell, name) for name in BESIDES}
        writer.writerow({field: line[field] for field in fields})
    return out.getvalue()


def _fields(sheet: Sheet, column: Column) -> Iterator[str]:
    yield column.key
    cells = [sheet.cell(row, column) for row in sheet.rows]
    yield from (f"{column.key}_{name}" for name in BESIDES if any(getattr(c, name) for c in cells))


def to_markdown(sheet: Sheet) -> str:
    """A table that lines up in an editor too, Chinese included."""
    marks = {"": "{}", "best": "**{}**", "second": "<u>{}</u>"}
    table = [[_pipe(column.label) for column in sheet.columns]]
    table += _texts(sheet, lambda text, rank: marks[rank].format(_pipe(text)))
    widths = [max(3, *map(cell_len, column)) for column in zip(*table, strict=True)]
    numbers = [sheet.is_number(column) for column in sheet.columns]
    rule = ["-" * (w - 1) + ":" if n else "-" * w for w, n in zip(widths, numbers, strict=True)]
    lines = [_line(row, widths, numbers) for row in (table[0], rule, *table[1:])]
    notes = "".join(f"\n{_pipe(note)}\n" for note in sheet.footnotes)
    return f"**{_pipe(sheet.title)}**\n\n" + "\n".join(lines) + "\n" + notes


def _line(texts: Sequence[str], widths: Sequence[int], numbers: Sequence[bool]) -> str:
    padded = []
    for text, width, number in zip(texts, widths, numbers, strict=True):
        space = " " * (width - cell_len(text))
        padded.append(space + text if number else text + space)
    return f"| {' | '.join(padded)} |"


def _pipe(text: str) -> str:
    """Text in which Markdown finds no sign of its own, on one line."""
    told = re.sub(r"([\\`*|]|(?<!\w)_|_(?!\w))", r"\\\1", " ".join(text.split()))
    return told.replace("&", "&amp;").replace("<", "&lt;")


def to_latex(sheet: Sheet) -> str:
    r"""A table of booktabs (`\usepackage{booktabs}`, and `ctex` where there is Chinese)."""
    marks = {"": "{}", "best": r"\textbf{{{}}}", "second": r"\underline{{{}}}"}
    rows = _texts(sheet, lambda text, rank: marks[rank].format(latex(text)))
    layout = "".join("r" if sheet.is_number(column) else "l" for column in sheet.columns)
    body = " \\\\\n".join(_started(" & ".join(row)) for row in rows)
    notes = "".join(f"\\par\\footnotesize {latex(note)}\n" for note in sheet.footnotes)
    return (
        f"\\begin{{table}}\n\\centering\n\\caption{{{latex(sheet.title)}}}\n"
        f"\\label{{tab:{sheet.name}}}\n\\begin{{tabular}}{{{layout}}}\n\\toprule\n"
        f"{' & '.join(latex(column.label) for column in sheet.columns)} \\\\\n\\midrule\n"
        f"{body} \\\\\n\\bottomrule\n\\end{{tabular}}\n{notes}\\end{{table}}\n"
    )


def _started(row: str) -> str:
    """A row that the end of the one before does not take for its own argument."""
    return f"{{}}{row}" if row.startswith(("[", "*")) else row


def latex(text: str) -> str:
    """Text with all that LaTeX would take for its own."""
    greek = {sign: f"${chr(92)}{name}$" for sign, name in _GREEK.items()}
    signs = {**_LATEX, **greek}
    return "".join(signs.get(sign, sign) for sign in re.sub(r"\s+", " ", text))


def to_html(sheets: Sequence[Sheet]) -> str:
    """A page that needs nothing else, with all sheets."""
    body = "\n".join(map(_table, sheets))
    title = escape(sheets[0].title) if sheets else ""
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _table(sheet: Sheet) -> str:
    kinds = [' class="n"' if sheet.is_number(column) else "" for column in sheet.columns]
    head = "".join(
        f"<th{kind}>{escape(column.label)}</th>"
        for kind, column in zip(kinds, sheet.columns, strict=True)
    )
    spans = {"": "{}", **{r: f'<span class="{r}">{{}}</span>' for r in get_args(Rank) if r}}
    rows = "\n".join(
        "<tr>" + "".join(f"<td{k}>{t}</td>" for k, t in zip(kinds, row, strict=True)) + "</tr>"
        for row in _texts(sheet, lambda text, rank: spans[rank].format(escape(text)))
    )
    notes = "\n".join(f'<p class="note">{escape(note)}</p>' for note in sheet.footnotes)
    return (
        f'<table id="{sheet.name}"><caption>{escape(sheet.title)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table>\n{notes}"
    )


def _texts(sheet: Sheet, told: Callable[[str, Rank], str]) -> list[list[str]]:
    def one(cell: Cell, column: Column) -> str:
        return told(sheet.text(cell, column), cell.rank)

    return [
        [one(sheet.cell(row, column), column) for column in sheet.columns] for row in sheet.rows
    ]
