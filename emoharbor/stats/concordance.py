"""Do people agree on the order of supporters: Kendall's W."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from emoharbor.stats.anova import FEW_PEOPLE
from emoharbor.stats.pairwise import DIGITS, FEWEST

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Concordance:
    """Kendall's W (0: no agreement, 1: all rank alike), corrected for ties, and Friedman's test.

    It rests on the `people` who rated every supporter; `left_out` did not. What is undefined is
    None, and `why` says so.
    """

    people: int
    left_out: int
    w: float | None = None
    chi2: float | None = None
    df: int | None = None
    p: float | None = None
    why: str = ""


def kendalls_w(table: pd.DataFrame) -> Concordance:
    """W = χ² / (U (M - 1)) of a table with U people down and M supporters across."""
    whole = table.dropna().astype(float).round(DIGITS)
    systems = whole.shape[1]
    people = len(whole) if systems else 0
    left_out = len(table) - people
    if systems < 3:
        return Concordance(people, left_out, why="Kendall's W needs three supporters")
    if people < 2:
        why = "Kendall's W needs two people who rated every supporter"
        return Concordance(people, left_out, why=why)
    if (whole.nunique(axis=1) < 2).all():
        return Concordance(people, left_out, why="no one rates two supporters differently")
    from scipy.stats import friedmanchisquare

    chi2, p = friedmanchisquare(*(whole[name] for name in whole))
    few = people < FEWEST
    return Concordance(
        people=people,
        left_out=left_out,
        w=float(chi2) / (people * (systems - 1)),
        chi2=float(chi2),
        df=systems - 1,
        p=None if few else float(p),
        why=FEW_PEOPLE if few else "",
    )
