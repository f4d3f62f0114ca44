"""How long dialogues last: Kaplan-Meier curves until the user leaves unsatisfied (Figure 6).

Time is counted in exchanges. The estimator, its band (Greenwood's on the log-log scale) and the
log-rank test are scipy's.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

from emoharbor.errors import ConfigError, nearest
from emoharbor.state.verdict import EndingReason
from emoharbor.stats.intervals import DRAWS, people_drawn, percentiles
from emoharbor.stats.pairwise import FEWEST, Pair, corrected

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from scipy.stats import CensoredData

    Array = np.ndarray[Any, Any]

UNSATISFIED: tuple[EndingReason, ...] = ("user_gave_up", "user_left")
ENDINGS: dict[str, EndingReason] = {
    "satisfied": "user_satisfied", "gave_up": "user_gave_up", "left": "user_left",
    "max_turns": "max_turns", "recorded_end": "recorded_end",
}  # fmt: skip
Censoring = Literal["end", "cap"]


@dataclass(frozen=True)
class Curve:
    """One system's dialogues: `events` of `n` ended in the event, the others are censored.

    At index t - 1, for the exchanges t = 1 to the horizon: `survival` is the estimated share of
    dialogues that go on after exchange t, `low` and `high` its 95 % band (None where nobody has
    left yet, or everybody), `at_risk` how many were still followed in it. `median` is the exchange
    by which half have left, None where half never do; `mean` the exchanges had up to the horizon,
    whose interval is None where nobody left or all dialogues are one person's.
    """

    system: str
    n: int
    events: int
    survival: tuple[float, ...]
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    at_risk: tuple[int, ...]
    mean: float
    mean_low: float | None = None
    mean_high: float | None = None

    @property
    def median(self) -> int | None:
        """The first exchange after which at most half are still there."""
        return _first_half(self.survival)

    @property
    def median_between(self) -> tuple[int | None, int | None]:
        """The median's 95 % interval, from the band; an end is None where it is never reached."""
        return _first_half(self.low), _first_half(self.high)


def _first_half(shares: tuple[float | None, ...]) -> int | None:
    known = ((t, round(s, 9)) for t, s in enumerate(shares, 1) if s is not None)
    return next((t for t, share in known if share <= 0.5), None)


def events_of(names: Collection[str]) -> tuple[EndingReason, ...]:
    """Endings by their short names ("left") or their own ("user_left"). Raises ConfigError."""
    known: dict[str, EndingReason] = {**ENDINGS, **{one: one for one in ENDINGS.values()}}
    for name in names:
        if name not in known:
            raise ConfigError(f"--event {name}: no ending is called so{nearest(name, ENDINGS)}")
    return tuple(dict.fromkeys(known[name] for name in names)) or UNSATISFIED


def lives(
    dialogues: pd.DataFrame,
    *,
    events: Collection[str] = UNSATISFIED,
    censor: Censoring = "end",
) -> pd.DataFrame:
    """`dialogues` that have an ending, with `time` in exchanges and `event`, whether it came.

    The others are censored at their end; with "cap" those that the user ended are followed up to
    their run's cap, as users who will not leave any more.
    """
    found = dialogues[dialogues["ending"].notna()].copy()
    found["time"] = found["ending_turn"].astype(int)
    found["event"] = found["ending"].isin(list(events))
    if censor == "cap":
        own = found["ending"].str.startswith("user_") & ~found["event"]
        found.loc[own, "time"] = found["run"].map(caps(found))[own]
    return found


def caps(dialogues: pd.DataFrame) -> dict[str, int]:
    """The most exchanges of each run, as far as its dialogues show them."""
    ended = dialogues[dialogues["ending"].notna()]
    return {str(run): int(most) for run, most in ended.groupby("run")["ending_turn"].max().items()}


def horizon(table: pd.DataFrame) -> int:
    """Up to where means are restricted: the last exchange that every system could be seen in.

    A system of which everybody has left sets no limit.
    """
    # Whoever leaves in the last exchange comes before those who are still there in it.
    last = table.sort_values(["event", "time"], ascending=[False, True], kind="stable")
    last = last.sort_values("time", kind="stable").groupby("system").tail(1)
    still_there = last.loc[~last["event"], "time"]
    return int(last["time"].max() if still_there.empty else still_there.min())


def curves(table: pd.DataFrame, *, seed: int, draws: int = DRAWS) -> list[Curve]:
    """A curve for each `system` of `lives`; the interval of the mean by drawing people."""
    if table.empty:
        return []
    until = horizon(table)
    means = _drawn_means(table, until, seed, draws)
    many = _people(table)
    between = {name: percentiles(drawn, many[name]) for name, drawn in means.items()}
    groups = table.groupby("system", sort=False)
    return [_curve(str(name), its, until, between.get(str(name))) for name, its in groups]


