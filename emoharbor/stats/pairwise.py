"""Every two systems over the same people: Wilcoxon's signed-rank test, corrected over a family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

ALPHA = 0.05
FEWEST = 6
# Means of marks differ by no less; what is smaller comes from adding in another order.
DIGITS = 9


@dataclass(frozen=True)
class Pair:
    """Two systems on `n` people whom both met; `difference` is the mean of b - a.

    `p` is two-sided, `q` the same corrected over its family (None before); where p is None, `why`
    says so, and the pair belongs to no family.
    """

    a: str
    b: str
    n: int
    difference: float | None
    p: float | None
    q: float | None = None
    why: str = ""

    @property
    def differs(self) -> bool:
        """Whether the corrected p is below ALPHA; a pair without a test does not differ."""
        return self.q is not None and self.q < ALPHA


def signed_rank(differences: Sequence[float]) -> tuple[float | None, str]:
    """Wilcoxon's signed-rank test of paired differences, two-sided: p, or None and why.

    Marks tie often: zeros keep their ranks (Pratt), the distribution is the normal one, and
    differences are rounded to DIGITS before they are ranked. Fewer than FEWEST pairs are not
    tested: no p below 0.03 could come out of five.
    """
    import numpy as np

    values = np.round(np.asarray(differences, dtype=float), DIGITS)
    if np.isnan(values).any():
        raise ValueError("a difference is missing: leave the pair out first")
    if len(values) < FEWEST:
        return None, f"no test under {FEWEST} pairs"
    if not values.any():
        return None, "no pair differs"
    from scipy.stats import wilcoxon

    return float(wilcoxon(values, zero_method="pratt", method="asymptotic").pvalue), ""


def pairwise(table: pd.DataFrame) -> list[Pair]:
    """Every two columns of `table` (people down, systems across, NaN where there is no mark).

    Each pair is tested over the people who have a mark of both.
    """
    found = []
    for a, b in combinations(table.columns, 2):
        differences = (table[b] - table[a]).dropna()
        p, why = signed_rank(differences.tolist())
        mean = float(differences.mean()) if len(differences) else None
        found.append(Pair(str(a), str(b), len(differences), mean, p, why=why))
    return found


def corrected(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs of one family with `q` by Benjamini-Hochberg; pairs without a test stay apart."""
    pairs = list(pairs)
    tested = [pair for pair in pairs if pair.p is not None]
    if not tested:
        return pairs
    from scipy.stats import false_discovery_control

    qs = iter(false_discovery_control([pair.p for pair in tested]))
    return [pair if pair.p is None else replace(pair, q=float(next(qs))) for pair in pairs]
