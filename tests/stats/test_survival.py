"""How long users stay: a textbook's figures, another library's, and what is undefined."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from emoharbor.errors import ConfigError
from emoharbor.stats.survival import (
    Curve,
    curves,
    differences,
    events_of,
    horizon,
    lives,
    log_rank,
)

# Weeks in remission of Freireich et al. (1963), as in Kleinbaum and Klein, Survival Analysis,
# chapter 2; + for a patient who was still in remission.
TREATED = "6 6 6 6+ 7 9+ 10 10+ 11+ 13 16 17+ 19+ 20+ 22 23 25+ 32+ 32+ 34+ 35+"
PLACEBO = "1 1 2 2 3 4 4 5 5 8 8 8 8 11 11 12 12 15 17 22 23"


def dialogues(**systems: str) -> pd.DataFrame:
    """A dialogue a person for each number of exchanges; + for one that the cap ended."""
    rows = [
        {
            "run": "r", "supporter": name, "system": name, "profile": f"p{person}", "repeat": 0,
            "ending": "max_turns" if time.endswith("+") else "user_left",
            "ending_turn": int(time.rstrip("+")),
        }
        for name, times in systems.items()
        for person, time in enumerate(times.split())
    ]  # fmt: skip
    return pd.DataFrame(rows).astype({"ending_turn": "Int64"})


def by_name(table: pd.DataFrame, **more: Any) -> dict[str, Curve]:
    return {one.system: one for one in curves(table, seed=0, **more)}


def test_the_textbooks_curve_and_log_rank_test() -> None:
    table = lives(dialogues(treated=TREATED, placebo=PLACEBO))
    found = by_name(table)
    treated, placebo = found["treated"], found["placebo"]
    shares = {t: round(treated.survival[t - 1], 3) for t in (6, 7, 10, 13, 16, 22, 23)}
    assert shares == {
        6: 0.857, 7: 0.807, 10: 0.753, 13: 0.690, 16: 0.627, 22: 0.538, 23: 0.448
    }  # fmt: skip
    assert (treated.median, placebo.median) == (23, 8)
    assert (treated.n, treated.events, treated.at_risk[5], treated.at_risk[22]) == (21, 9, 21, 6)
    (pair,) = log_rank(table, list(found.values()))
    # Chi-square 16.79 with one degree of freedom.
    assert pair.p == pytest.approx(4.17e-5, rel=0.01) and pair.q == pair.p and pair.n == 42


def test_curve_band_and_test_are_those_of_lifelines() -> None:
    from lifelines import KaplanMeierFitter
    from lifelines.statistics import logrank_test
    from lifelines.utils import restricted_mean_survival_time

    rng = np.random.default_rng(5)
    times = {k: np.minimum(rng.geometric(p, 60), 15) for k, p in (("a", 0.06), ("b", 0.16))}
    told = {k: " ".join(f"{t}{'+' * int(t == 15)}" for t in its) for k, its in times.items()}
    table = lives(dialogues(**told))
    found = by_name(table)
    for name, its in times.items():
        fitted = KaplanMeierFitter().fit(its, its < 15)
        exchanges = range(1, 16)
        expected = fitted.survival_function_at_times(exchanges).to_numpy()
        np.testing.assert_allclose(found[name].survival, expected, rtol=1e-9)
        band = fitted.confidence_interval_.reindex(exchanges, method="ffill").to_numpy()
        left = expected < 1
        ends = np.array([found[name].low, found[name].high], dtype=float).T
        np.testing.assert_allclose(ends[left], band[left], rtol=1e-9)
        mean = restricted_mean_survival_time(fitted, t=15)
        assert found[name].mean == pytest.approx(mean, abs=1e-3)
    (pair,) = log_rank(table, list(found.values()))
    other = logrank_test(times["a"], times["b"], times["a"] < 15, times["b"] < 15)
    assert pair.p == pytest.approx(other.p_value, rel=1e-9)


def test_without_censoring_the_mean_is_that_of_the_exchanges() -> None:
    table = lives(dialogues(a="1 2 3 4 5 6 7 8"))
    (curve,) = curves(table, seed=0)
    assert curve.mean == pytest.approx(4.5) and curve.median == 4
    assert curve.mean_low is not None and curve.mean_high is not None
    assert curve.mean_low < 4.5 < curve.mean_high
    assert curves(table, seed=0) == [curve]
    assert curves(table, seed=0, draws=40) != curves(table, seed=1, draws=40)


def test_the_same_people_are_drawn_for_both_of_a_pair() -> None:
    """Where each person stays two exchanges longer the difference is two in every draw."""
    table = lives(dialogues(a="1 2 3 4 5 6 7 8", b="3 4 5 6 7 8 9 10"))
    low, high = differences(table, seed=0)["a", "b"] or (0.0, 0.0)
    assert low == pytest.approx(2) and high == pytest.approx(2)


def test_what_counts_as_leaving_and_where_others_are_censored() -> None:
    made = dialogues(a="2 3 5+ 4")
    made.loc[1, "ending"] = "user_satisfied"
    made.loc[3, ["ending", "ending_turn"]] = None
    assert lives(made)["event"].tolist() == [True, False, False]
    assert lives(made)["time"].tolist() == [2, 3, 5]
    to_the_cap = lives(made, censor="cap")
    assert to_the_cap["time"].tolist() == [2, 5, 5]
    satisfied = lives(made, events=["user_satisfied"], censor="cap")
    assert satisfied["event"].tolist() == [False, True, False]
    assert satisfied["time"].tolist() == [5, 3, 5]


def test_endings_are_named_short_or_whole() -> None:
    assert events_of(["left", "user_left", "gave_up"]) == ("user_left", "user_gave_up")
    with pytest.raises(ConfigError, match="did you mean 'left'"):
        events_of(["lefft"])


def test_means_are_restricted_to_what_every_system_was_seen_in() -> None:
    """A system of which everybody left sets no limit: of it all is known."""
    assert horizon(lives(dialogues(a="2 8+", b="3 5+"))) == 5
    assert horizon(lives(dialogues(a="2 8+", b="3 5"))) == 8
    assert horizon(lives(dialogues(a="2 4", b="3 5"))) == 5


def test_nobody_left_and_everybody_left() -> None:
    found = by_name(lives(dialogues(stays="5+ 5+ 5+ 5+ 5+ 5+", goes="2 2 2 2 2 2")))
    stays, goes = found["stays"], found["goes"]
    assert stays.survival == (1.0,) * 5 and stays.median is None and stays.mean == 5
    assert (stays.mean_low, stays.low) == (None, (None,) * 5)
    assert goes.survival == (1.0, 0.0, 0.0, 0.0, 0.0) and goes.mean == 2 and goes.median == 2


def test_a_test_that_cannot_be_made_says_why_and_belongs_to_no_family() -> None:
    table = lives(dialogues(few="2 3 4", a="5+ 5+ 5+ 5+ 5+ 5+", b="5+ 5+ 5+ 5+ 5+ 5+"))
    pairs = {(p.a, p.b): p for p in log_rank(table, curves(table, seed=0))}
    assert pairs["few", "a"].why == "no test under 6 dialogues"
    assert pairs["a", "b"].why == "nobody left"
    assert all(pair.p is None and pair.q is None for pair in pairs.values())


def test_one_person_has_no_interval() -> None:
    made = dialogues(a="2 3 4 5+")
    made["profile"] = "p"
    (curve,) = curves(lives(made), seed=0)
    assert curve.mean_low is None and not differences(lives(made), seed=0)
