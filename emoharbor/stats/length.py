"""How much of a difference between two arms goes with how long their dialogues were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from emoharbor.stats.extra import needs_stats
from emoharbor.stats.pairwise import FEWEST

TINY = 1e-9


@dataclass(frozen=True)
class Adjusted:
    """The difference of two arms over `n` people, as it is and at the same length.

    `difference` is second - first; `adjusted` is the arm's coefficient in `mark ~ arm + exchanges`
    (least squares, with a constant a supporter where there are several), `low`..`high` its 95 %
    interval and `p` its test by standard errors clustered on people; `slope` is the marks'
    change with one exchange more. `lengths` are the mean exchanges of both. What is undefined is
    None, and `why` says why.
    """

    n: int
    difference: float | None
    lengths: tuple[float, float] | None
    adjusted: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    slope: float | None = None
    why: str = ""


def adjusted(people: pd.DataFrame) -> Adjusted:
    """From a row a (supporter, profile) met in both arms.

    Columns: `profile`, `supporter`, and of each arm `first_mark`, `second_mark`, `first_turns`,
    `second_turns`; a row that lacks one is left out.
    """
    people = people.dropna()
    n = int(people["profile"].nunique())
    if n == 0:
        return Adjusted(0, None, None, why="nobody has a mark in both")
    difference = float((people["second_mark"] - people["first_mark"]).mean())
    lengths = (float(people["first_turns"].mean()), float(people["second_turns"].mean()))
    plain = Adjusted(n, difference, lengths)
    if n < FEWEST:
        return _without(plain, f"no regression under {FEWEST} people")
    return _fitted(plain, _long(people))


def _without(plain: Adjusted, why: str) -> Adjusted:
    return Adjusted(plain.n, plain.difference, plain.lengths, why=why)


def _long(people: pd.DataFrame) -> pd.DataFrame:
    """A row a person, supporter and arm: 0 for the first, 1 for the second."""
    arms = [
        pd.DataFrame(
            {
                "profile": people["profile"],
                "supporter": people["supporter"],
                "arm": float(arm),
                "mark": people[f"{name}_mark"].astype(float),
                "exchanges": people[f"{name}_turns"].astype(float),
            }
        )
        for arm, name in enumerate(("first", "second"))
    ]
    return pd.concat(arms, ignore_index=True)


def _fitted(plain: Adjusted, rows: pd.DataFrame) -> Adjusted:
    import numpy as np

    own = pd.get_dummies(rows["supporter"], dtype=float)
    design = pd.concat([rows[["arm", "exchanges"]], own], axis=1)
    if np.linalg.matrix_rank(design.to_numpy()) < design.shape[1]:
        return _without(plain, "exchanges do not vary within the two: length and arm are one")
    result = _least_squares(rows["mark"], design, rows["profile"])
    coefficient, error = float(result.params["arm"]), float(result.bse["arm"])
    if not error > TINY:
        return _without(plain, "the marks do not vary: nothing to be explained")
    low, high = result.conf_int().loc["arm"]
    return Adjusted(
        n=plain.n,
        difference=plain.difference,
        lengths=plain.lengths,
        adjusted=coefficient,
        low=float(low),
        high=float(high),
        p=float(result.pvalues["arm"]),
        slope=float(result.params["exchanges"]),
    )


def _least_squares(marks: pd.Series[float], design: pd.DataFrame, people: pd.Series[Any]) -> Any:
    try:
        from statsmodels.regression.linear_model import OLS
    except ImportError as error:
        raise needs_stats(error) from error
    groups = pd.factorize(people)[0]
    model: Any = OLS
    return model(marks, design).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
