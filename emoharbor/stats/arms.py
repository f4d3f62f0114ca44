"""People's marks of supporters, and which supporters differ by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from emoharbor.stats.letters import compact_letters
from emoharbor.stats.pairwise import Pair, corrected, pairwise

# No key of a dimension has a space in it.
MEAN = "mean of dimensions"


def marks_of(scores: pd.DataFrame) -> pd.DataFrame:
    """One mark a person: a row a (supporter, profile), a column a dimension, in their order.

    A mark is the mean over the repeats of the dialogue and of the judge; NaN where there is none.
    """
    values = scores["value"].astype("float64")
    keys = [scores[key] for key in ("supporter", "profile", "dimension")]
    table = values.groupby(keys, sort=False).mean().unstack("dimension")
    return table[list(scores["dimension"].unique())]


def with_mean(marks: pd.DataFrame) -> pd.DataFrame:
    """`marks` with the column MEAN: of people who have a mark in every dimension, else NaN."""
    return marks.assign(**{MEAN: marks.mean(axis=1, skipna=False)})


def people_of(marks: pd.DataFrame, supporter: str) -> pd.DataFrame:
    """The marks of a supporter: a row a profile, a column a dimension; no row where it has none."""
    mine = marks.index.get_level_values("supporter") == supporter
    return marks[mine].droplevel("supporter")


@dataclass(frozen=True)
class Letters:
    """Compact letters by (dimension, supporter), and the one family of tests behind them.

    `tested` pairs have a p, `different` of them a corrected one below 0.05; `untested` counts the
    others by why. `unlettered` says of a dimension why it has no letters.
    """

    of: Mapping[tuple[str, str], str]
    tested: int
    different: int
    untested: Mapping[str, int]
    unlettered: Mapping[str, str]


def letters(marks: pd.DataFrame) -> Letters:
    """Every two supporters within each column of `marks`, corrected over all columns together.

    A supporter without a mark in a dimension has no letters there.
    """
    pairs: list[Pair] = []
    columns: list[tuple[str, list[str], int]] = []
    for dimension in marks.columns:
        table = marks[dimension].unstack("supporter").dropna(axis="columns", how="all")
        means = table.mean().sort_values(ascending=False, kind="stable")
        found = pairwise(table)
        columns.append((str(dimension), [str(name) for name in means.index], len(found)))
        pairs += found
    pairs, of, unlettered, at = corrected(pairs), dict[tuple[str, str], str](), {}, 0
    for dimension, names, many in columns:
        different = [(pair.a, pair.b) for pair in pairs[at : at + many] if pair.differs]
        at += many
        try:
            told = compact_letters(names, different)
        except ValueError as error:
            unlettered[dimension] = str(error)
        else:
            of |= {(dimension, name): its for name, its in told.items()}
    return Letters(
        of=of,
        tested=sum(pair.p is not None for pair in pairs),
        different=sum(pair.differs for pair in pairs),
        untested=dict(Counter(pair.why for pair in pairs if pair.p is None)),
        unlettered=unlettered,
    )


@dataclass(frozen=True)
class Change:
    """The second arm's mean of `n` people, and by what share it is more than the first's.

    `share` is over the `both` people who have a mark in either arm; where a figure is None, `why`
    says so.
    """

    mean: float | None
    n: int
    share: float | None
    both: int
    why: str = ""


def changes(first: pd.DataFrame, second: pd.DataFrame) -> dict[str, Change]:
    """Of one supporter's marks by person, in each dimension, in two arms."""
    met = first.index.intersection(second.index)
    before, after = first.loc[met], second.loc[met]
    return {
        str(key): _change(second[key].dropna(), after[key][before[key].notna()], before[key])
        for key in second.columns
    }


def _change(marks: pd.Series[float], after: pd.Series[float], before: pd.Series[float]) -> Change:
    """From all marks of the second arm, and those of the people who may have one in both."""
    if marks.empty:
        return Change(None, 0, None, 0, "no mark in the second")
    mean, after = float(marks.mean()), after.dropna()
    if after.empty:
        return Change(mean, len(marks), None, 0, "nobody has a mark in both")
    base = float(before[after.index].mean())
    if base == 0:
        return Change(mean, len(marks), None, len(after), "the first mean is 0: no share of it")
    return Change(mean, len(marks), float(after.mean()) / base - 1, len(after))
