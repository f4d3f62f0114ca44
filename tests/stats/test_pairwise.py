"""Signed-rank tests over the same people, and their correction over a family."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import wilcoxon

from emoharbor.stats.pairwise import Pair, corrected, pairwise, signed_rank, signed_ranks


def test_zeros_and_ties_are_ranked_as_pratt_does() -> None:
    # |d| = 1 0 2 1 1 3 have ranks 3 1 5 3 3 6: W+ = 17, W- = 3. Of the 32 signs of the five that
    # differ, 8 have a W of 3 or less on one side: none, or one of 3, 3, 3, in either direction.
    p, why = signed_rank([1, 0, 2, 1, -1, 3])
    assert p == 8 / 32 and why == ""
    # Twice over it is normal but for the many zeros: eleven differ.
    many = [1, 0, 2, 1, -1, 3, 1, 0, 2, 1, -1, 3, 0, 0, 1]
    expected = wilcoxon(many, zero_method="pratt", method="asymptotic").pvalue
    assert signed_rank(many)[0] == pytest.approx(expected)


def test_without_ties_it_is_the_exact_one_of_the_textbook_up_to_ten() -> None:
    few = [-1, -2, 3, 4, 5, 6, 7, 8, 9, 10]
    # Rank sums of 3 or less of 1024: {}, {1}, {2}, {3}, {1, 2}, in either direction.
    assert signed_rank(few)[0] == pytest.approx(10 / 1024)
    assert signed_rank(few)[0] == pytest.approx(wilcoxon(few, method="exact").pvalue)
    # W- = 3 of eleven: z = (33 - 3) / sqrt(126.5) = 2.6673.
    assert signed_rank([*few, 11])[0] == pytest.approx(0.007646, abs=1e-6)


def test_few_who_differ_among_many_who_do_not_are_no_finding() -> None:
    for many, exact in ((4, 0.125), (5, 0.0625), (6, 0.03125)):
        assert signed_rank([1] * many + [0] * 20)[0] == exact


def test_equal_systems_differ_one_time_in_twenty_at_most() -> None:
    rng = np.random.default_rng(5)
    for people in (6, 8, 20):
        samples = rng.choice([-1, 0, 0, 0, 1], (3000, people)).tolist()
        tested = [p for p, _ in signed_ranks(samples) if p is not None]
        assert np.mean([p < 0.05 for p in tested]) <= 0.06


def test_what_ties_but_for_rounding_ties() -> None:
    thirds = [1 / 3, 1 - 2 / 3, 0.1 + 0.2 - 0.3, 4 / 3 - 1, -1 / 3, 2 / 3, 1 / 3]
    whole = [1, 1, 0, 1, -1, 2, 1]
    assert signed_rank(thirds)[0] == signed_rank(whole)[0]


def test_what_is_not_tested_says_why() -> None:
    assert signed_rank([1, 2, 3, 4, 5]) == (None, "no test under 6 pairs")
    assert signed_rank([0.0] * 8) == (None, "no pair differs")
    assert signed_rank([1e-12] * 8) == (None, "no pair differs")
    assert signed_rank([]) == (None, "no test under 6 pairs")
    with pytest.raises(ValueError, match="missing"):
        signed_rank([1.0, float("nan"), 1, 1, 1, 1])


@given(st.lists(st.lists(st.integers(-4, 4), max_size=9), max_size=8))
def test_many_at_once_are_what_each_is_alone(samples: list[list[int]]) -> None:
    assert signed_ranks(samples) == [signed_rank(one) for one in samples]


def marks(seed: int = 3) -> pd.DataFrame:
    """Twelve people, three systems; b is better than a, and c has a gap."""
    rng = random.Random(seed)
    people = [f"p{n}" for n in range(12)]
    a = [rng.randint(1, 3) for _ in people]
    return pd.DataFrame(
        {"a": a, "b": [x + rng.randint(0, 2) for x in a], "c": [*a[:11], None]}, index=people
    ).astype("Int64")


def test_pairs_are_by_person_whatever_the_order_of_rows() -> None:
    table = marks()
    found = pairwise(table)
    assert found == pairwise(table.sample(frac=1, random_state=1))
    assert [(pair.a, pair.b, pair.n) for pair in found] == [
        ("a", "b", 12), ("a", "c", 11), ("b", "c", 11),
    ]  # fmt: skip
    differences = [float(x) for x in table["b"] - table["a"]]
    assert found[0].difference == pytest.approx(sum(differences) / 12)
    assert found[0].p == signed_rank(differences)[0]
    assert (found[1].p, found[1].why) == (None, "no pair differs")


def test_who_has_no_mark_is_in_no_pair() -> None:
    table = pd.DataFrame({"a": [1.0, 2, np.nan], "b": [np.nan, np.nan, 3.0]})
    [pair] = pairwise(table)
    assert (pair.n, pair.difference, pair.p) == (0, None, None) and pair.why


def pair(p: float | None) -> Pair:
    return Pair("a", "b", 9, 0.5, p, why="" if p is not None else "no pair differs")


def test_correction_leaves_out_what_has_no_p() -> None:
    # 0.03 * 3 / 2 = 0.045 is no less than 0.04 * 3 / 3, which is taken for both.
    found = corrected([pair(0.01), pair(None), pair(0.04), pair(0.03)])
    assert [one.q for one in found] == [pytest.approx(0.03), None, 0.04, 0.04]
    assert [one.differs for one in found] == [True, False, True, True]
    assert corrected([pair(None)]) == [pair(None)] and corrected([]) == []


@given(st.lists(st.one_of(st.none(), st.integers(0, 1000).map(lambda n: n / 1000)), max_size=12))
def test_correction_is_that_of_benjamini_and_hochberg(ps: list[float | None]) -> None:
    known = sorted(Fraction(p) for p in ps if p is not None)
    steps = [p * len(known) / rank for rank, p in enumerate(known, 1)]
    for one in corrected([pair(p) for p in ps]):
        if one.p is None:
            assert one.q is None
        else:
            above = [q for p, q in zip(known, steps, strict=True) if p >= one.p]
            assert one.q == pytest.approx(float(min(*above, Fraction(1))))
