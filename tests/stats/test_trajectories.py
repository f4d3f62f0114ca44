"""The course of inner states: level, slope, volatility, and who comes back."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import pandas as pd
import pytest

from emoharbor.stats.trajectories import trajectories


def states(
    levels: Sequence[int | None], *, kind: str = "emotion", profile: str = "p"
) -> pd.DataFrame:
    column, other = ("depth", "intensity") if kind == "emotion" else ("intensity", "depth")
    frame = pd.DataFrame({column: levels, "turn": range(1, len(levels) + 1)})
    frame[other] = None
    frame = frame.assign(supporter="a", profile=profile, repeat=0, kind=kind)
    return frame.astype({"depth": "Int64", "intensity": "Int64"})


def course(levels: Sequence[int | None], kind: str = "emotion") -> dict[Hashable, Any]:
    [row] = trajectories(states(levels, kind=kind)).to_dict("records")
    return row


def test_level_slope_and_volatility_are_those_of_the_textbook() -> None:
    row = course([1, 3, 2, 4])
    # About a mean turn of 2.5: (-1.5 - 1.5 + 1 + 6) / 5.
    assert row["level"] == 2.5 and row["slope"] == pytest.approx(0.8)
    assert row["volatility"] == pytest.approx((2 + 1 + 2) / 3) and row["n"] == 4


@pytest.mark.parametrize(
    "levels, risen, recovered",
    [
        ([2, 2, 4, 3, 2, 1], 3, 5),
        ([3, 1, 2, 1], 3, 4),
        ([1, 2, 3, 3], 2, None),
        ([1, 2, 0], 2, 3),
        ([3, 2, 2, 1], None, None),
        ([1, 2], 2, None),
        ([4], None, None),
    ],
)
def test_recovery_is_being_back_where_the_level_rose_from(
    levels: list[int], risen: int | None, recovered: int | None
) -> None:
    row = course(levels)
    for key, wanted in (("risen", risen), ("recovered", recovered)):
        assert row[key] == wanted if wanted is not None else pd.isna(row[key])


def test_one_state_has_a_level_alone() -> None:
    row = course([3])
    assert row["level"] == 3 and pd.isna(row["slope"]) and pd.isna(row["volatility"])


def test_appraisals_are_by_intensity_and_the_first_has_none() -> None:
    row = course([None, 2, 4], kind="appraisal")
    assert (row["kind"], row["n"], row["level"], row["slope"]) == ("appraisal", 2, 3.0, 2.0)
    assert trajectories(states([None], kind="appraisal")).empty


def test_dialogues_are_apart_and_no_states_are_no_rows() -> None:
    both = pd.concat([states([2, 1]), states([5, 5], profile="q")])
    found = trajectories(both[::-1])
    assert found.set_index("profile")["level"].to_dict() == {"p": 1.5, "q": 5.0}
    assert found.set_index("profile")["slope"].to_dict() == {"p": -1.0, "q": 0.0}
    assert trajectories(both[:0]).empty
