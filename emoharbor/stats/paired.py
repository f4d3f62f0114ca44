"""Paired differences: the same people with one supporter before and one after."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.stats.arms import people_of
from emoharbor.stats.pairwise import DIGITS, Pair, corrected, signed_ranks


@dataclass(frozen=True)
class PairedDifference:
    """One dimension over the `pair.n` people who have a mark on both sides.

    `pair` names the two supporters and has the mean of after - before with its p and corrected q;
    `low`..`high` is its 95 % interval (Student's t over people), None for fewer than two.
    `before` and `after` are the means of the same people; `unscored` people were judged on both
    sides and lack a mark on one; `higher`, `same` and `lower` count people.
    """

    dimension: str
    pair: Pair
    unscored: int
    before: float | None
    after: float | None
    low: float | None
    high: float | None
    higher: int
    same: int
    lower: int


def paired(
    before: pd.DataFrame, after: pd.DataFrame, supporters: Mapping[str, str]
) -> list[PairedDifference]:
    """For each supporter of `before` and its one of `after`, every dimension that both have.

    The frames hold people's marks: a row a (supporter, profile), a column a dimension. People are
    matched by profile. All p together are one family (Benjamini-Hochberg).
    """
    found = [
        one
        for a, b in supporters.items()
        for one in _pair(people_of(before, a), people_of(after, b), (a, b))
    ]
    whole = corrected(one.pair for one in found)
    return [replace(one, pair=pair) for one, pair in zip(found, whole, strict=True)]


def matched(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """Which supporter is to be compared with which: those of one name, or the only two there are.

    Raises ConfigError when neither holds.
    """
    both = [name for name in before if name in after]
    if both:
        return {name: name for name in both}
    if len(before) == len(after) == 1:
        return {before[0]: after[0]}
    raise ConfigError(
        f"which supporters are to be compared? The first run has {', '.join(before) or 'none'}, "
        f"the second {', '.join(after) or 'none'}: name a pair with --pair FIRST=SECOND"
    )


def _pair(
    before: pd.DataFrame, after: pd.DataFrame, names: tuple[str, str]
) -> list[PairedDifference]:
    met = before.index.intersection(after.index)
    before, after = before.loc[met], after.loc[met]
    both = {key: before[key].notna() & after[key].notna() for key in before if key in after}
    marks = {str(key): (before[key][known], after[key][known]) for key, known in both.items()}
    tests = signed_ranks([(new - old).tolist() for old, new in marks.values()])
    return [
        _one(key, old, new, Pair(*names, len(old), None, p, why=why), len(met) - len(old))
        for (key, (old, new)), (p, why) in zip(marks.items(), tests, strict=True)
    ]


def _one(
    key: str, old: pd.Series[float], new: pd.Series[float], pair: Pair, unscored: int
) -> PairedDifference:
    differences = (new - old).round(DIGITS)
    low, high = _interval(differences)
    whole = pair.n > 0
    return PairedDifference(
        dimension=key,
        pair=replace(pair, difference=float(differences.mean()) if whole else None),
        unscored=unscored,
        before=float(old.mean()) if whole else None,
        after=float(new.mean()) if whole else None,
        low=low,
        high=high,
        higher=int((differences > 0).sum()),
        same=int((differences == 0).sum()),
        lower=int((differences < 0).sum()),
    )


def _interval(differences: pd.Series[float]) -> tuple[float | None, float | None]:
    if len(differences) < 2:
        return None, None
    from scipy.special import stdtrit

    n, mean = len(differences), float(differences.mean())
    half = float(stdtrit(n - 1, 0.975)) * float(differences.std()) / math.sqrt(n)
    return mean - half, mean + half
