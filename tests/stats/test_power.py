"""People needed, against the standard tool for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from emoharbor.stats.pairwise import signed_rank
from emoharbor.stats.power import people_needed, spread


@pytest.mark.parametrize("effect, people", [(0.2, 208), (0.5, 35), (0.8, 15)])
def test_people_as_g_power_counts_them(effect: float, people: int) -> None:
    # G*Power 3.1, Wilcoxon signed-rank test (matched pairs), A.R.E. of a normal parent,
    # two-sided, alpha 0.05, power 0.8: the t-test's 198.2, 33.4 and 14.3 over 3 / pi.
    assert people_needed(effect * 0.4, 0.4) == people


def test_so_many_people_see_the_difference_four_times_in_five() -> None:
    rng, people = np.random.default_rng(0), people_needed(0.3, 0.5)
    seen = [(signed_rank(rng.normal(0.3, 0.5, people).tolist())[0] or 1) < 0.05 for _ in range(800)]
    assert np.mean(seen) == pytest.approx(0.8, abs=0.05)


def test_a_stricter_test_and_a_smaller_difference_want_more() -> None:
    assert people_needed(0.1, 0.5) > people_needed(0.2, 0.5)
    assert people_needed(0.1, 0.5, alpha=0.05 / 190) > people_needed(0.1, 0.5)
    assert people_needed(9, 0.5) == 6


def test_the_spread_is_that_of_paired_differences() -> None:
    rng = np.random.default_rng(1)
    person = rng.normal(size=50) * 9
    table = pd.DataFrame({"a": person, "b": person + rng.normal(size=50), "c": person})
    found = spread(table)
    assert found.typical == pytest.approx((table["b"] - table["a"]).std(), rel=1e-6)
    assert (found.pairs, found.typical) == (3, found.widest)


def test_what_is_undefined_is_told_in_words() -> None:
    table = pd.DataFrame({"a": range(8), "b": range(8)})
    assert "do not vary" in spread(table).why
    assert "6 people in common" in spread(table[:5]).why
    assert "6 people in common" in spread(table[["a"]]).why
