"""Every two systems over the same people: Wilcoxon's signed-rank test, corrected over a family."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

ALPHA = 0.05
FEWEST = 6
# Means of marks differ by no less; what is smaller comes from adding in another order.
DIGITS = 9
# Up to so many that differ, the test is exact: 2**EXACT signs.
EXACT = 10


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

    Marks tie often: zeros keep their ranks (Pratt), and differences are rounded to DIGITS before
    they are ranked. Where EXACT or fewer differ from zero p is exact, over all their signs; with
    more it is of the normal distribution. Fewer than FEWEST pairs are not tested: whatever the
    five differences are, their exact p is 0.0625 or more. Raises ValueError for a missing
    difference.
    """
    return signed_ranks([differences])[0]


def signed_ranks(samples: Sequence[Sequence[float]]) -> list[tuple[float | None, str]]:
    """`signed_rank` of many samples; those of one size are tested in one call, as is quicker."""
    import numpy as np

    rounded = [np.round(np.asarray(one, dtype=float), DIGITS) for one in samples]
    found: list[tuple[float | None, str]] = []
    sizes: dict[int, list[int]] = {}
    for at, values in enumerate(rounded):
        if np.isnan(values).any():
            raise ValueError("a difference is missing: leave the pair out first")
        few = len(values) < FEWEST
        found.append((None, f"no test under {FEWEST} pairs" if few else "no pair differs"))
        if few or not values.any():
            continue
        if np.count_nonzero(values) <= EXACT:
            found[at] = (_exact(values), "")
        else:
            sizes.setdefault(len(values), []).append(at)
    from scipy.stats import wilcoxon

    for places in sizes.values():
        rows = np.stack([rounded[at] for at in places])
        ps = wilcoxon(rows, axis=1, zero_method="pratt", method="asymptotic").pvalue
        for at, p in zip(places, ps, strict=True):
            found[at] = (float(p), "")
    return found


def _exact(values: np.ndarray[Any, Any]) -> float:
    """The share of all signs of what differs that give as uneven a sum of ranks, or more.

    Few that differ among many zeros are far from normal: four alike would have p = 0.0455, while
    signs at random make them alike one time in eight.
    """
    import numpy as np
    from scipy.stats import rankdata

    differ = values != 0
    ranks = rankdata(np.abs(values))[differ]
    sums = np.abs(_signs(len(ranks)) @ ranks)
    return float((sums >= abs(np.sign(values[differ]) @ ranks)).mean())


@cache
def _signs(many: int) -> np.ndarray[Any, Any]:
    """Every way in which so many differences may have their signs, a row each."""
    import numpy as np

    return np.array(list(product((-1.0, 1.0), repeat=many)))


def pairwise(table: pd.DataFrame) -> list[Pair]:
    """Every two columns of `table` (people down, systems across, NaN where there is no mark).

    Each pair is tested over the people who have a mark of both.
    """
    import numpy as np

    marks = {str(name): table[name].to_numpy(dtype=float, na_value=np.nan) for name in table}
    names = list(combinations(marks, 2))
    differences = [marks[b] - marks[a] for a, b in names]
    known = [one[~np.isnan(one)] for one in differences]
    tests = signed_ranks([one.tolist() for one in known])
    return [
        Pair(a, b, len(one), float(one.mean()) if len(one) else None, p, why=why)
        for (a, b), one, (p, why) in zip(names, known, tests, strict=True)
    ]


def corrected(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs of one family with `q` by Benjamini-Hochberg; pairs without a test stay apart."""
    pairs = list(pairs)
    tested = [pair for pair in pairs if pair.p is not None]
    if not tested:
        return pairs
    from scipy.stats import false_discovery_control

    qs = iter(false_discovery_control([pair.p for pair in tested]))
    return [pair if pair.p is None else replace(pair, q=float(next(qs))) for pair in pairs]
