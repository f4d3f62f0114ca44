"""Effects of controls on figures whose differences are known."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from emoharbor.stats.obedience import Effect, at_level, effects

GRID = {"push": ("none", "some", "much"), "mood": ("light", "dark")}
LEVELS = {"none": 0, "some": 1, "much": 2}


def table(value: Callable[[dict[str, Any]], float | None], people: int = 12) -> pd.DataFrame:
    """A dialogue of every person and repeat at every combination, in no order."""
    rows = []
    for push, mood, person, repeat in itertools.product(*GRID.values(), range(people), range(2)):
        row = {"push": push, "mood": mood, "profile": f"p{person}", "repeat": repeat}
        rows.append({**row, "figure": value({**row, "person": person})})
    random.Random(3).shuffle(rows)
    frame = pd.DataFrame(rows)
    return frame.assign(figure=frame["figure"].astype(float))


def meant(control: str, measure: str, a: str, b: str) -> int:
    return -1 if control == "push" else 0


def found(frame: pd.DataFrame) -> dict[tuple[str, str, str], Effect]:
    each = effects(frame, GRID, ["figure"], meant, seed=0)
    return {(effect.control, effect.pair.a, effect.pair.b): effect for effect in each}


def test_a_known_difference_is_found_person_by_person() -> None:
    """People differ by far more than levels do: only pairs by person can tell."""
    noise = random.Random(5)
    frame = table(
        lambda row: 50.0 * row["person"] - 3 * LEVELS[row["push"]] + noise.uniform(-0.5, 0.5)
    )
    every = found(frame)
    assert len(every) == 4
    one = every["push", "none", "some"]
    assert one.pair.n == 12 and one.pair.difference == pytest.approx(-3, abs=0.3)
    assert one.low is not None and one.high is not None and one.low < -3 < one.high < -2.5
    assert one.found == "as intended"
    assert every["push", "none", "much"].pair.difference == pytest.approx(-6, abs=0.3)
    assert every["mood", "light", "dark"].found == ""


def test_the_other_way_round_is_against() -> None:
    every = found(table(lambda row: row["person"] + LEVELS[row["push"]]))
    assert {e.found for (control, *_), e in every.items() if control == "push"} == {"against"}


def test_an_effect_that_nobody_meant_is_a_side_effect() -> None:
    every = found(table(lambda row: row["person"] + (row["mood"] == "dark")))
    assert every["mood", "light", "dark"].found == "side effect"
    assert every["push", "none", "some"].found == "no clear effect"
    assert every["push", "none", "some"].pair.why == "no pair differs"


def test_every_p_is_corrected_over_all_of_them() -> None:
    noise = random.Random(7)
    every = found(table(lambda row: -LEVELS[row["push"]] / 4 + noise.uniform(0, 2)))
    tested = [effect.pair for effect in every.values()]
    from scipy.stats import false_discovery_control

    wanted = false_discovery_control([pair.p for pair in tested])
    assert [pair.q for pair in tested] == pytest.approx(wanted)


def test_few_people_are_not_tested() -> None:
    every = found(table(lambda row: -LEVELS[row["push"]], people=5))
    one = every["push", "none", "much"]
    assert one.pair.n == 5 and one.pair.difference == -2 and one.pair.q is None
    assert one.found == "not tested" and "no test under 6" in one.pair.why


def test_what_is_missing_on_one_side_is_in_no_difference() -> None:
    def value(row: dict[str, Any]) -> float | None:
        gone = row["push"] == "some" and row["person"] < 4
        return None if gone else float(100 * row["person"] - LEVELS[row["push"]])

    frame = table(value)
    frame = frame[~((frame["push"] == "much") & (frame["profile"] == "p11"))]
    every = found(frame)
    assert every["push", "none", "some"].pair.n == 8
    assert every["push", "none", "some"].pair.difference == -1
    assert every["push", "none", "much"].pair.n == 11
    assert every["push", "some", "much"].pair.n == 7


def test_levels_are_held_against_each_other_where_all_else_is_the_same() -> None:
    """Half of one level's dialogues are gone, all of one mood, and moods differ by far more."""
    frame = table(lambda row: 100.0 * (row["mood"] == "dark") - LEVELS[row["push"]])
    gone = (frame["push"] == "some") & (frame["mood"] == "dark")
    one = found(frame[~gone])["push", "none", "some"]
    assert one.pair.n == 12 and one.pair.difference == -1


def test_a_level_has_a_mean_with_its_n() -> None:
    frame = table(lambda row: None if row["person"] == 0 else float(LEVELS[row["push"]]))
    one = at_level(frame, "push", "much", "figure", seed=0)
    assert (one.value, one.n, one.clusters) == (2.0, 44, 11)
    none = at_level(frame[frame["profile"] == "p0"], "push", "much", "figure", seed=0)
    assert none.value is None and none.n == 0
