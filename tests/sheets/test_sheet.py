"""A table's cells: numbers as they are told, no value that is none, and who is best."""

from __future__ import annotations

import math

import numpy as np
import pytest

from emoharbor.sheets import Cell, Column, Sheet, ranked


def told(value: object, **column: object) -> str:
    made = Column("x", "x", **column)  # type: ignore[arg-type]
    sheet = Sheet("s", "S", (made,), ({"x": value},))  # type: ignore[dict-item]
    return sheet.text(sheet.cell(sheet.rows[0], made), made)


@pytest.mark.parametrize(
    "value, column, says",
    [
        (3.14159, {}, "3.14"),
        (3.14159, {"digits": 3, "signed": True}, "+3.142"),
        (0.256, {"digits": 1, "percent": True}, "25.6 %"),
        (1, {"digits": 0, "percent": True}, "100 %"),
        (12345, {}, "12,345"),
        (np.int64(7), {}, "7"),
        (np.float64(0.5), {}, "0.50"),
        (-0.0004, {}, "0.00"),
        (-0.0004, {"signed": True}, "+0.00"),
        ("心晴", {}, "心晴"),
        ("", {}, ""),
    ],
)
def test_a_value_is_told_as_its_column_says(
    value: object, column: dict[str, object], says: str
) -> None:
    assert told(value, **column) == says


@pytest.mark.parametrize("value", [math.nan, math.inf, None])
def test_an_undefined_value_needs_a_why(value: float | None) -> None:
    with pytest.raises(ValueError, match="undefined"):
        Cell(value)


def test_whys_are_numbered_in_the_order_of_rows_each_once() -> None:
    column = Column("x", "x")
    rows = tuple({"x": Cell(None, why=why)} for why in ("few", "none", "few"))
    sheet = Sheet("s", "S", (column,), rows, ("A note.",))
    assert [sheet.text(sheet.cell(row, column), column) for row in rows] == [
        "– [1]",
        "– [2]",
        "– [1]",
    ]
    assert list(sheet.footnotes) == ["[1] few", "[2] none", "A note."]


def test_ranks_are_shared_by_equals_as_they_are_shown() -> None:
    values = {"a": 4.001, "b": 4.004, "c": 3.0, "d": None, "e": 2.0}
    assert ranked(values) == {"a": "best", "b": "best", "c": "second", "d": "", "e": ""}
    assert set(ranked({"a": 1.0, "b": 1.0}).values()) == {""}
    assert ranked({"a": 1.0, "b": None}) == {"a": "", "b": ""}


def test_numbers_stand_on_the_right_where_a_column_has_no_words() -> None:
    columns = (Column("n", "n"), Column("w", "w"))
    sheet = Sheet("s", "S", columns, ({"n": 1, "w": "x"}, {"n": Cell(None, why="y"), "w": 2}))
    assert [sheet.is_number(column) for column in columns] == [True, False]
