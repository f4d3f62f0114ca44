"""Turning points: the largest change of a dialogue, with what was said."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from emoharbor.stats.turning import measured, turning_points


def course(profile: str, *rows: tuple[int | None, str | None, int | None]) -> pd.DataFrame:
    """Intensity, leaning and depth in each exchange of one dialogue."""
    found: list[dict[str, Any]] = [
        {
            "run": "r", "supporter": "s", "system": "s", "profile": profile, "repeat": 0,
            "turn": turn, "before_message": 2 * turn, "intensity": intensity, "depth": depth,
            "leaning": leaning, "emotion": f"felt {turn}" if depth is None else None,
            "label": None if depth is None else f"label {turn}",
        }
        for turn, (intensity, leaning, depth) in enumerate(rows, start=1)
    ]  # fmt: skip
    return pd.DataFrame(found).astype({"intensity": "Int64", "depth": "Int64"})


def lines(*profiles: str) -> pd.DataFrame:
    rows = [
        ("r", "s", profile, 0, n, ("user", "supporter")[n % 2], f"{profile} says {n}")
        for profile in profiles
        for n in range(1, 9)
    ]
    columns = ["run", "supporter", "profile", "repeat", "number", "role", "text"]
    return pd.DataFrame(rows, columns=columns)


def test_changes_are_parts_of_their_scales_added_up() -> None:
    made = course("a", (4, "stay", None), (2, "leave", None), (3, "leave", None))
    assert pd.isna(measured(made)["size"].iloc[0])
    assert measured(made)["size"].tolist()[1:] == [pytest.approx(2 / 4 + 2 / 2), 1 / 4]
    depths = course("a", (None, None, 1), (None, None, 4))
    assert measured(depths)["size"].iloc[1] == pytest.approx(3 / 5)


def test_a_measure_that_is_lacking_changes_nothing() -> None:
    made = course("a", (4, None, None), (None, "leave", None), (1, "stay", None))
    sizes = measured(made)["size"]
    assert sizes.isna().tolist() == [True, True, False] and sizes.iloc[2] == pytest.approx(1.0)


def test_the_largest_of_a_dialogue_is_quoted_the_earliest_of_equals() -> None:
    made = pd.concat([
        course("a", (3, "stay", None), (5, "stay", None), (3, "stay", None)),
        course("b", (3, "stay", None), (3, "stay", None)),
        course("c", (1, "stay", None), (1, "unsure", None), (5, "leave", None)),
    ])  # fmt: skip
    first, second = turning_points(made, lines("a", "b", "c"), top=3)
    assert (first.dialogue, first.turn, first.size) == ("s/c/0", 3, 1.5)
    assert first.change == "intensity 1 → 5, unsure → leave"
    assert (first.before, first.after) == ("felt 2", "felt 3")
    assert (first.number, first.heard, first.said) == (6, "c says 5", "c says 6")
    assert (second.dialogue, second.turn) == ("s/a/0", 2), "b never changes"
    assert [one.dialogue for one in turning_points(made, lines("a", "c"), top=1)] == ["s/c/0"]


def test_states_of_one_dialogue_are_not_compared_with_those_of_another() -> None:
    made = pd.concat([course("a", (5, "leave", None)), course("b", (1, "stay", None))])
    assert turning_points(made, lines("a", "b"), top=3) == []


def test_labels_are_told_for_worst_case_seekers() -> None:
    (point,) = turning_points(
        course("a", (None, None, 1), (None, None, 5)), lines("a"), top=1
    )  # fmt: skip
    assert (point.change, point.before, point.after) == ("depth 1 → 5", "label 1", "label 2")
