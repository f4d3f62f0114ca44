"""Differences at the same length: what is recovered, and when there is nothing to fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from emoharbor.stats.length import adjusted


def people(n: int = 40, *, own: float = -0.5, slope: float = 0.1, seed: int = 2) -> pd.DataFrame:
    """Marks that an arm lowers by `own` and every exchange raises by `slope`."""
    rng = np.random.default_rng(seed)
    person = rng.normal(0, 0.3, n)
    frame = pd.DataFrame({"profile": [f"p{i}" for i in range(n)], "supporter": "a"})
    frame["first_turns"] = rng.integers(8, 16, n).astype(float)
    frame["second_turns"] = rng.integers(3, 11, n).astype(float)
    noise = rng.normal(0, 0.1, (2, n))
    frame["first_mark"] = 3 + slope * frame["first_turns"] + person + noise[0]
    frame["second_mark"] = 3 + own + slope * frame["second_turns"] + person + noise[1]
    return frame


def test_what_the_arm_does_at_equal_length_is_told_apart_from_length() -> None:
    found = adjusted(people())
    assert found.difference is not None and found.difference < -0.8
    assert found.adjusted == pytest.approx(-0.5, abs=0.15)
    assert found.low is not None and found.high is not None and found.low < -0.5 < found.high
    assert found.slope == pytest.approx(0.1, abs=0.03) and found.n == 40
    assert found.p is not None and found.p < 0.001 and found.why == ""
    wanted = [people()[key].mean() for key in ("first_turns", "second_turns")]
    assert found.lengths is not None and list(found.lengths) == pytest.approx(wanted)


def test_a_difference_of_length_alone_is_not_one_of_the_arms() -> None:
    found = adjusted(people(own=0.0))
    assert found.difference is not None and found.difference < -0.3
    assert found.low is not None and found.high is not None and found.low < 0 < found.high


def test_several_supporters_have_a_constant_each() -> None:
    other = people(seed=7).assign(supporter="b")
    both = pd.concat([people(), other.assign(
        first_mark=other["first_mark"] + 1, second_mark=other["second_mark"] + 1
    )])  # fmt: skip
    found = adjusted(both)
    assert found.adjusted == pytest.approx(-0.5, abs=0.15) and found.n == 40


def test_what_cannot_be_fitted_says_why() -> None:
    fixed = people().assign(first_turns=12.0, second_turns=5.0)
    flat = people().assign(first_mark=4.0, second_mark=3.0)
    for frame, why in (
        (fixed, "do not vary"), (flat, "the marks do not vary"), (people(5), "under 6 people"),
        (people(8).assign(first_mark=np.nan), "nobody has a mark"),
    ):  # fmt: skip
        found = adjusted(frame)
        assert (found.adjusted, found.low, found.p, found.slope) == (None, None, None, None)
        assert why in found.why
    assert adjusted(fixed).difference == pytest.approx(
        float((fixed["second_mark"] - fixed["first_mark"]).mean())
    )
