"""Appendix E's equations, what they amount to, and what noise alone gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, mannwhitneyu

from emoharbor.stats.anova import one_way
from emoharbor.stats.discrimination import (
    as_printed,
    floor,
    paired_share,
    printed_f,
    standard_f,
    unpaired_share,
)


def ratings(
    seed: int, people: int, systems: int, *, apart: float = 0.3, person: float = 0.0
) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(people, systems)) + person * rng.normal(size=(people, 1))
    names = [f"s{i}" for i in range(systems)]
    return pd.DataFrame(noise + apart * np.arange(systems), columns=names)


def test_the_equations_by_hand() -> None:
    # Means 2 and 4 round 3: between 1. Both vary by 1 within: MSR 1, MAC 1/2, F 1 / (1/4).
    found = as_printed(pd.DataFrame({"a": [1, 2, 3], "b": [3, 4, 5]}))
    assert (found.between, found.within) == (1, 1)
    assert (found.msr, found.mac, found.f) == (1, 0.5, 4)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(2, 8))
def test_mac_and_f_say_no_more_than_msr_and_the_standard_f(
    seed: int, people: int, systems: int
) -> None:
    table = ratings(seed, people, systems)
    found, standard = as_printed(table), one_way(table).test
    assert found.msr is not None and standard.f is not None
    assert found.mac == found.msr / (1 + found.msr)
    assert found.f == pytest.approx(standard.f * (people - 1) / people)
    assert standard_f(found.msr, systems, people) == pytest.approx(standard.f)


def test_the_published_msr_gives_another_f_than_the_published_one() -> None:
    assert printed_f(0.745, 20, 100) == pytest.approx(77.6, abs=0.05)
    assert standard_f(0.745, 20, 100) == pytest.approx(78.4, abs=0.05)


def test_the_floor_is_what_equal_supporters_give() -> None:
    found = [as_printed(ratings(seed, 10, 5, apart=0)).msr or 0 for seed in range(500)]
    its = floor(ratings(0, 10, 5), seed=0)
    assert its.expected is not None and its.high is not None
    assert np.mean(found) == pytest.approx(its.expected, rel=0.1)
    assert np.mean(np.array(found) > its.high) == pytest.approx(0.05, abs=0.025)


def test_shuffling_within_people_knows_how_much_people_differ() -> None:
    equal = [as_printed(ratings(seed, 40, 5, apart=0, person=1)).msr or 0 for seed in range(300)]
    its = floor(ratings(1, 40, 5, apart=1, person=1), seed=0)
    assert its.shuffled is not None and its.expected is not None
    assert its.shuffled == pytest.approx(float(np.mean(equal)), rel=0.3)
    assert its.shuffled < 0.7 * its.expected
    assert its == floor(ratings(1, 40, 5, apart=1, person=1), seed=0)


def test_p_counts_the_pairs_that_differ() -> None:
    table = ratings(5, 40, 3, apart=0).assign(far=ratings(6, 40, 1)["s0"] + 5)
    for found in (paired_share(table)[0], unpaired_share(table)):
        assert (found.pairs, found.different, found.share) == (6, 3, 0.5)


def test_pairing_people_sees_more() -> None:
    table = ratings(2, 30, 2, apart=0.8, person=5)
    assert (paired_share(table)[0].share, unpaired_share(table).share) == (1.0, 0.0)


def test_the_unpaired_test_is_mann_and_whitneys_with_gaps_too() -> None:
    table = ratings(4, 20, 3, apart=0.7)
    table.iloc[:5, 1] = np.nan
    columns = [table[name].dropna() for name in table]
    ps = [
        mannwhitneyu(columns[a], columns[b], method="asymptotic").pvalue
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    different = int((false_discovery_control(ps) < 0.05).sum())
    found = unpaired_share(table)
    assert found.different == different and 0 < different < 3


def test_people_who_lack_a_rating_are_left_out_of_the_equations() -> None:
    table = ratings(1, 12, 3)
    gap = table.copy()
    gap.iloc[0, 0] = np.nan
    assert as_printed(gap) == as_printed(table[1:])
    assert as_printed(gap).people == 11


def test_what_is_undefined_is_told_in_words() -> None:
    table = ratings(1, 12, 3)
    assert "two supporters with ratings are needed" in as_printed(table[["s0"]]).why
    assert "fewer than two people" in as_printed(table[:1]).why
    assert "no noise" in as_printed(table * 0 + 1).why
    assert floor(table[:1], seed=0).expected is None
    assert "no pair" in unpaired_share(table[["s0"]]).why
    for found in (paired_share(table[:5])[0], unpaired_share(table[:5])):
        assert found.share is None and "no test under 6" in found.why
    for found in (paired_share(table * 0 + 1)[0], unpaired_share(table * 0 + 1)):
        assert found.share == 0


def test_the_order_of_people_changes_no_floor() -> None:
    table = ratings(2, 15, 4)
    assert floor(table.sample(frac=1, random_state=1), seed=0) == floor(table, seed=0)