def log_rank(table: pd.DataFrame, found: Sequence[Curve]) -> list[Pair]:
    """Every two of the curves by the log-rank test, corrected (Benjamini-Hochberg) over all pairs.

    A pair's `difference` is that of the restricted means, b - a, and `n` counts dialogues of both.
    The test takes dialogues as independent of each other.
    """
    groups = {str(name): _censored(its) for name, its in table.groupby("system")}
    pairs = [_pair(a, b, groups[a.system], groups[b.system]) for a, b in combinations(found, 2)]
    return corrected(pairs)


def differences(
    table: pd.DataFrame, *, seed: int, draws: int = DRAWS
) -> dict[tuple[str, str], tuple[float, float] | None]:
    """The 95 % interval of b - a in the restricted mean, the same people drawn for both."""
    means = _drawn_means(table, horizon(table), seed, draws)
    many = _people(table)
    return {
        (a, b): percentiles(means[b] - means[a], min(many[a], many[b]))
        for a, b in combinations(means, 2)
    }


def _people(table: pd.DataFrame) -> dict[str, int]:
    return {str(name): int(n) for name, n in table.groupby("system")["profile"].nunique().items()}


def _curve(name: str, its: pd.DataFrame, until: int, between: tuple[float, float] | None) -> Curve:
    from scipy.stats import ecdf

    estimate = ecdf(_censored(its)).sf
    with warnings.catch_warnings():
        # Before the first and after the last one leaves there is no band, as Curve says.
        warnings.simplefilter("ignore", RuntimeWarning)
        band = estimate.confidence_interval(method="log-log")
    exchanges = range(1, until + 1)
    shares = tuple(float(estimate.evaluate(t)) for t in exchanges)
    return Curve(
        system=name,
        n=len(its),
        events=int(its["event"].sum()),
        survival=shares,
        low=_banded(shares, [band.low.evaluate(t) for t in exchanges]),
        high=_banded(shares, [band.high.evaluate(t) for t in exchanges]),
        at_risk=tuple(int((its["time"] >= t).sum()) for t in exchanges),
        mean=1.0 + sum(shares[:-1]),
        mean_low=between[0] if between else None,
        mean_high=between[1] if between else None,
    )


def _censored(its: pd.DataFrame) -> CensoredData:
    from scipy.stats import CensoredData

    times, event = its["time"].to_numpy(dtype=float), its["event"].to_numpy(dtype=bool)
    return CensoredData(uncensored=times[event], right=times[~event])


def _banded(shares: Sequence[float], ends: Sequence[float]) -> tuple[float | None, ...]:
    """One end of the band; there is none while all are there, nor once nobody is."""
    return tuple(float(e) if 0 < s < 1 else None for s, e in zip(shares, ends, strict=True))


def _pair(a: Curve, b: Curve, first: CensoredData, second: CensoredData) -> Pair:
    pair = Pair(a.system, b.system, a.n + b.n, b.mean - a.mean, None)
    if min(a.n, b.n) < FEWEST:
        return replace(pair, why=f"no test under {FEWEST} dialogues")
    if not a.events + b.events:
        return replace(pair, why="nobody left")
    from scipy.stats import logrank

    p = float(logrank(first, second).pvalue)
    if p != p:
        return replace(pair, why="all left at once")
    return replace(pair, p=p)


def _drawn_means(table: pd.DataFrame, until: int, seed: int, draws: int) -> dict[str, Array]:
    """The restricted mean of each system in each draw of people, the same ones for all systems.

    A system with fewer than two people, or without an event, has none.
    """
    import numpy as np

    people = np.unique(table["profile"])
    drawn = people_drawn(len(people), seed=seed, draws=draws)
    return {
        str(name): _means_of(np.searchsorted(people, its["profile"]), its, drawn, until)
        for name, its in table.groupby("system", sort=False)
        if its["profile"].nunique() > 1 and its["event"].any()
    }


def _means_of(place: Array, its: pd.DataFrame, drawn: Array, until: int) -> Array:
    import numpy as np

    left, there = np.zeros((2, drawn.shape[1], until))
    times, event = its["time"].to_numpy(), its["event"].to_numpy(dtype=bool)
    for t in range(until):
        np.add.at(there[:, t], place, times > t)
        np.add.at(left[:, t], place, event & (times == t + 1))
    watched = drawn @ there
    # Where nobody is watched any more, nobody leaves.
    shares = np.cumprod(1 - (drawn @ left) / np.maximum(watched, 1), axis=1)
    return np.where(watched[:, 0] > 0, 1 + shares[:, :-1].sum(axis=1), np.nan)
