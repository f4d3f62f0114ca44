"""Panels of the long table: whose mark it is, and in which order items are drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd

from emoharbor.stats.panels import panels


def ratings() -> pd.DataFrame:
    """Twelve items of six people, marked by three raters."""
    marks = np.random.default_rng(8).integers(1, 6, size=(12, 3))
    rows = [
        {"item_id": f"i{i:02}", "rater_id": f"r{r}", "score": float(marks[i, r])}
        for i in range(12)
        for r in range(3)
    ]
    frame = pd.DataFrame(rows).assign(rater_kind="human", dimension="d", strategy="", sample=0)
    people = "p" + (frame["item_id"].str[1:].astype(int) // 2).astype(str)
    return frame.assign(scale_min=1.0, scale_max=5.0, profile_id=people)


def test_the_order_of_rows_changes_nothing() -> None:
    made, mixed = (
        panels(frame, seed=0, draws=50)
        for frame in (ratings(), ratings().sample(frac=1, random_state=1))
    )
    assert made.items == mixed.items and made.clusters.tolist() == mixed.clusters.tolist()
    assert (made.drawn == mixed.drawn).all()
    assert (made.dimensions[0].marks == mixed.dimensions[0].marks).all()


def test_two_kinds_of_people_with_one_id_are_two_people() -> None:
    made = ratings()
    made.loc[made["rater_id"] == "r1", ["rater_id", "rater_kind"]] = ["r0", "expert"]
    found, plain = (panels(f, seed=0, draws=50).dimensions[0].marks for f in (made, ratings()))
    assert found.shape == (12, 3)
    assert sorted(found[0]) == sorted(plain[0])
