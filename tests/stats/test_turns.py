"""Marks and states by exchange: means, trends within dialogues, and which states count."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from emoharbor.stats.turns import (
    by_turn,
    leanings,
    prefix_marks,
    states_by_turn,
    trend,
    with_systems,
)


def table(*rows: tuple[str, int, float | None]) -> pd.DataFrame:
    """Profile, exchange and value; a dialogue a profile."""
    frame = pd.DataFrame(rows, columns=["profile", "turn", "value"])
    return frame.assign(run="r", supporter="s", repeat=0)


def everybody(value: Any, turns: Any) -> list[tuple[str, int, float | None]]:
    return [(f"p{n}", t, value(n, t)) for n in range(8) for t in turns(n)]


def test_means_are_those_of_each_exchange_with_who_is_still_there() -> None:
    points = by_turn(table(("a", 1, 1.0), ("b", 1, 3.0), ("a", 2, 5.0), ("b", 2, None)), seed=0)
    assert [(p.turn, p.mean, p.n) for p in points] == [(1, 2.0, 2), (2, 5.0, 1)]
    assert all(point.low is None for point in points), "two people give no interval"
    assert by_turn(table(("a", 1, None)), seed=0) == []


def test_an_interval_holds_the_mean_and_is_the_same_for_a_seed() -> None:
    made = table(*everybody(lambda n, t: (n * n % 7) + n / 10, lambda n: [1, 2]))
    first, second = by_turn(made, seed=0)
    assert first.low is not None and first.high is not None and first.low < first.mean < first.high
    assert by_turn(made, seed=0) == [first, second]
    assert by_turn(made, seed=1)[0] != first
    constant = by_turn(table(*everybody(lambda n, t: 3.0, lambda n: [1])), seed=0)
    assert (constant[0].low, constant[0].high) == (3.0, 3.0)


def test_who_leaves_early_moves_the_means_and_not_the_trend() -> None:
    """Every dialogue loses half a mark an exchange; those with low marks leave after the first."""

    def value(n: int, t: int) -> float:
        return (4.0 if n % 2 else 2.0) - 0.5 * t

    made = table(*everybody(value, lambda n: [1, 2, 3] if n % 2 else [1, 2]))
    means = [point.mean for point in by_turn(made, seed=0)]
    assert means[2] > means[1], "the means rise, since the low ones are gone"
    found = trend(made, seed=0)
    assert found.value == pytest.approx(-0.5)
    assert found.low == pytest.approx(-0.5) and found.high == pytest.approx(-0.5)


def test_a_trend_needs_two_exchanges_of_a_dialogue_and_several_people() -> None:
    one_each = trend(table(("a", 1, 2.0), ("b", 2, 4.0)), seed=0)
    assert one_each.value is None and "two judged exchanges" in one_each.why
    few = trend(table(("a", 1, 2.0), ("a", 3, 4.0)), seed=0)
    assert few.value == pytest.approx(1.0) and few.low is None and "under 6 people" in few.why


def dialogues(*rows: tuple[str, int]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["profile", "turns"])
    return frame.assign(
        run="r", supporter="s", repeat=0, system="s", ending="max_turns", language="en"
    )


def test_a_prefix_counts_where_it_ends_and_samples_are_averaged() -> None:
    marks = [
        ("a", 2, 0, 2), ("a", 2, 1, 4), ("a", 4, 0, 5), ("a", None, 0, 1),
        ("b", 2, 0, 3), ("b", None, 0, 1), ("c", None, 0, 4), ("d", 2, 0, 1), ("d", None, 0, 2),
    ]  # fmt: skip
    scores = pd.DataFrame(marks, columns=["profile", "upto", "sample", "value"])
    scores = scores.assign(run="r", supporter="s", repeat=0, dimension="safety")
    scores = scores.astype({"upto": "Int64", "value": "Int64"})
    found = prefix_marks(scores, dialogues(("a", 4), ("b", 3), ("c", 4), ("d", 6)))
    values = {(row.profile, row.turn): row.value for row in found.itertuples()}
    # The whole of b ends where no prefix could; that of a is its prefix to 4.
    assert values == {
        ("a", 2): 3.0, ("a", 4): 5.0, ("b", 2): 3.0, ("c", 4): 4.0, ("d", 2): 1.0, ("d", 6): 2.0
    }  # fmt: skip


def test_each_run_has_prefixes_of_its_own_length() -> None:
    marks = [
        ("r", "a", 2, 2), ("r", "a", None, 3), ("other", "b", 3, 4), ("other", "b", None, 5),
        ("short", "c", None, 1),
    ]  # fmt: skip
    scores = pd.DataFrame(marks, columns=["run", "profile", "upto", "value"])
    scores = scores.assign(supporter="s", repeat=0, dimension="safety", sample=0)
    scores = scores.astype({"upto": "Int64", "value": "Int64"})
    talks = dialogues(("a", 4), ("b", 4), ("c", 2)).assign(run=["r", "other", "short"])
    found = prefix_marks(scores, talks)
    # Four exchanges are two prefixes of two, and none of three; a run of short ones has no own.
    turns = list(zip(found["profile"], found["turn"], strict=True))
    assert turns == [("a", 2), ("a", 4), ("b", 3), ("c", 2)]


def states(*rows: dict[str, Any]) -> pd.DataFrame:
    base = {
        "run": "r", "supporter": "s", "profile": "a", "repeat": 0, "kind": "appraisal",
        "intensity": 3, "depth": None, "leaning": "stay", "goals": "be heard", "emotion": "low",
        "label": None,
    }  # fmt: skip
    frame = pd.DataFrame([{**base, **row} for row in rows])
    return frame.astype({"intensity": "Int64", "depth": "Int64"})


def test_the_state_before_anybody_spoke_and_failed_dialogues_do_not_count() -> None:
    made = states(
        {"turn": 1, "before_message": 1, "intensity": None},
        {"turn": 1, "before_message": 2, "goals": "to be heard"},
        {"turn": 2, "before_message": 4, "goals": "to be heard, and to sleep"},
        {"turn": 1, "before_message": 2, "profile": "gone"},
    )
    ended = pd.concat([dialogues(("a", 2)), dialogues(("gone", 1)).assign(ending=None)])
    found = states_by_turn(made, ended)
    assert found["turn"].tolist() == [1, 2] and set(found["profile"]) == {"a"}
    # "to be heard" of "to be heard and sleep".
    assert pd.isna(found["kept"].iloc[0]) and found["kept"].iloc[1] == pytest.approx(3 / 5)
    assert leanings(found)[1] == {"stay": 1, "unsure": 0, "leave": 0}


def test_goals_in_chinese_are_compared_by_characters() -> None:
    made = states(
        {"turn": 1, "before_message": 2, "goals": "被听见"},
        {"turn": 2, "before_message": 4, "goals": "被听懂"},
    )
    found = states_by_turn(made, dialogues(("a", 2)).assign(language="zh"))
    assert found["kept"].iloc[1] == pytest.approx(2 / 4)


def test_a_supporter_of_two_runs_is_two_systems() -> None:
    frame = pd.DataFrame({"run": ["x", "y", "y"], "supporter": ["bot", "bot", "gpt"]})
    assert with_systems(frame)["system"].tolist() == ["bot (x)", "bot (y)", "gpt"]


def test_the_order_of_rows_changes_no_interval() -> None:
    made = table(*everybody(lambda n, t: float((7 * n + t * n) % 5 + 1), lambda n: [1, 2, 3]))
    mixed = made.sample(frac=1, random_state=1)
    assert by_turn(mixed, seed=0) == by_turn(made, seed=0)
    found, other = trend(made, seed=0), trend(mixed, seed=0)
    assert (other.low, other.high) == pytest.approx((found.low, found.high))
