"""Who supports best, and by how much that may be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from emoharbor.frames import Frames
from emoharbor.frames.labels import label_of
from emoharbor.reports.leaderboard_groups import group_sheet
from emoharbor.reports.leaderboard_published import (
    Row,
    best_first,
    dimension_row,
    notes_on,
    standing_row,
)
from emoharbor.reports.settings import Measured, measured, told_apart
from emoharbor.sheets import Cell, Column, Rank, Sheet, ranked
from emoharbor.state.profile import Language
from emoharbor.stats.arms import MEAN, Letters, letters, marks_of, with_mean
from emoharbor.stats.groups import Means, means_of
from emoharbor.stats.intervals import Interval

NO_VERDICT = "no dialogue has a verdict"


@dataclass(frozen=True)
class Board:
    """The supporters of one setting, best first, with their means by dimension."""

    found: Measured
    order: tuple[str, ...]
    means: dict[str, Means]
    letters: Letters


def leaderboard(
    frames: Frames,
    *,
    judging: str | None = None,
    by: Sequence[str] = (),
    reference: Language | None = None,
    seed: int = 0,
) -> list[Sheet]:
    """Means with intervals, counts and compact letters; by dimension; by groups of people.

    Marks of another suite, language, rubric, strategy or judge have sheets of their own. `by`
    are fields of people; `reference` adds the published systems of Table 3 (zh) or 5 (en).
    Raises ConfigError when nothing has been judged, and for a field that people do not have.
    """
    settings = measured(frames, judging)
    apart = told_apart(settings)
    alike = [one for one in settings if one.setting.language == reference] or settings
    sheets: list[Sheet] = []
    for number, found in enumerate(settings, 1):
        end = f"-{number}" if apart else ""
        board, beside = _board(found, seed), reference if found in alike else None
        notes = (*((f"listed apart: {apart}",) if apart else ()), *found.notes, *frames.notes)
        sheets += [
            _standing(board, f"leaderboard{end}", beside, seed, notes),
            _by_dimension(board, f"leaderboard-dimensions{end}", beside, seed),
        ]
        scores = _ordered(found.scores, board.order)
        sheets += [group_sheet(scores, frames.people, one, end, seed) for one in by]
    return sheets


def _board(found: Measured, seed: int) -> Board:
    means = {
        str(name): means_of(its, seed=seed)
        for name, its in found.scores.groupby("supporter", sort=False)
    }
    nobody = Interval(None, None, None, 0, 0, NO_VERDICT)
    for name in found.supporters:
        # Who met nobody has none of the dimensions; who was judged has all of the rubric's.
        means.setdefault(name, Means(nobody, dict.fromkeys(found.dimensions, nobody)))
    order = sorted(means, key=lambda name: -(means[name].all.value or 0))
    people = with_mean(marks_of(found.scores))[[MEAN]]
    return Board(found, tuple(order), means, letters(people))


def _ordered(scores: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    place = {name: at for at, name in enumerate(order)}
    return scores.sort_values("supporter", key=lambda its: its.map(place), kind="stable")


def _standing(
    board: Board,
    name: str,
    reference: Language | None,
    seed: int,
    notes: tuple[str, ...],
) -> Sheet:
    found, many = board.found, len(board.found.dimensions)
    unjudged = bool((found.dialogues["state"] == "unjudged").any())
    columns = (
        Column("supporter", "supporter"), Column("mean", f"mean of {many}"),
        Column("low", "from"), Column("high", "to"), Column("letters", "letters"),
        Column("people", "people"), Column("judged", "dialogues judged"),
        Column("failed", "failed"), *((Column("unjudged", "unjudged"),) if unjudged else ()),
        Column("scored", "marks"), Column("unscored", "unscored"),
        *((Column("judge", "judge"),) if reference else ()),
    )  # fmt: skip
    ranks = ranked({supporter: its.all.value for supporter, its in board.means.items()})
    rows = [_standing_row(board, supporter, ranks[supporter]) for supporter in board.order]
    if reference:
        rows += [standing_row(one) for one in best_first(reference)]
    told = (*notes, *_letter_notes(board), _interval_note(seed), *notes_on(found, reference))
    return Sheet(name, f"Leaderboard: {found.setting}", columns, tuple(rows), told)


def _standing_row(board: Board, supporter: str, rank: Rank) -> Row:
    found, its = board.found, board.means[supporter].all
    dialogues = found.dialogues[found.dialogues["supporter"] == supporter]
    states = dialogues["state"].value_counts()
    return {
        "supporter": supporter,
        "mean": Cell(its.value, "", its.why if its.value is None else "", rank),
        "low": Cell(its.low, why=its.why),
        "high": Cell(its.high, why=its.why),
        "letters": board.letters.of.get((MEAN, supporter), ""),
        "people": its.clusters,
        **{state: int(states.get(state, 0)) for state in ("judged", "failed", "unjudged")},
        "scored": its.n,
        "unscored": int((found.scores["supporter"] == supporter).sum()) - its.n,
        "judge": found.setting.judge,
    }


def _by_dimension(board: Board, name: str, reference: Language | None, seed: int) -> Sheet:
    keys, found = board.found.dimensions, board.found
    columns = (Column("supporter", "supporter"), *(Column(k, label_of(k).short) for k in keys))
    ranks = {
        key: ranked({one: board.means[one].dimensions[key].value for one in board.order})
        for key in keys
    }
    rows: list[Row] = []
    for supporter in board.order:
        its = board.means[supporter].dimensions
        whys = {k: "" if its[k].value is not None else its[k].why for k in keys}
        rows.append(
            {
                "supporter": supporter,
                **{
                    key: Cell(its[key].value, _note(its[key]), whys[key], ranks[key][supporter])
                    for key in keys
                },
            }
        )
    if reference:
        rows += [dimension_row(one, keys) for one in best_first(reference)]
    title = f"By dimension: {found.setting}"
    return Sheet(name, title, columns, tuple(rows), (_interval_note(seed),))


def _note(its: Interval) -> str:
    return "" if its.low is None else f"({its.low:.2f}–{its.high:.2f})"


def _interval_note(seed: int) -> str:
    return f"intervals: 95 %, by drawing whole people (seed {seed}); best bold, second underlined"


def _letter_notes(board: Board) -> list[str]:
    """Which family of tests the letters rest on."""
    its = board.letters
    told = (
        f"letters: supporters that share none differ (signed-rank test over people on the mean of "
        f"{len(board.found.dimensions)}, Benjamini-Hochberg over {its.tested} tests, q < 0.05); "
        f"{its.different} of them say so"
    )
    notes = [told] if its.tested else []
    notes += [f"{many} pairs without a test: {why}" for why, many in its.untested.items()]
    return notes + [f"no letters: {why}" for why in its.unlettered.values()]
