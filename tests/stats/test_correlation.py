"""Correlations against textbook data, and their draws against scipy on drawn items."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from emoharbor.stats.correlation import (
    FEWEST_DRAWS,
    STATISTICS,
    WEIGHTED,
    Drawn,
    Statistic,
    ceiling,
    correlation,
    difference,
    mean_of,
    undefined,
    weights,
)

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
NAN = float("nan")


def found(statistic: Statistic, x: Any, y: Any, clusters: Any = None, draws: int = 400) -> Drawn:
    """A correlation of items that are all different people's, unless `clusters` says whose."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    whose = pd.Series(np.arange(len(x)) if clusters is None else clusters)
    codes = whose.factorize()[0]
    return correlation(statistic, x, y, codes, weights(whose, seed=0, draws=draws))


def some_marks(n: int = 40, seed: int = 3) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 6, n).astype(float)
    return x, np.clip(x + rng.integers(-2, 3, n), 1, 5)


def test_pearson_of_anscombe_s_first_set() -> None:
    """Anscombe (1973), Graphs in Statistical Analysis, The American Statistician 27: r = 0.816."""
    x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    assert found("pearson", x, y).value == pytest.approx(0.816, abs=0.0005)


def test_spearman_by_hand() -> None:
    """Ten pairs without ties: sum of squared rank differences 194, 1 - 6·194/(10·99) = -29/165."""
    iq = [106, 100, 86, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 27, 2, 50, 28, 29, 20, 12, 6, 17]
    assert found("spearman", iq, hours).value == pytest.approx(-29 / 165)


def test_kendall_by_hand() -> None:
    """Without ties 5 pairs agree and 1 does not; with ties 4 / sqrt(5 · 5)."""
    assert found("kendall", [1, 2, 3, 4], [1, 3, 2, 4]).value == pytest.approx(4 / 6)
    assert found("kendall", [1, 1, 2, 3], [1, 2, 2, 3]).value == pytest.approx(4 / 5)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_draw_is_the_statistic_of_the_items_that_it_takes(statistic: Statistic) -> None:
    x, y = some_marks()
    drawn = weights(pd.Series(np.arange(len(x)) // 2), seed=1, draws=30)
    for taken, value in zip(drawn, WEIGHTED[statistic](x, y, drawn), strict=True):
        items = np.repeat(np.arange(len(x)), taken.astype(int))
        assert value == pytest.approx(SCIPY[statistic](x[items], y[items]).statistic)


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_interval_holds_the_value_and_the_seed_decides(statistic: Statistic) -> None:
    x, y = some_marks()
    one, again = (found(statistic, x, y).interval() for _ in range(2))
    assert one == again and one.value and one.low and one.high
    assert one.low < one.value < one.high and (one.n, one.clusters) == (40, 40)
    other = correlation(statistic, x, y, np.arange(40), weights(pd.Series(range(40)), 1, 400))
    assert other.interval().low != one.low


def test_copies_of_one_person_s_items_narrow_nothing() -> None:
    x, y = some_marks()
    one = found("pearson", x, y).interval()
    people = np.repeat(np.arange(40), 3)
    tripled = found("pearson", x.repeat(3), y.repeat(3), people).interval()
    assert (tripled.n, tripled.clusters) == (120, 40)
    assert tripled.low == pytest.approx(one.low) and tripled.high == pytest.approx(one.high)
    apart = found("pearson", x.repeat(3), y.repeat(3)).interval()
    assert apart.low and one.low and apart.low > one.low


@pytest.mark.parametrize("statistic", STATISTICS)
def test_what_is_undefined_says_why(statistic: Statistic) -> None:
    few = found(statistic, [1, 2, NAN], [1, 2, 3])
    assert few.value is None and few.why == "fewer than 3 items with both marks" and few.n == 2
    same = found(statistic, [4, 4, 4, 4], [1, 2, 3, 4])
    assert same.interval().value is None and same.why == "all marks are the same"
    one = found(statistic, [1, 2, 4, 4], [1, 2, 3, 4], clusters=[0, 0, 0, 0]).interval()
    assert one.value and one.low is None and one.why == "one person gives no interval"


def test_draws_that_are_mostly_constant_give_no_interval() -> None:
    # Both vary in a draw only if it takes the one person as well as the other.
    rare = found("pearson", [1] * 39 + [5], [5] + [1] * 39)
    assert rare.value is not None and np.isnan(rare.draws).mean() > 0.5
    interval = rare.interval()
    assert interval.value == rare.value and interval.low is None
    assert interval.why == "no interval: undefined in most draws of people"


def test_kendall_draws_less_often_where_pairs_are_many() -> None:
    x, y = some_marks(1500)
    many = found("kendall", x, y, draws=300)
    assert len(many.draws) == FEWEST_DRAWS and many.interval().low is not None


def test_means_and_differences_keep_to_the_same_draws() -> None:
    x, y = some_marks()
    a, b = found("pearson", x, y), found("pearson", x, np.roll(y, 1))
    assert a.value is not None and b.value is not None
    assert mean_of([a, b]).value == pytest.approx((a.value + b.value) / 2)
    assert mean_of([a, undefined("no mark")]).value == a.value
    assert mean_of([]).why == "no dimension has a value"
    same, none = difference(a, a).interval(), difference(a, undefined("no mark"))
    assert (same.value, same.low, same.high) == (0, 0, 0)
    assert none.value is None and none.why == "no mark"
    assert difference(a, b).value == b.value - a.value


def test_the_ceiling_is_the_mean_of_everybody_against_the_others() -> None:
    marks = np.array([[1, 2, 1], [2, 2, 3], [4, 3, 4], [5, 5, 3], [3, 1, NAN]], dtype=float)
    clusters, drawn = np.arange(5), weights(pd.Series(range(5)), 0, 100)
    each = []
    for place in range(3):
        others = np.nanmean(np.delete(marks, place, axis=1), axis=1)
        known = np.isfinite(marks[:, place])
        each.append(stats.pearsonr(marks[known, place], others[known]).statistic)
    one = ceiling("pearson", marks, clusters, drawn)
    assert one.value == pytest.approx(np.mean(each)) and one.n == 5
    alone = np.array([[1, NAN], [NAN, 2], [3, NAN], [4, NAN]])
    assert ceiling("pearson", alone, clusters[:4], drawn[:, :4]).why.startswith("one rater an item")
    assert "nobody marked 3" in ceiling("pearson", marks[:2], clusters[:2], drawn[:, :2]).why
