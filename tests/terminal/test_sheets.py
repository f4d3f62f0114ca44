"""Sheets on a terminal: one that is too wide is told in blocks that can be read by themselves."""

from __future__ import annotations

import io
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console

from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.terminal.sheets import emit


def shown(sheet: Sheet, width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    emit(console, [sheet], None, None)
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def sheet(columns: int = 6) -> Sheet:
    """Names, then pairs of a mean and its change."""
    pairs = [
        one
        for n in range(columns)
        for one in (Column(f"d{n}", f"D{n}"), Column(f"d{n}_change", "Δ", percent=True))
    ]
    row = {column.key: Cell(3.25, "ab") if column.label != "Δ" else -0.5 for column in pairs}
    rows = ({"who": "gpt", **row}, {"who": "心晴助手", **row, "d0": Cell(None, why="no mark")})
    return Sheet("s", "A title", (Column("who", "supporter"), *pairs), rows, ("A note.",))


def test_what_fits_is_one_table() -> None:
    lines = shown(sheet(), 200)
    assert sum("supporter" in line for line in lines) == 1
    assert "[1] no mark" in lines and lines[-1] == "A note."


def test_what_does_not_fit_is_told_in_blocks_with_the_names_again() -> None:
    lines = shown(sheet(), 60)
    assert max(map(cell_len, lines)) <= 60
    heads = [line.split() for line in lines if line.startswith(" supporter")]
    assert len(heads) > 1 and sum(line.startswith(" 心晴助手") for line in lines) == len(heads)
    # A change stays beside its mean, and nothing is lost.
    assert all(head[1::2] and set(head[2::2]) == {"Δ"} for head in heads)
    assert [word for head in heads for word in head[1::2]] == [f"D{n}" for n in range(6)]
    assert sum("A title" in line for line in lines) == 1 and lines.count("A note.") == 1


def test_a_column_that_is_wider_than_everything_is_still_told() -> None:
    lines = shown(sheet(), 24)
    told = "".join("".join(lines).split())
    assert all(f"D{n}" in told for n in range(6))


def test_words_are_folded_and_not_sent_to_another_block() -> None:
    columns = (Column("n", "n"), Column("said", "said"))
    lines = shown(Sheet("s", "Said", columns, ({"n": 1, "said": "well " * 40},)), 60)
    assert sum("said" in line for line in lines) == 1 and max(map(cell_len, lines)) <= 60
    assert " ".join(lines).split().count("well") == 40


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    emit(Console(file=io.StringIO(), width=24), [sheet()], None, tmp_path / "s.csv")
    head = (tmp_path / "s.csv").read_text("utf-8-sig").splitlines()[0]
    assert head.startswith("who,d0,d0_note,d0_why,d0_change,d1")
