"""What happens over the exchanges of dialogues, as tables: first who stays how long."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.frames import Frames
from emoharbor.reports.turns_cells import Row, between
from emoharbor.reports.turns_marks import marks_sheet
from emoharbor.reports.turns_states import emotions_sheet, points_sheet, states_sheet
from emoharbor.sheets import Cell, Column, Sheet, ranked
from emoharbor.stats.letters import compact_letters
from emoharbor.stats.pairwise import ALPHA, Pair
from emoharbor.stats.survival import (
    Censoring,
    Curve,
    curves,
    differences,
    events_of,
    horizon,
    lives,
    log_rank,
)
from emoharbor.stats.turns import with_systems

CENSORED = {
    "end": "at their end",
    "cap": "at the cap, as users who will not leave any more",
}


@dataclass(frozen=True)
class Choices:
    """What is asked for. `events` are endings' short names; `judging` names a later judge's marks.

    `top` is how many turning points are told of each system; `seed` that of all drawing of people.
    """

    events: Collection[str] = ("gave_up", "left")
    censor: Censoring = "end"
    judging: str | None = None
    top: int = 3
    seed: int = 0


def turns_sheets(frames: Frames, choices: Choices) -> list[Sheet]:
    """Survival, marks by exchange, inner states by exchange, emotions and turning points.

    Raises ConfigError for an event or a judging that there is not, and where nothing has ended.
    """
    dialogues = with_systems(frames.dialogues)
    found = survival_sheets(dialogues, choices)
    found.append(marks_sheet(frames.scores, dialogues, choices.judging, choices.seed))
    found.append(states_sheet(frames.inner_states, dialogues, choices.seed))
    found.append(emotions_sheet(frames.inner_states, dialogues))
    found.append(points_sheet(frames.inner_states, frames.messages, dialogues, choices.top))
    return [sheet for sheet in found if sheet.rows or sheet.notes]


def survival_sheets(dialogues: pd.DataFrame, choices: Choices) -> list[Sheet]:
    """Who stays how long, the share that is left by exchange, and every two systems beside."""
    events = events_of(choices.events)
    table = lives(dialogues, events=events, censor=choices.censor)
    if table.empty:
        raise ConfigError("none of these dialogues has ended: there is nothing to tell over turns")
    found = curves(table, seed=choices.seed)
    pairs = log_rank(table, found)
    ordered = sorted(found, key=lambda curve: -curve.mean)
    sheets = [_survival(ordered, pairs, dialogues, table, choices), _by_exchange(ordered)]
    return [*sheets, _pairs(pairs, table, choices.seed)] if pairs else sheets


def _survival(
    ordered: Sequence[Curve], pairs: Sequence[Pair], dialogues: pd.DataFrame,
    table: pd.DataFrame, choices: Choices,
) -> Sheet:  # fmt: skip
    until = horizon(table)
    ranks = ranked({curve.system: curve.mean for curve in ordered})
    letters = _letters(ordered, pairs)
    failed = dialogues[dialogues["ending"].isna()].groupby("system").size()
    rows: tuple[Row, ...] = tuple(
        {
            "system": curve.system,
            "n": curve.n,
            "left": curve.events,
            "censored": curve.n - curve.events,
            "failed": int(failed.get(curve.system, 0)),
            "last": Cell(
                curve.survival[-1], between(curve.low[-1], curve.high[-1], ".0f", percent=True)
            ),
            "median": _median(curve, until),
            "mean": Cell(
                curve.mean, between(curve.mean_low, curve.mean_high), "", ranks[curve.system]
            ),
            "letters": letters.get(curve.system, ""),
        }
        for curve in ordered
    )
    columns = (
        Column("system", "supporter"), Column("n", "dialogues"), Column("left", "left"),
        Column("censored", "censored"), Column("failed", "failed"),
        Column("last", f"still there after {until}", 0, percent=True),
        Column("median", "median"), Column("mean", f"mean up to {until}"),
        *([Column("letters", "differ")] if letters else []),
    )  # fmt: skip
    title = "How long users stay (Kaplan-Meier, in exchanges)"
    return Sheet("survival", title, columns, rows, _notes(dialogues, table, choices, until))


def _letters(ordered: Sequence[Curve], pairs: Sequence[Pair]) -> Mapping[str, str]:
    """None where a pair was not tested: to share a letter would then say nothing."""
    if not pairs or any(pair.p is None for pair in pairs):
        return {}
    apart = [(pair.a, pair.b) for pair in pairs if pair.differs]
    return compact_letters([curve.system for curve in ordered], apart)


def _median(curve: Curve, until: int) -> Cell:
    low, high = curve.median_between
    between = f"[{low or '–'}, {high or '–'}]" if low or high else ""
    why = "" if curve.median else f"more than half are still there after exchange {until}"
    return Cell(curve.median, between, why)


def _notes(
    dialogues: pd.DataFrame, table: pd.DataFrame, choices: Choices, until: int
) -> tuple[str, ...]:
    events = events_of(choices.events)
    others = sorted(set(dialogues["ending"].dropna()) - set(events))
    failed = int(dialogues["ending"].isna().sum())
    unjudged = int((dialogues["ending"].notna() & dialogues["failure"].notna()).sum())
    repeats = table.duplicated(["system", "profile"]).any()
    found = [
        f"the event: {', '.join(events)} (--event); censored: {', '.join(others) or 'none'}; "
        f"endings by the user among these {CENSORED[choices.censor]} (--censor)",
        f"mean: the exchanges had up to exchange {until}; its interval by drawing people, seed "
        f"{choices.seed}; the other intervals are Greenwood's on the log-log scale; all of 95 %",
    ]
    if table["system"].nunique() > 1:
        found.append(
            f"supporters that share no letter differ (log-rank, Benjamini-Hochberg, {ALPHA})"
        )
    if failed:
        found.append(f"{failed} dialogues failed before they ended; they are left out")
    if unjudged:
        found.append(f"{unjudged} dialogues that ended and whose judge then failed are among these")
    if repeats:
        found.append(
            "dialogues of one person are taken as independent by the log-rank test and by "
            "Greenwood's intervals, which may then claim too much; those of means draw people"
        )
    return tuple(found)


def _by_exchange(ordered: Sequence[Curve]) -> Sheet:
    exchanges = range(1, len(ordered[0].survival) + 1)
    columns = [Column(f"t{t}", f"{t}", 0, percent=True) for t in exchanges]
    rows: tuple[Row, ...] = tuple(
        {"system": curve.system, **{f"t{t}": curve.survival[t - 1] for t in exchanges}}
        for curve in ordered
    )
    title = "Share still there after each exchange"
    return Sheet("survival-by-exchange", title, (Column("system", "supporter"), *columns), rows)


def _pairs(pairs: Sequence[Pair], table: pd.DataFrame, seed: int) -> Sheet:
    spans = differences(table, seed=seed)
    columns = (
        Column("a", "supporter"), Column("b", "beside"), Column("n", "dialogues"),
        Column("difference", "difference of means", signed=True),
        Column("p", "p", 3), Column("q", "p corrected", 3),
    )  # fmt: skip
    rows: list[Row] = []
    for pair in pairs:
        low, high = spans.get((pair.a, pair.b)) or (None, None)
        rows.append(
            {
                "a": pair.a,
                "b": pair.b,
                "n": pair.n,
                "difference": Cell(pair.difference, between(low, high, "+.2f")),
                "p": Cell(pair.p, why=pair.why),
                "q": Cell(pair.q, why=pair.why),
            }
        )
    notes = (
        "difference: of the second from the first, in exchanges, the same people drawn for both",
        "p: log-rank test, which takes the two as unrelated people; p corrected by "
        f"Benjamini-Hochberg over {sum(pair.p is not None for pair in pairs)} tests",
    )
    title = "How long users stay: every two supporters"
    return Sheet("survival-pairs", title, columns, tuple(rows), notes)
