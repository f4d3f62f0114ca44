"""Kendall's W against a textbook and another library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest

from emoharbor.stats.concordance import kendalls_w

# Siegel, Nonparametric Statistics (1956), chapter 9: three interviewers rank six applicants.
APPLICANTS = [[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]]


def table(rows: Sequence[Sequence[float]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list("abcdef")[: len(rows[0])])


def test_w_as_siegel_prints_it() -> None:
    found = kendalls_w(table(APPLICANTS))
    assert found.w == pytest.approx(0.16, abs=0.005)
    assert (found.people, found.df, found.p) == (3, 5, None)
    assert "no test under 6" in found.why


def test_w_with_ties_as_pingouin_has_it() -> None:
    import pingouin

    marks = pd.DataFrame(np.random.default_rng(1).integers(1, 4, size=(15, 4))).rename(columns=str)
    found = kendalls_w(marks)
    known = pingouin.friedman(marks)  # type: ignore[no-untyped-call]
    assert found.w == pytest.approx(known["W"].item())
    assert found.p == pytest.approx(known["p_unc"].item())


def test_agreement_is_1_and_its_opposite_0() -> None:
    assert kendalls_w(table([[1, 2, 3]] * 8)).w == pytest.approx(1)
    assert kendalls_w(table([[1, 2, 3], [3, 2, 1]] * 4)).w == pytest.approx(0)


def test_who_lacks_a_rating_is_counted() -> None:
    found = kendalls_w(table([[1, 2, 3]] * 8 + [[1, 2, np.nan]]))
    assert (found.people, found.left_out) == (8, 1)


def test_what_is_undefined_is_told_in_words() -> None:
    assert "three supporters" in kendalls_w(table([[1, 2]] * 8)).why
    assert "two people" in kendalls_w(table([[1, 2, 3]])).why
    assert "differently" in kendalls_w(table([[2, 2, 2]] * 8)).why
