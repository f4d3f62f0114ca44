"""What keeps figures readable: names that do not meet, exchanges that are named, panels in rows."""

from __future__ import annotations

import pytest

from emoharbor.plots.lines import ticks
from emoharbor.plots.style import LOOKS, columns_for, looks_of, name, spread


def test_names_are_moved_apart_and_stay_in_order() -> None:
    places = spread([0.5, 0.51, 0.1, 0.5], 0.1)
    in_order = sorted(places)
    assert all(b - a > 0.1 - 1e-6 for a, b in zip(in_order, in_order[1:], strict=False))
    assert places[2] == pytest.approx(0.1) and places[1] == max(places)
    assert sum(places) == pytest.approx(1.61, abs=1e-6), "as many go up as down"


def test_names_far_apart_stay_where_they_are() -> None:
    assert spread([0.9, 0.1, 0.5], 0.1) == [0.9, 0.1, 0.5]


@pytest.mark.parametrize(
    "first, last, named",
    [
        (1, 4, [1, 2, 3, 4]),
        (0, 15, [0, 2, 4, 6, 8, 10, 12, 15]),
        (1, 15, [1, 3, 5, 7, 9, 11, 13, 15]),
        (1, 1, [1]),
        (1, 30, [1, 6, 11, 16, 21, 26, 30]),
    ],
)
def test_the_first_and_the_last_exchange_are_named(first: int, last: int, named: list[int]) -> None:
    assert ticks(first, last) == named


def test_panels_stand_in_full_rows() -> None:
    assert [columns_for(panels) for panels in (1, 2, 3, 6, 10, 20)] == [1, 2, 3, 3, 5, 5]


def test_a_long_name_is_cut_by_its_width() -> None:
    assert name("gpt-4o") == "gpt-4o"
    assert len(name("x" * 40)) == 26 and name("x" * 40).endswith("…")
    assert len(name("心" * 40)) < 15


def test_lines_differ_without_colour() -> None:
    assert len({str(look.dashes) for look in LOOKS}) == len({look.marker for look in LOOKS}) == 5
    assert looks_of(["a", "b"])["a"] == LOOKS[0]
