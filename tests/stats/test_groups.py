"""Means of everybody and of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import pytest

from emoharbor.stats.groups import banded, by_group, means_of
from emoharbor.stats.intervals import clustered_mean


def marks(values: Mapping[str, Sequence[int | None]], dimensions: str = "xy") -> pd.DataFrame:
    """Marks of one supporter: by person, one a dimension."""
    rows = [
        ("bot", person, dimension, value)
        for person, its in values.items()
        for dimension, value in zip(dimensions, its, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["supporter", "profile", "dimension", "value"])
    return frame.astype({"value": "Int64"})


def test_the_mean_is_that_of_the_dimensions_means() -> None:
    found = means_of(marks({"p": [1, 5], "q": [3, None], "r": [5, None]}), seed=0)
    assert (found.dimensions["x"].value, found.dimensions["y"].value) == (3, 5)
    assert (found.all.value, found.all.n, found.all.clusters) == (4, 4, 3)


def test_intervals_are_those_of_drawing_people() -> None:
    table = marks({f"p{i}": [i % 5 + 1, (i * 7) % 5 + 1] for i in range(20)})
    found, x = means_of(table, seed=3), table[table["dimension"] == "x"]
    assert found.dimensions["x"] == clustered_mean(x["value"], x["profile"], seed=3)
    assert found.all.low is not None and found.all.high is not None
    assert found.all.low < 3 < found.all.high


def test_a_dimension_without_a_mark_is_told() -> None:
    found = means_of(marks({"p": [4, None], "q": [4, None]}), seed=0)
    assert found.all.value is None and found.all.why == "no mark of y"
    assert found.dimensions["x"].value == 4
    assert means_of(marks({"p": [None, None]}), seed=0).all.why == "no mark"
    alone = means_of(marks({"p": [4, 2]}), seed=0).all
    assert (alone.value, alone.low) == (3, None) and "one person" in alone.why


def test_a_group_that_is_served_worse_stands_out() -> None:
    people = {f"old{i}": [2, 2] for i in range(6)} | {f"young{i}": [4, 4] for i in range(6)}
    few = {f"other{i}": [1, 1] for i in range(5)}
    groups = pd.Series({name: name.strip("0123456789") for name in people | few})
    found = {one.group: one for one in by_group(marks(people | few), groups, seed=0)}
    assert {name: (one.people, one.below, one.few) for name, one in found.items()} == {
        "old": (6, True, False),
        "other": (5, False, True),
        "young": (6, False, False),
    }
    assert found["old"].everybody == pytest.approx((12 + 24 + 5) / 17)


def test_people_of_no_group_count_with_everybody_alone() -> None:
    (found,) = by_group(marks({"p": [1, 1], "q": [5, 5]}), pd.Series({"p": "a"}), seed=0)
    assert (found.people, found.mean.value, found.everybody) == (1, 1, 3)


def test_bands() -> None:
    ages = banded(pd.Series([12, 17, 18, 29, 30, 59, 60, 91]))
    assert ages.astype(str).tolist() == [
        "under 18", "under 18", "18–29", "18–29", "30–44", "45–59", "60 and over", "60 and over",
    ]  # fmt: skip
    assert banded(pd.Series([1, 2, 3, 4, 5])).astype(str).tolist() == [
        "low", "low", "middle", "high", "high",
    ]  # fmt: skip
    assert banded(pd.Series([True, False])).tolist() == ["yes", "no"]
    assert banded(pd.Series(["work", "", None])).tolist() == ["work", "none"]
