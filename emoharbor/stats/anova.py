"""Do supporters differ: analyses of variance of a table, people down and supporters across.

A table holds one rating for each person and supporter, NaN where there is none. Nothing here is
tested on fewer people than FEWEST.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from emoharbor.stats.extra import needs_stats
from emoharbor.stats.pairwise import DIGITS, FEWEST

if TYPE_CHECKING:
    import pandas as pd

FEW_PEOPLE = f"no test under {FEWEST} people"
FEW_SYSTEMS = "two supporters with ratings are needed"
NO_SPREAD = "nothing varies but the supporters' means: there is no noise to compare them with"
ONE_WAY = "one-way ANOVA"
REPEATED = "repeated-measures ANOVA"
MIXED = "mixed model"
# A variance that is what adding leaves of nothing.
EXACT = 1e-12


@dataclass(frozen=True)
class FTest:
    """An F with its degrees of freedom and p, over `n` ratings of `people`.

    What is undefined is None, and `why` says so. `epsilon` and `p_epsilon` are Greenhouse and
    Geisser's correction for differences that do not all vary alike.
    """

    method: str
    n: int
    people: int
    f: float | None = None
    df: tuple[int, int] | None = None
    p: float | None = None
    epsilon: float | None = None
    p_epsilon: float | None = None
    why: str = ""


@dataclass(frozen=True)
class OneWay:
    """A one-way analysis: F, and how large the differences are.

    `eta2` is the share of all variance that lies between supporters, `omega2` the same without
    what chance adds, and `icc1` the one-way ICC(1) of Shrout and Fleiss (1979), supporters as
    targets and people as raters. The latter two may lie below 0: no more than chance.
    """

    test: FTest
    eta2: float | None = None
    omega2: float | None = None
    icc1: float | None = None


def one_way(table: pd.DataFrame) -> OneWay:
    """One-way ANOVA over all ratings there are, supporters as groups; people are not matched."""
    groups = [table[name].dropna().to_numpy(dtype=float).round(DIGITS) for name in table]
    test = FTest(ONE_WAY, sum(map(len, groups)), len(table.dropna(how="all")))
    why = undefined(table) or (NO_SPREAD if all(len(set(g)) < 2 for g in groups) else "")
    if why:
        return OneWay(replace(test, why=why))
    from scipy.stats import f_oneway

    f, p = (float(x) for x in f_oneway(*groups))
    df1, df2 = len(groups) - 1, test.n - len(groups)
    ratio = f * df1 / df2
    # The size of a group that unequal groups amount to.
    size = (test.n - sum(len(g) ** 2 for g in groups) / test.n) / df1
    return OneWay(
        test=_tested(replace(test, f=f, df=(df1, df2), p=p)),
        eta2=ratio / (1 + ratio),
        omega2=df1 * (f - 1) / (df1 * f + df2 + 1),
        icc1=(f - 1) / (f - 1 + size),
    )


def blocked(table: pd.DataFrame) -> FTest:
    """The F between supporters when each person is compared with themselves.

    Repeated measures where every person has a rating of every supporter; else a mixed model with
    an intercept for each person, over all ratings there are. Raises ConfigError where statsmodels
    is not installed.
    """
    table = table.dropna(how="all").astype(float).round(DIGITS)
    whole = not table.isna().to_numpy().any()
    n, people = int(table.notna().to_numpy().sum()), len(table)
    test = FTest(REPEATED if whole else MIXED, n, people)
    if why := undefined(table):
        return replace(test, why=why)
    if people < 2 or n <= people + table.shape[1]:
        return replace(test, why="too few people have rated more than one supporter")
    return _tested(_repeated(test, table) if whole else _mixed(test, table))


def undefined(table: pd.DataFrame) -> str:
    """Why supporters cannot be compared in this table; empty where they can."""
    if table.shape[1] < 2:
        return FEW_SYSTEMS
    if empty := [str(name) for name in table if table[name].notna().sum() == 0]:
        return f"no rating of {', '.join(empty)}"
    return ""


def _tested(test: FTest) -> FTest:
    """Without its p where the people are too few."""
    few = test.p is not None and test.people < FEWEST
    return replace(test, p=None, p_epsilon=None, why=FEW_PEOPLE) if few else test


def _repeated(test: FTest, table: pd.DataFrame) -> FTest:
    """By the sums of squares; loading a library that fits it would take longer than all else."""
    from scipy.stats import f as f_distribution

    ratings = table.to_numpy()
    people, systems = ratings.shape
    between = ratings.mean(axis=0) - ratings.mean()
    rest = ratings - ratings.mean(axis=1, keepdims=True) - between
    df1, df2 = systems - 1, (systems - 1) * (people - 1)
    noise = float((rest**2).sum()) / df2
    if noise < EXACT:
        return replace(test, why=NO_SPREAD)
    f, epsilon = people * float((between**2).sum()) / df1 / noise, _epsilon(table)
    return replace(
        test,
        f=f,
        df=(df1, df2),
        p=float(f_distribution.sf(f, df1, df2)),
        epsilon=epsilon,
        p_epsilon=float(f_distribution.sf(f, df1 * epsilon, df2 * epsilon)),
    )


def _epsilon(table: pd.DataFrame) -> float:
    """Greenhouse and Geisser's, by Box: 1 where all differences vary alike, 1/(M - 1) at worst."""
    import numpy as np

    covariance = np.cov(table.to_numpy(), rowvar=False)
    centred = covariance - covariance.mean(axis=0) - covariance.mean(axis=1)[:, None]
    centred += covariance.mean()
    return float(np.trace(centred) ** 2 / ((len(centred) - 1) * (centred**2).sum()))


def _mixed(test: FTest, table: pd.DataFrame) -> FTest:
    """Wald's F of the supporters in a model fitted by REML; the same as above on a whole table."""
    import numpy as np
    from scipy.stats import f as f_distribution

    try:
        from statsmodels.regression.linear_model import OLS
        from statsmodels.regression.mixed_linear_model import MixedLM
    except ImportError as error:
        raise needs_stats(error) from error
    persons, columns = np.nonzero(table.notna().to_numpy())
    ratings, supporters = table.to_numpy()[persons, columns], np.eye(table.shape[1])[columns]
    supporters[:, 0] = 1
    additive = np.hstack([np.eye(test.people)[persons], supporters[:, 1:]])
    alone = OLS(ratings, additive, hasconst=True)  # type: ignore[no-untyped-call]
    if alone.fit().mse_resid < EXACT:
        return replace(test, why=NO_SPREAD)
    df1 = table.shape[1] - 1
    df2 = test.n - test.people - df1
    model: Any = MixedLM(ratings, supporters, groups=persons)  # type: ignore[no-untyped-call]
    with warnings.catch_warnings():
        # No spread between people lies on the boundary, and says nothing against the F.
        warnings.simplefilter("ignore")
        fit = model.fit(reml=True)
        means, covariance = fit.fe_params[1:], fit.cov_params()[1 : df1 + 1, 1 : df1 + 1]
    if not (fit.converged and np.isfinite(covariance).all()):
        return replace(test, why="the mixed model was not fitted: it did not converge")
    f = float(means @ np.linalg.solve(covariance, means) / df1)
    return replace(test, f=f, df=(df1, df2), p=float(f_distribution.sf(f, df1, df2)))
