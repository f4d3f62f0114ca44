"""A table in each form: what stands in it is what is read, whatever signs it holds."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser

import pytest
from rich.cells import cell_len

from emoharbor.sheets import Cell, Column, Format, Sheet, text_of

NASTY = "50 % of a_b & <END> | {x} ~ ^ \\ $5 #1 *no* `x`\nnext"


def sheet(*names: str, notes: tuple[str, ...] = ()) -> Sheet:
    columns = (Column("who", "supporter"), Column("mean", "mean", 2), Column("n", "n"))
    rows: tuple[dict[str, Cell | float | int | str], ...] = tuple(
        {"who": name, "mean": Cell(3.456, "[1, 2]", rank="best"), "n": 12} for name in names
    )
    return Sheet("means", "Means", columns, rows, notes)


def test_csv_keeps_values_in_full_and_what_stands_beside_them() -> None:
    rows = list(csv.DictReader(io.StringIO(text_of([sheet(NASTY)], Format.csv))))
    assert rows == [
        {"who": NASTY, "mean": "3.456", "mean_note": "[1, 2]", "mean_rank": "best", "n": "12"}
    ]


def test_an_undefined_cell_is_empty_in_csv_and_says_why() -> None:
    made = Sheet("s", "S", (Column("x", "x"),), ({"x": Cell(None, why="no mark")}, {"x": 1.0}))
    rows = list(csv.DictReader(io.StringIO(text_of([made], Format.csv))))
    assert rows == [{"x": "", "x_why": "no mark"}, {"x": "1.0", "x_why": ""}]
    told = text_of([made], Format.markdown)
    assert "– [1]" in told and "\n[1] no mark\n" in told


def test_markdown_lines_up_chinese_too_and_takes_no_sign_for_its_own() -> None:
    told = text_of([sheet("心晴助手", "gpt-4o", NASTY)], Format.markdown)
    table = [line for line in told.splitlines() if line.startswith("|")]
    assert len(table) == 5 and len({cell_len(line) for line in table}) == 1
    cells = re.split(r"(?<!\\)\|", table[-1])
    assert len(cells) == 5
    assert cells[1].strip() == (r"50 % of a_b &amp; &lt;END> \| {x} ~ ^ \\ $5 #1 \*no\* \`x\` next")
    assert cells[2].strip() == "**3.46 [1, 2]**"


def test_latex_escapes_its_signs_and_no_row_is_an_argument() -> None:
    told = text_of([sheet("[x]", NASTY, notes=("α ≥ 0.05 → −1 …",))], Format.latex)
    assert r"50 \% of a\_b \& <END> | \{x\} \textasciitilde{} \textasciicircum{}" in told
    assert r"\textbackslash{} \$5 \#1 *no* `x` next & \textbf{3.46 [1, 2]} & 12 \\" in told
    # After a row's end or a rule LaTeX takes a bracket for an argument of these.
    assert "\\midrule\n{}[x] & " in told
    assert r"$\alpha$ $\geq$ 0.05 $\rightarrow$ $-$1 \ldots{}" in told
    assert r"\begin{tabular}{lrr}" in told and r"\label{tab:means}" in told


class Texts(HTMLParser):
    """The texts of cells and the tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] in ("td", "th", "span") and self.cells:
            self.cells[-1] += data.strip("\n")


def test_html_shows_what_is_meant_and_runs_nothing() -> None:
    page = Texts()
    page.feed(text_of([sheet("<script>alert(1)</script>")], Format.html))
    assert page.cells == [
        "supporter",
        "mean",
        "n",
        "<script>alert(1)</script>",
        "3.46 [1, 2]",
        "12",
    ]
    assert "script" not in page.tags and page.tags.count("table") == 1


@pytest.mark.parametrize("form", [Format.csv, Format.markdown, Format.latex, Format.html])
def test_several_sheets_and_a_sheet_without_rows_are_one_text(form: Format) -> None:
    empty = Sheet("none", "Nothing here", (Column("who", "supporter"),), ())
    told = text_of([sheet("a"), empty], form)
    assert "Nothing here" in told and told.count("supporter") + told.count("who") == 2
