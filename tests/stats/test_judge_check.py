"""Shifts, steadiness and halo against figures worked out by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from emoharbor.stats.judge_check import halo, shifts, steadiness

COLUMNS = ["variant", "dialogue", "profile", "sample", "dimension", "value"]


def marks(*rows: tuple[str, str, int, str, float]) -> pd.DataFrame:
    """Rows of (variant, dialogue, sample, dimension, value); every dialogue is one person's."""
    return pd.DataFrame([(v, d, d, s, dim, x) for v, d, s, dim, x in rows], columns=COLUMNS)


def test_a_shift_is_held_against_the_mean_of_the_plain_verdicts() -> None:
    (one,) = shifts(
        marks(
            ("as_it_is", "d1", 0, "EP", 2),
            ("as_it_is", "d1", 1, "EP", 4),
            ("as_it_is", "d2", 0, "EP", 3),
            ("as_it_is", "d3", 0, "EP", math.nan),
            ("longer", "d1", 0, "EP", 4),
            ("longer", "d2", 0, "EP", 3),
            ("longer", "d3", 0, "EP", 5),
        ),  # fmt: skip
        seed=1,
    )
    assert one.shift.value == pytest.approx(0.5) and (one.dialogues, one.unscored) == (2, 1)
    assert one.changed == 0.5


def test_steadiness_is_the_pooled_deviation() -> None:
    found = steadiness(
        marks(
            ("as_it_is", "d1", 0, "EP", 2),
            ("as_it_is", "d1", 1, "EP", 4),
            ("as_it_is", "d2", 0, "EP", 3),
            ("as_it_is", "d2", 1, "EP", 3),
            ("as_it_is", "d3", 0, "EP", 5),
        )  # fmt: skip
    )
    # Variances 2 and 0 over one degree of freedom each.
    assert found.sd == pytest.approx(1.0) and (found.places, found.equal) == (2, 0.5)
    alone = steadiness(marks(("as_it_is", "d1", 0, "EP", 2)))
    assert alone.sd is None and "twice" in alone.why


def test_halo_is_over_dialogues_and_leaves_out_what_does_not_vary() -> None:
    rows = [("as_it_is", f"d{i}", 0, key, value)
            for i in range(4)
            for key, value in (("EP", i + 1), ("RA", i + 1), ("SF", 5), ("HL", 4 - i))]  # fmt: skip
    found = halo(marks(*rows))
    assert found.pairs == 3 and found.mean == pytest.approx(-1 / 3)
    assert found.highest is not None and found.highest[:2] == ("EP", "RA")
    assert halo(marks(*rows[:8])).why == "fewer than three dialogues"
    assert "vary" in halo(marks(*[row for row in rows if row[3] == "SF"])).why
