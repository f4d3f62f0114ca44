"""Analyses of variance against textbooks and other libraries."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from emoharbor.stats.anova import FEW_PEOPLE, MIXED, NO_SPREAD, REPEATED, blocked, one_way

# Field, Discovering Statistics Using SPSS (2009), chapter 10: three doses.
DOSES = {"placebo": [3, 2, 1, 1, 4], "low": [5, 2, 4, 2, 3], "high": [7, 4, 5, 3, 6]}
# Wikipedia, One-way analysis of variance: the worked example.
THREE = {"a1": [6, 8, 4, 5, 3, 4], "a2": [8, 12, 9, 11, 6, 8], "a3": [13, 9, 11, 8, 7, 12]}
# Shrout and Fleiss (1979), table 2: six targets, four judges.
TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
# Field (2009), chapter 13: eight celebrities, four things to eat.
EATEN = {
    "stick insect": [8, 9, 6, 5, 8, 7, 10, 12],
    "testicle": [7, 5, 2, 3, 4, 5, 2, 6],
    "fish eye": [1, 2, 3, 1, 5, 6, 7, 8],
    "grub": [6, 5, 8, 9, 8, 7, 2, 1],
}


def people(systems: int = 4, many: int = 12, *, apart: float = 0.5) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    ratings = rng.normal(size=(many, systems)) + rng.normal(size=(many, 1))
    return pd.DataFrame(
        ratings + apart * np.arange(systems), columns=[f"s{i}" for i in range(systems)]
    )


def test_one_way_as_in_two_textbooks() -> None:
    found = one_way(pd.DataFrame(THREE))
    assert found.test.f == pytest.approx(9.264706, abs=1e-6)
    assert (found.test.df, found.test.n) == ((2, 15), 18)
    assert found.test.p == pytest.approx(0.0024, abs=1e-4)
    assert found.eta2 == pytest.approx(84 / 152)
    doses = one_way(pd.DataFrame(DOSES))
    assert doses.test.f == pytest.approx(5.12, abs=0.005)
    assert doses.eta2 == pytest.approx(0.46, abs=0.005)
    assert doses.omega2 == pytest.approx(0.35, abs=0.005)


def test_icc_as_shrout_and_fleiss_print_it() -> None:
    found = one_way(pd.DataFrame(np.array(TARGETS).T, columns=list("abcdef")))
    assert found.icc1 == pytest.approx(0.17, abs=0.005)


def test_groups_of_unequal_size_are_taken_as_they_are() -> None:
    table = pd.DataFrame(THREE, dtype=float)
    table.loc[:1, "a2"] = np.nan
    found = one_way(table)
    assert (found.test.n, found.test.df) == (16, (2, 13))
    within = sum(((table[c] - table[c].mean()) ** 2).sum() for c in table)
    total = ((table.stack() - table.stack().mean()) ** 2).sum()
    assert found.eta2 == pytest.approx(1 - within / total)


def test_repeated_measures_as_in_a_textbook() -> None:
    found = blocked(pd.DataFrame(EATEN))
    assert (found.method, found.df) == (REPEATED, (3, 21))
    assert found.f == pytest.approx(3.79, abs=0.005)
    assert found.p == pytest.approx(0.026, abs=0.0005)
    assert found.epsilon == pytest.approx(0.533, abs=0.0005)
    assert found.p_epsilon == pytest.approx(0.063, abs=0.0005)


def test_repeated_measures_as_pingouin_has_it() -> None:
    import pingouin

    table = people()
    found, known = blocked(table), pingouin.rm_anova(table, correction=True)
    assert found.f == pytest.approx(known["F"].item())
    assert found.p == pytest.approx(known["p_unc"].item())
    assert found.epsilon == pytest.approx(known["eps"].item())
    assert found.p_epsilon == pytest.approx(known["p_GG_corr"].item())


def test_a_missing_rating_makes_it_a_mixed_model() -> None:
    table = people()
    table.iloc[0, 1] = table.iloc[5, 2] = np.nan
    found = blocked(table)
    long = (
        table.rename_axis("person")
        .reset_index()
        .melt("person", var_name="system", value_name="rating")
        .dropna()
    )
    model = smf.mixedlm("rating ~ C(system)", long, groups=long["person"])  # type: ignore[no-untyped-call]
    fit = model.fit(reml=True)
    wald = fit.wald_test_terms(scalar=True).table.loc["C(system)", "statistic"]
    assert (found.method, found.n, found.df) == (MIXED, 46, (3, 46 - 12 - 3))
    assert found.f == pytest.approx(wald / 3, rel=1e-4)


def test_the_mixed_model_goes_over_into_repeated_measures() -> None:
    table = people(many=200)
    gap = table.copy()
    gap.iloc[0, 0] = np.nan
    assert blocked(gap).f == pytest.approx(blocked(table).f, rel=0.05)


def test_people_who_rated_nobody_do_not_count() -> None:
    table = people()
    more = pd.concat([table, pd.DataFrame(np.nan, index=[99], columns=table.columns)])
    assert blocked(more) == blocked(table)
    assert one_way(more) == one_way(table)


@pytest.mark.parametrize("analysis", [lambda t: one_way(t).test, blocked])
def test_what_is_undefined_is_told_in_words(analysis) -> None:  # type: ignore[no-untyped-def]
    table = people()
    assert "two supporters with ratings are needed" in analysis(table[["s0"]]).why
    assert analysis(table * 0 + 3).why == NO_SPREAD
    assert analysis(table * 0 + np.arange(4)).why == NO_SPREAD
    gap = table * 0 + np.arange(4)
    gap.iloc[0, 0] = np.nan
    assert analysis(gap).why == NO_SPREAD
    assert "no rating of s1" in analysis(table.assign(s1=np.nan)).why
    assert analysis(table[:1]).f is None
    few = analysis(table[:5])
    assert few.f is not None and few.p is None and few.why == FEW_PEOPLE


def test_nobody_in_common_is_no_comparison() -> None:
    table = people(2)
    table.iloc[:6, 0] = table.iloc[6:, 1] = np.nan
    assert "more than one supporter" in blocked(table).why
