"""Intervals by drawing people: their width, their seed, and what has none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from emoharbor.stats.intervals import clustered, clustered_mean, middle, people_drawn


def normal(n: int, seed: int = 1) -> pd.Series[float]:
    return pd.Series(np.random.default_rng(seed).normal(3, 1, n))


def people(n: int, times: int = 1) -> pd.Series[str]:
    return pd.Series([f"p{i}" for i in range(n) for _ in range(times)])


def test_one_value_a_person_has_the_interval_of_the_mean() -> None:
    values = normal(400)
    found = clustered_mean(values, people(400), seed=0)
    half = 1.96 * values.std(ddof=0) / 20
    assert found.value == pytest.approx(values.mean()) and (found.n, found.clusters) == (400, 400)
    assert found.low == pytest.approx(values.mean() - half, abs=0.01)
    assert found.high == pytest.approx(values.mean() + half, abs=0.01)


def test_the_same_said_four_times_is_no_more_knowledge() -> None:
    values = normal(40)
    once = clustered_mean(values, people(40), seed=5)
    often = clustered_mean(values.repeat(4).reset_index(drop=True), people(40, 4), seed=5)
    assert often.low == pytest.approx(once.low) and often.high == pytest.approx(once.high)
    assert (often.n, often.clusters) == (160, 40)
    apart = clustered_mean(values.repeat(4).reset_index(drop=True), people(160), seed=5)
    assert apart.low is not None and once.low is not None and apart.low > once.low


def test_the_seed_decides_and_the_order_does_not() -> None:
    values, who = normal(30), people(15, 2)
    first = clustered_mean(values, who, seed=1)
    assert first == clustered_mean(values, who, seed=1)
    assert first != clustered_mean(values, who, seed=2)
    mixed = values.sample(frac=1, random_state=3)
    assert first.low == pytest.approx(clustered_mean(mixed, who[mixed.index], seed=1).low)


def test_what_is_missing_is_left_out_and_what_is_nobodys_is_refused() -> None:
    marks = pd.Series([1, None, 3, 5], dtype="Int64")
    found = clustered_mean(marks, pd.Series(["p", "q", "q", "r"]), seed=0)
    assert (found.value, found.n, found.clusters) == (3.0, 3, 3)
    with pytest.raises(ValueError, match="nobody"):
        clustered_mean(marks, pd.Series(["p", "q", None, "r"]), seed=0)
    # Whose a missing mark would be does not matter.
    assert clustered_mean(marks, pd.Series(["p", None, "q", "r"]), seed=0).n == 3


def test_what_has_no_interval_says_why() -> None:
    none = clustered_mean(pd.Series([None, None], dtype="Int64"), people(2), seed=0)
    assert (none.value, none.low, none.n, none.why) == (None, None, 0, "no mark")
    one = clustered_mean(pd.Series([2.0, 4.0]), pd.Series(["p", "p"]), seed=0)
    assert (one.value, one.low, one.high) == (3.0, None, None) and "one person" in one.why
    same = clustered_mean(pd.Series([4.0, 4.0]), people(2), seed=0)
    assert (same.low, same.high) == (4.0, 4.0)


def test_few_people_have_an_interval_that_holds_the_mean_nearly_as_often_as_it_says() -> None:
    marks = np.random.default_rng(2).normal(3, 1, (1000, 6))
    drawn = marks @ people_drawn(6, seed=0).T / 6
    low, high = np.percentile(drawn, middle(6), axis=1)
    assert np.mean((low <= 3) & (high >= 3)) > 0.92
    plain = np.percentile(drawn, [2.5, 97.5], axis=1)
    assert np.mean((plain[0] <= 3) & (plain[1] >= 3)) < 0.88
    assert middle(6) == pytest.approx((0.24, 99.76), abs=0.01)
    assert middle(10**6) == pytest.approx((2.5, 97.5), abs=0.001)
    one = clustered_mean(pd.Series(marks[0]), people(6), seed=0)
    assert one.low is not None and one.low < plain[0][0]


def correlation(frame: pd.DataFrame) -> float:
    with np.errstate(invalid="ignore"):
        return float(frame["x"].corr(frame["y"]))


def test_any_statistic_has_an_interval_by_groups() -> None:
    x = normal(60)
    frame = pd.DataFrame({"x": x, "y": x + normal(60, 2), "who": people(30, 2)})
    found = clustered(frame, "who", correlation, seed=0, draws=300)
    assert found is not None
    low, high, draws = found
    assert low < correlation(frame) < high and draws == 300
    assert found == clustered(frame, "who", correlation, seed=0, draws=300)
    with pytest.raises(ValueError, match="nobody"):
        clustered(frame.assign(who=frame["who"].where(frame.index > 0)), "who", correlation, seed=0)


def test_draws_without_a_value_are_counted() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 3.0, 2.0], "who": ["p", "q", "r"]})
    found = clustered(frame, "who", correlation, seed=0, draws=200)
    # One of nine draws is of one person three times, and has no correlation.
    assert found is not None and 150 < found[2] < 200
    assert clustered(frame[:1], "who", correlation, seed=0) is None
    constant = frame.assign(x=1.0)
    assert clustered(constant, "who", correlation, seed=0, draws=50) is None
