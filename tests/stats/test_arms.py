"""People's marks, who differs in which dimension, and how far one arm is from the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, wilcoxon

from emoharbor.stats.arms import MEAN, changes, letters, marks_of, people_of, with_mean


def scores(rows: Sequence[tuple[str, str, str, int | None]]) -> pd.DataFrame:
    columns = ["supporter", "profile", "dimension", "value"]
    return pd.DataFrame(rows, columns=columns).astype({"value": "Int64"})


def table(
    seed: int = 4, people: int = 30, steps: Sequence[float] = (0, 0, 0.8, 1.5)
) -> pd.DataFrame:
    """Marks in two dimensions of supporters that are `steps` apart in the first one alone."""
    rng = np.random.default_rng(seed)
    index = pd.MultiIndex.from_product(
        [[f"s{n}" for n in range(len(steps))], [f"p{n}" for n in range(people)]],
        names=["supporter", "profile"],
    )
    means = np.repeat([2 + step for step in steps], people)
    care = np.clip(np.round(means + rng.normal(0, 0.6, len(index))), 1, 5)
    return pd.DataFrame({"care": care, "plain": rng.integers(2, 5, len(index))}, index, dtype=float)


def test_a_mark_is_the_mean_of_what_was_given_and_dimensions_keep_their_order() -> None:
    marks = marks_of(scores([
        ("b", "p1", "z", 4), ("b", "p1", "z", 5), ("b", "p1", "a", None), ("b", "p2", "a", 2),
        ("b", "p2", "z", None), ("b", "p2", "z", 1), ("a", "p1", "z", None),
    ]))  # fmt: skip
    assert list(marks.columns) == ["z", "a"]
    assert marks["z"][("b", "p1")] == 4.5 and marks["z"][("b", "p2")] == 1
    # Who was judged and has no mark is there, without one.
    [nothing] = people_of(marks, "a").to_numpy()
    assert np.isnan(nothing).all()
    whole = with_mean(marks)[MEAN]
    assert whole[("b", "p2")] == 1.5 and np.isnan(whole[("b", "p1")])
    assert people_of(marks, "nobody").empty and len(people_of(marks, "b")) == 2


def test_letters_are_those_of_the_whole_family_by_hand() -> None:
    # Here five pairs differ uncorrected, and five when each dimension is a family of its own.
    marks = table(seed=8)
    found = letters(marks)
    tests = {
        (key, a, b): wilcoxon(
            marks[key][b] - marks[key][a], zero_method="pratt", method="asymptotic"
        ).pvalue
        for key in ("care", "plain")
        for a, b in combinations(["s0", "s1", "s2", "s3"], 2)
    }
    qs = dict(zip(tests, false_discovery_control(list(tests.values())), strict=True))
    for (key, a, b), q in qs.items():
        assert bool(set(found.of[key, a]) & set(found.of[key, b])) == (q >= 0.05), (key, a, b)
    assert found.tested == 12 and found.untested == {}
    assert found.different == sum(q < 0.05 for q in qs.values()) == 4
    assert found.of["care", "s3"] == "a" and found.of["care", "s0"] == found.of["care", "s1"]


def test_letters_do_not_depend_on_the_order_of_rows() -> None:
    marks = table()
    assert letters(marks.sample(frac=1, random_state=5)).of == letters(marks).of


def test_who_has_no_mark_has_no_letters_and_few_people_no_test() -> None:
    marks = table(people=5)
    marks.loc["s3", "care"] = np.nan
    found = letters(marks)
    assert ("care", "s3") not in found.of and found.of["care", "s0"] == "a"
    assert (found.tested, found.untested) == (0, {"no test under 6 pairs": 9})


def test_too_many_letters_are_told_and_not_raised() -> None:
    people, half = 40, 10
    rng = np.random.default_rng(0)
    # Ten supporters were met by some people and ten by others: within a group all differ.
    columns = {
        f"s{n:02d}": [float(n % half) + rng.normal(0, 0.01) for _ in range(people)]
        for n in range(2 * half)
    }
    wide = pd.DataFrame(columns, index=[f"p{n}" for n in range(people)])
    wide.iloc[:20, half:] = np.nan
    wide.iloc[20:, :half] = np.nan
    marks = pd.DataFrame({"care": wide.T.stack()}).rename_axis(["supporter", "profile"])
    found = letters(marks)
    assert "100 letters" in found.unlettered["care"] and found.of == {}
    assert found.tested == 90 and found.untested == {"no test under 6 pairs": 100}


def arm(**marks: float | None) -> pd.DataFrame:
    frame = pd.DataFrame({"care": marks}, dtype=float)
    return frame.rename_axis("profile")


def test_a_change_is_over_those_who_have_a_mark_in_both() -> None:
    one = changes(arm(p=4, q=2, r=None), arm(q=1, p=2, r=5, s=5))["care"]
    assert (one.mean, one.n, one.both) == (3.25, 4, 2)
    assert one.share == pytest.approx(1.5 / 3 - 1)


@pytest.mark.parametrize(
    "first, second, why",
    [
        (arm(p=0, q=0), arm(p=1, q=2), "the first mean is 0"),
        (arm(p=3), arm(q=2), "nobody has a mark in both"),
        (arm(p=3), arm(p=None), "no mark in the second"),
    ],
)
def test_no_change_is_told_of_nothing(first: pd.DataFrame, second: pd.DataFrame, why: str) -> None:
    one = changes(first, second)["care"]
    assert one.share is None and why in one.why
