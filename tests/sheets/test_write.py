"""Sheets into files: the ending says how, a folder takes a file a sheet."""

from __future__ import annotations

from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.sheets import Column, Format, Sheet, write_sheets

ONE = Sheet("one", "One", (Column("who", "谁"),), ({"who": "心晴"},))
TWO = Sheet("two", "Two", (Column("who", "who"),), ({"who": "b"},))


@pytest.mark.parametrize(
    "end, has", [(".md", "**Two**"), (".tex", r"\toprule"), (".html", "</table>")]
)
def test_a_files_ending_says_how(tmp_path: Path, end: str, has: str) -> None:
    (file,) = write_sheets([ONE, TWO], tmp_path / "new" / f"all{end}", None)
    text = file.read_text(encoding="utf-8")
    assert has in text and "心晴" in text


def test_a_folder_takes_a_file_a_sheet(tmp_path: Path) -> None:
    files = write_sheets([ONE, TWO], tmp_path / "tables", Format.latex)
    assert [file.name for file in files] == ["one.tex", "two.tex"]
    assert [file.name for file in write_sheets([ONE], tmp_path / "csv", None)] == ["one.csv"]


def test_a_spreadsheet_knows_that_csv_is_utf_8(tmp_path: Path) -> None:
    (file,) = write_sheets([ONE], tmp_path / "one.csv", None)
    assert file.read_bytes() == "\ufeffwho\n心晴\n".encode()


@pytest.mark.parametrize(
    "name, form, says",
    [
        ("one.docx", None, "a folder, or a name in .csv"),
        ("one.md", Format.latex, "its ending says markdown, --format latex"),
        ("both.csv", None, "there are 2 tables"),
    ],
)
def test_what_cannot_be_meant_is_told(
    tmp_path: Path, name: str, form: Format | None, says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        write_sheets([ONE, TWO], tmp_path / name, form)
    assert not list(tmp_path.iterdir())


def test_a_place_that_takes_no_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ConfigError, match="cannot write"):
        write_sheets([ONE], tmp_path / "taken", None)
