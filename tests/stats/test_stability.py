"""A ranking made again from people drawn anew."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from emoharbor.stats.stability import stability


def test_a_ranking_that_everybody_shares_stays() -> None:
    table = pd.DataFrame({"low": [1.0, 2, 3], "high": [3.0, 4, 5], "middle": [2.0, 3, 4]})
    found = stability(table, seed=0)
    assert (found.top, found.same_top, found.tau) == (("high",), 1.0, 1.0)
    assert {name: (p.rank, p.low, p.high) for name, p in found.places.items()} == {
        "high": (1, 1, 1),
        "middle": (2, 2, 2),
        "low": (3, 3, 3),
    }


def test_a_ranking_of_equals_is_made_by_who_happens_to_be_there() -> None:
    rng = np.random.default_rng(4)
    ratings = rng.normal(size=(60, 3))
    ratings -= ratings.mean(axis=0)
    table = pd.DataFrame(ratings, columns=list("abc")) + [0, 1e-6, 0]
    found = stability(table, seed=0, draws=2000)
    assert found.top == ("b",)
    assert found.same_top == pytest.approx(1 / 3, abs=0.1)
    assert found.tau == pytest.approx(0, abs=0.1)
    assert {(p.low, p.high) for p in found.places.values()} == {(1, 3)}
    assert stability(table, seed=0) == stability(table, seed=0)
    assert stability(table, seed=0) != stability(table, seed=1)


def test_equals_share_the_first_rank() -> None:
    table = pd.DataFrame({"a": [1.0, 2], "b": [2.0, 1], "c": [0.0, 0]})
    found = stability(table, seed=0)
    assert found.top == ("a", "b")
    assert [found.places[name].rank for name in "abc"] == [1, 1, 3]
    assert found.same_top is not None and found.same_top < 1


def test_gaps_are_no_zeros() -> None:
    table = pd.DataFrame({"a": [4.0, np.nan, 4, np.nan] * 5, "b": [3.0] * 20})
    found = stability(table, seed=0)
    assert (found.top, found.same_top, found.places["a"].mean) == (("a",), 1.0, 4)


def test_what_is_undefined_is_told_in_words() -> None:
    table = pd.DataFrame({"a": [1.0, 2], "b": [1.0, 2]})
    assert stability(table, seed=0).tau is None
    assert "two supporters" in stability(table[["a"]], seed=0).why
    assert "two people" in stability(table[:1], seed=0).why
    assert "no rating" in stability(table.assign(c=np.nan), seed=0).why


def test_the_order_of_people_changes_nothing() -> None:
    ratings = np.random.default_rng(6).normal(size=(15, 4))
    table = pd.DataFrame(ratings, columns=list("abcd"), index=[f"p{n}" for n in range(15)])
    assert stability(table.sample(frac=1, random_state=1), seed=0) == stability(table, seed=0)
