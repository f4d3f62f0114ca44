"""Does a benchmark tell supporters apart: the measures of EmoHarbor, Appendix E, as printed.

A table holds one rating for each person (down) and supporter (across), NaN where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from emoharbor.stats.anova import NO_SPREAD, undefined
from emoharbor.stats.pairwise import DIGITS, FEWEST, Pair, corrected, pairwise

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

SHUFFLES = 1000


@dataclass(frozen=True)
class Printed:
    """Equations 7 to 13 over `people` who rated every one of `systems`.

    `between` and `within` are the variances of equations 9 and 10, `msr` their ratio (11), `mac`
    their share (12) and `f` equation 13. What is undefined is None, and `why` says so.
    """

    systems: int
    people: int
    between: float | None = None
    within: float | None = None
    msr: float | None = None
    mac: float | None = None
    f: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Floor:
    """The MSR that noise alone gives when all supporters are equal: its mean and 95th percentile.

    `expected` and `high` follow from the F distribution for ratings of strangers;
    `shuffled` and `shuffled_high` from `draws` seeded shuffles of each person's own ratings over
    the supporters, each supporter's mean taken out first: lower where some people rate higher than
    others, whoever supports them. Undefined: None.
    """

    expected: float | None = None
    high: float | None = None
    shuffled: float | None = None
    shuffled_high: float | None = None
    draws: int = 0


@dataclass(frozen=True)
class Separated:
    """Equation 14: the share of all pairs of supporters that differ after a correction.

    `share` is None where no pair could be tested, and `why` says so; `untested` pairs count as
    not different.
    """

    method: str
    pairs: int
    different: int
    untested: int
    share: float | None
    why: str = ""


def as_printed(table: pd.DataFrame) -> Printed:
    """Equations 7 to 13; they want every rating, so people who lack one are left out."""
    whole = table.dropna()
    systems = whole.shape[1]
    people = len(whole) if systems else 0
    if why := undefined(table):
        return Printed(systems, people, why=why)
    if people < 2:
        return Printed(systems, people, why="fewer than two people have rated every supporter")
    between, within = _variances(whole.to_numpy(dtype=float).round(DIGITS)[None])
    if within[0] == 0:
        return Printed(systems, people, float(between[0]), 0.0, why=NO_SPREAD)
    msr = float(between[0] / within[0])
    return Printed(
        systems,
        people,
        float(between[0]),
        float(within[0]),
        msr,
        msr / (1 + msr),
        printed_f(msr, systems, people),
    )


def printed_f(msr: float, systems: int, people: int) -> float:
    """Equation 13 from the MSR. It is (U - 1) / U of the one-way ANOVA's F."""
    return msr * systems * (people - 1) / (systems - 1)


def standard_f(msr: float, systems: int, people: int) -> float:
    """The F of the one-way ANOVA that belongs to an MSR."""
    return msr * systems * people / (systems - 1)


def floor(table: pd.DataFrame, *, seed: int, draws: int = SHUFFLES) -> Floor:
    """What MSR is to be expected when nobody is better than anybody, on a table of this shape."""
    whole = table.dropna().sort_index().to_numpy(dtype=float).round(DIGITS)
    people, systems = whole.shape
    if people < 2 or systems < 2:
        return Floor()
    import numpy as np
    from scipy.stats import f as f_distribution

    df = systems - 1, systems * (people - 1)
    scale = 1 / standard_f(1, systems, people)
    rng, equal = np.random.default_rng(seed), (whole - whole.mean(axis=0)).round(DIGITS)
    between, within = _variances(np.stack([rng.permuted(equal, axis=1) for _ in range(draws)]))
    found = between[within > 0] / within[within > 0]
    return Floor(
        expected=scale * df[1] / (df[1] - 2) if df[1] > 2 else None,
        high=float(scale * f_distribution.ppf(0.95, *df)),
        shuffled=float(found.mean()) if len(found) else None,
        shuffled_high=float(np.percentile(found, 95)) if len(found) else None,
        draws=len(found),
    )


def _variances(tables: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
    """Equations 9 and 10 of each of `tables` (any number, people, supporters)."""
    return tables.mean(axis=1).var(axis=1), tables.var(axis=1, ddof=1).mean(axis=1)


def paired_share(table: pd.DataFrame) -> tuple[Separated, list[Pair]]:
    """Equation 14 by the signed-rank test over the people both have, corrected over all pairs."""
    pairs = corrected(pairwise(table))
    return _share("signed-rank, Benjamini-Hochberg", pairs), pairs


def unpaired_share(table: pd.DataFrame) -> Separated:
    """Equation 14 by Mann and Whitney's test, which does not match people, corrected alike."""
    import numpy as np
    from scipy.stats import mannwhitneyu

    known = {str(c): table[c].dropna().to_numpy(dtype=float).round(DIGITS) for c in table}
    found, sizes = dict[tuple[str, str], Pair](), dict[tuple[int, int], list[tuple[str, str]]]()
    for a, b in combinations(known, 2):
        x, y = known[a], known[b]
        few, same = min(len(x), len(y)) < FEWEST, len({*x, *y}) < 2
        why = f"no test under {FEWEST} people" if few else "no rating differs" if same else ""
        found[a, b] = Pair(a, b, min(len(x), len(y)), None, None, why=why)
        if not why:
            sizes.setdefault((len(x), len(y)), []).append((a, b))
    # Pairs of one size are tested in one call, as is quicker.
    for pairs in sizes.values():
        first, second = (np.stack([known[pair[side]] for pair in pairs]) for side in (0, 1))
        ps = mannwhitneyu(first, second, axis=1, method="asymptotic").pvalue
        found |= {pair: replace(found[pair], p=float(p)) for pair, p in zip(pairs, ps, strict=True)}
    return _share("Mann-Whitney, Benjamini-Hochberg", corrected(found.values()))


def _share(method: str, pairs: Sequence[Pair]) -> Separated:
    different = sum(pair.differs for pair in pairs)
    few = [pair for pair in pairs if pair.n < FEWEST]
    if not pairs or len(few) == len(pairs):
        why = few[0].why if few else "there is no pair of supporters"
        return Separated(method, len(pairs), 0, len(few), None, why)
    return Separated(method, len(pairs), different, len(few), different / len(pairs))
