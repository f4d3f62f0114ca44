"""Paired differences: what is a pair, what is counted beside it, and what is undefined."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import pytest

from emoharbor.errors import ConfigError
from emoharbor.stats.arms import marks_of
from emoharbor.stats.paired import matched, paired
from emoharbor.stats.pairwise import signed_rank

Marks = Mapping[str, int | None]


def scores(marks: Mapping[str, Marks], dimension: str = "care") -> pd.DataFrame:
    """A row a mark of each supporter, by profile."""
    rows = [
        {"supporter": name, "profile": profile, "dimension": dimension, "value": value}
        for name, its in marks.items()
        for profile, value in its.items()
    ]
    return pd.DataFrame(rows).astype({"value": "Int64"})


def numbered(*values: int | None) -> dict[str, int | None]:
    return {f"p{n}": value for n, value in enumerate(values)}


def test_pairs_are_by_profile_and_the_figures_are_those_of_the_textbook() -> None:
    before = scores({"a": numbered(2, 3, 3, 1, 4, 2)})
    after = scores({"a": numbered(3, 3, 5, 2, 3, 5)})
    [row] = paired(marks_of(before), marks_of(after[::-1]), {"a": "a"})
    # Differences 1, 0, 2, 1, -1, 3: mean 1, s = sqrt(2), t(0.975, 5) = 2.5706.
    assert (row.pair.n, row.pair.difference, row.before, row.after) == (6, 1.0, 2.5, 3.5)
    assert row.low == pytest.approx(1 - 2.5706 * 2**0.5 / 6**0.5, abs=1e-3)
    assert row.high == pytest.approx(1 + 2.5706 * 2**0.5 / 6**0.5, abs=1e-3)
    assert (row.higher, row.same, row.lower) == (4, 1, 1)
    assert row.pair.p == signed_rank([1, 0, 2, 1, -1, 3])[0] == row.pair.q


def test_a_person_is_one_pair_however_often_they_came() -> None:
    before = scores({"a": numbered(2, 4)})
    again = pd.concat([before, scores({"a": numbered(4, None)})])
    [row] = paired(marks_of(again), marks_of(scores({"a": numbered(5, 5)})), {"a": "a"})
    assert (row.pair.n, row.before, row.pair.difference) == (2, 3.5, 1.5)


def test_what_has_no_mark_or_no_partner_is_counted_and_left_out() -> None:
    before = scores({"a": {"p1": 2, "p2": None, "p4": 1}})
    after = scores({"a": {"p1": 4, "p2": 5, "p5": 5}})
    [row] = paired(marks_of(before), marks_of(after), {"a": "a"})
    assert (row.pair.n, row.unscored, row.pair.difference) == (1, 1, 2.0)
    assert row.low is None and row.pair.p is None and row.pair.why == "no test under 6 pairs"


def test_nobody_on_both_sides_is_no_zero() -> None:
    before, after = marks_of(scores({"a": {"p1": 2}})), marks_of(scores({"b": {"p2": 4}}))
    for supporters in ({"a": "b"}, {"a": "nobody"}):
        [row] = paired(before, after, supporters)
        assert (row.pair.n, row.pair.difference, row.before, row.after) == (0, None, None, None)


def test_no_difference_at_all_has_no_p() -> None:
    same = marks_of(scores({"a": numbered(2, 3, 4, 2, 3, 1)}))
    [row] = paired(same, same, {"a": "a"})
    assert (row.pair.difference, row.pair.p, row.pair.why) == (0.0, None, "no pair differs")
    assert (row.low, row.high) == (0.0, 0.0)


def test_all_tests_are_one_family_and_only_shared_dimensions_are_compared() -> None:
    before = {"a": numbered(1, 1, 1, 1, 1, 1, 1), "b": numbered(2, 2, 2, 2, 2, 2, 2)}
    after = {"a": numbered(3, 4, 2, 3, 2, 4, 5), "b": numbered(2, 1, 2, 3, 2, 2, 2)}
    first = pd.concat([scores(before), scores(before, "alone")])
    second = pd.concat([scores(after), scores(after, "other")])
    rows = paired(marks_of(first), marks_of(second), {"a": "a", "b": "b"})
    assert [(row.pair.a, row.dimension) for row in rows] == [("a", "care"), ("b", "care")]
    [p, other] = [row.pair.p for row in rows]
    assert p is not None and other is not None and p < other
    assert [row.pair.q for row in rows] == [pytest.approx(2 * p), pytest.approx(other)]


def test_supporters_are_matched_by_name_or_when_there_is_no_choice() -> None:
    assert matched(["a"], ["b"]) == {"a": "b"}
    assert matched(["a", "b"], ["b"]) == {"b": "b"}
    with pytest.raises(ConfigError, match="--pair FIRST=SECOND"):
        matched(["a", "b"], ["c"])
