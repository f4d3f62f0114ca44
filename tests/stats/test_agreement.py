"""Agreement between people against the literature's own examples, and judges beside people."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest

from emoharbor.stats.agreement import (
    ABSOLUTE,
    CONSISTENT,
    ONE_WAY,
    alpha,
    bias,
    centred,
    grade,
    icc,
    variance_ratio,
    weighted_alpha,
)
from emoharbor.stats.correlation import weights
from emoharbor.stats.intervals import Interval
from emoharbor.stats.repeatability import repeatability

NAN = float("nan")
Array = np.ndarray[Any, Any]
# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers,
# twelve units, marks missing. Ordinal alpha: 0.815.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
# Shrout and Fleiss (1979), Intraclass Correlations, Table 2: four judges, six targets.
TARGETS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    dtype=float,
)


def drawn(items: int, draws: int = 200) -> tuple[Array, Array]:
    return np.arange(items), weights(pd.Series(range(items)), 0, draws)


def test_krippendorff_s_own_example() -> None:
    found = alpha(OBSERVERS, *drawn(12))
    assert found.value == pytest.approx(0.815, abs=0.0005) and found.n == 11
    interval = found.interval()
    assert interval.low and interval.high and interval.low < 0.815 < interval.high <= 1


def test_a_draw_is_the_alpha_of_the_units_that_it_takes() -> None:
    units = OBSERVERS[:11]
    values = np.arange(1, 6)
    counts = (units[:, :, None] == values).sum(axis=1).astype(float)
    taken = drawn(11, 25)[1]
    for one, value in zip(taken, weighted_alpha(counts, taken), strict=True):
        again = units[np.repeat(np.arange(11), one.astype(int))]
        known = krippendorff.alpha(
            reliability_data=again.T, level_of_measurement="ordinal", value_domain=values
        )
        assert value == pytest.approx(known)


@pytest.mark.parametrize(
    ("form", "single", "mean"),
    [(ONE_WAY, 0.17, 0.44), (ABSOLUTE, 0.29, 0.62), (CONSISTENT, 0.71, 0.91)],
)
def test_shrout_and_fleiss_s_table(form: int, single: float, mean: float) -> None:
    found = icc(TARGETS, form)
    assert found.single.value == pytest.approx(single, abs=0.005)
    assert found.mean.value == pytest.approx(mean, abs=0.005)
    assert (found.items, found.raters, found.why) == (6, 4, "")
    assert found.single.low is not None and found.single.low < single


def test_agreement_that_cannot_be_known_says_why() -> None:
    alone = np.array([[1, NAN], [NAN, 2], [3, NAN]])
    assert alpha(alone, *drawn(3)).why.startswith("one rater an item")
    assert alpha(np.full((4, 2), 3.0), *drawn(4)).why == "all marks are the same"
    assert icc(alone, ABSOLUTE).why == "fewer than 5 items that all 2 raters marked"
    assert icc(TARGETS[:, :1], ABSOLUTE).single.why.startswith("one rater")
    assert icc(np.full((6, 2), 3.0), ABSOLUTE).mean.why == "all marks are the same"


@pytest.mark.parametrize(
    ("value", "low", "says"),
    [
        (None, None, "unknown"),
        (0.5, -0.1, "none"),
        (-0.2, None, "none"),
        (0.66, 0.4, "weak"),
        (0.7, 0.4, "tentative"),
        (0.81, 0.7, "reliable"),
    ],
)
def test_an_alpha_has_a_grade(value: float | None, low: float | None, says: str) -> None:
    assert grade(Interval(value, low, 1 if low else None, 9, 9)) == says


def test_centring_takes_out_the_heights_at_which_people_mark() -> None:
    # Two raters of their own items each: within both, the judge follows to the point.
    marks = np.array([[1, NAN], [2, NAN], [3, NAN], [NAN, 3], [NAN, 4], [NAN, 5], [NAN, NAN]])
    judge = np.array([5, 6, 7, 1, 2, 3, 4], dtype=float)
    people, machine = centred(marks, judge)
    assert people[:6].tolist() == [-1, 0, 1, -1, 0, 1] == machine[:6].tolist()
    assert np.isnan(people[6]) and np.isnan(machine[6])
    # A rater of one item says nothing about an order.
    assert np.isnan(centred(marks[:1], judge[:1])[0]).all()


def test_bias_and_spread() -> None:
    people = np.array([1, 2, 3, 4, NAN])
    judge = np.array([2, 3, 3, 5, 1], dtype=float)
    found = bias(people, judge, *drawn(5))
    assert found.value == pytest.approx(0.75) and found.n == 4
    interval = found.interval()
    assert interval.low == pytest.approx(0.25) and interval.high == 1
    assert bias(people, np.full(5, NAN), *drawn(5)).why == "no item with both marks"
    ratio = variance_ratio(people[:, None], judge[:, None])
    assert ratio == pytest.approx(np.var(judge[:4], ddof=1) / np.var(people[:4], ddof=1))
    assert variance_ratio(people[:, None], np.full((5, 1), 3.0)) is None


def test_a_judge_who_is_asked_again_uses_no_less_of_the_scale() -> None:
    rng = np.random.default_rng(4)
    alike = rng.normal(size=(400, 1)) + rng.normal(size=(400, 6))
    asked_once = variance_ratio(alike[:, :1], alike[:, 1:2])
    assert asked_once == pytest.approx(1, abs=0.15)
    assert variance_ratio(alike[:, :1], alike[:, 1:]) == pytest.approx(1, abs=0.15)


def test_an_icc_that_is_no_number_is_none_and_has_no_ends_of_its_own() -> None:
    heights = np.array([[1.0, 2.0]] * 6)
    for form in (ONE_WAY, CONSISTENT):
        assert icc(heights, form).mean.value is None and icc(heights, form).mean.why
    assert icc(heights, CONSISTENT).single.value is None
    # Of one order, a point apart everywhere: absolute agreement is not perfect, and has no ends.
    apart = np.array([[1.0, 2], [2, 3], [3, 4], [4, 5], [2, 3], [1, 2]])
    single = icc(apart, ABSOLUTE).single
    assert single.value == pytest.approx(0.732, abs=0.001)
    assert single.low is None and single.high is None and single.why
    assert (icc(apart, CONSISTENT).single.low, icc(apart, CONSISTENT).single.high) == (1, 1)


def test_repeats_of_a_judge() -> None:
    # Variances within the items 0, 1/3, 1; pairs alike 3, 1, 0 of 3.
    marks = np.array([[4, 4, 4], [3, 3, 4], [1, 2, 3]], dtype=float)
    found = repeatability(marks)
    assert found.sd == pytest.approx(np.sqrt((0 + 1 / 3 + 1) / 3))
    assert found.equal == pytest.approx(4 / 9) and (found.items, found.repeats) == (3, 3)
    assert found.icc.value is None and "fewer than 5 items" in found.icc.why
    assert repeatability(TARGETS).icc.value == pytest.approx(0.17, abs=0.005)


def test_a_judge_who_repeats_everything_and_one_who_repeats_nothing() -> None:
    same = repeatability(np.repeat(np.array([[1], [2], [3], [4], [5]], dtype=float), 3, axis=1))
    assert (same.sd, same.equal, same.icc.value, same.icc.low) == (0, 1, 1, 1)
    part = repeatability(np.array([[1, 1, NAN], [2, NAN, NAN], [3, 4, NAN]]))
    assert part.items == 2 and part.equal == 0.5 and part.sd == pytest.approx(0.5)
    once = repeatability(np.array([[1, NAN], [NAN, 2]]))
    assert once.sd is None and once.why == "no item was judged twice" == once.icc.why
