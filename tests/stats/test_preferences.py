"""Pairwise preferences: rates and strengths against what is known of them."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from emoharbor.stats.preferences import first_shown, match_points, pair_rates, strengths


def judged(*matches: tuple[str, str, str, str, str]) -> pd.DataFrame:
    """Rows of (a, b, profile, winner of the first order, winner of the other one)."""
    rows = [
        {"a": a, "b": b, "supporter": "s", "profile": profile, "repeat": 0,
         "turned": turned, "winner": winner}
        for a, b, profile, one, other in matches
        for turned, winner in ((False, one), (True, other))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_a_win_a_tie_and_a_contradiction() -> None:
    (rate,) = pair_rates(
        judged(
            ("x", "y", "p1", "a", "a"),
            ("x", "y", "p2", "a", "tie"),
            ("x", "y", "p3", "a", "b"),
            ("x", "y", "p4", "tie", "tie"),
            ("x", "y", "p5", "b", "tie"),
        ),
        seed=1,
    )
    assert (rate.wins, rate.ties, rate.losses, rate.contrary, rate.half) == (2, 2, 1, 1, 0)
    assert rate.rate.value == pytest.approx(0.6) and rate.rate.clusters == 5


def test_half_a_match_counts_in_no_rate() -> None:
    frame = judged(("x", "y", "p1", "a", "a"), ("x", "y", "p2", "a", "a")).iloc[:3]
    (rate,) = pair_rates(frame, seed=1)
    assert (rate.wins, rate.half) == (1, 1)
    assert match_points(frame)["points"].isna().sum() == 1


def test_the_order_of_showing_is_seen() -> None:
    always_first = judged(("x", "y", "p1", "a", "b"), ("x", "y", "p2", "a", "b"))
    assert first_shown(always_first, seed=1).value == 1.0
    fair = judged(("x", "y", "p1", "a", "a"), ("x", "y", "p2", "b", "b"))
    assert first_shown(fair, seed=1).value == 0.5


def test_bradley_terry_of_two_is_the_log_of_their_odds() -> None:
    # Of two, the likelihood is that of a coin: 15 wins of 20 are odds of three to one.
    won = [("x", "y", f"p{i}", *(("a", "a") if i < 15 else ("b", "b"))) for i in range(20)]
    x, y = strengths(judged(*won), seed=1, draws=50)
    assert x.value is not None and y.value is not None and x.low is not None
    assert x.value - y.value == pytest.approx(math.log(3), abs=1e-6)
    assert x.low < x.value and x.matches == 20


def test_bradley_terry_finds_the_strengths_that_made_the_wins() -> None:
    # Expected wins of strengths 0, log 2 and log 4: odds of 2, 2 and 4 over 60 matches a pair.
    pairs = {("y", "x"): 40, ("z", "y"): 40, ("z", "x"): 48}
    rows = [
        (a, b, f"p{i}", *(("a", "a") if i < wins else ("b", "b")))
        for (a, b), wins in pairs.items()
        for i in range(60)
    ]
    found = {one.name: one.value for one in strengths(judged(*rows), seed=1, draws=20)}
    assert found["y"] == pytest.approx(0.0, abs=1e-6)
    assert found["z"] == pytest.approx(math.log(2), abs=1e-6)
    assert found["x"] == pytest.approx(-math.log(2), abs=1e-6)


def test_whoever_wins_all_has_no_strength_and_it_is_said_why() -> None:
    found = strengths(judged(("x", "y", "p1", "a", "a"), ("x", "y", "p2", "a", "a")), seed=1)
    assert [one.value for one in found] == [None, None]
    assert all("won, or lost, all" in one.why for one in found)
