"""An arena as tables: every two contestants, and the strengths of all of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.state.answer import AnswerRecord
from emoharbor.stats.preferences import PairRate, first_shown, pair_rates, strengths


def judged_frame(answers: Sequence[AnswerRecord]) -> pd.DataFrame:
    """A row an answer: what was held against what, turned or not, and who won: a, b or tie."""
    return pd.DataFrame(
        {**record.about, "winner": _winner(record), "reason": record.answer["reason"]}
        for record in answers
        if record.answer is not None
    )


def arena_sheets(
    answers: Sequence[AnswerRecord], failed: int, left: int, question: str, seed: int
) -> list[Sheet]:
    """The pairs; with three contestants or more, their strengths too."""
    judged = judged_frame(answers)
    notes = [
        f"asked: {question}",
        f"{len(answers)} answers, {failed} failed, {left} still to ask; every match was shown in "
        "both orders, and one with an order missing counts in no rate",
    ]
    if judged.empty:
        return [Sheet("arena", "Arena", PAIRS, (), tuple(notes))]
    bias = first_shown(judged, seed=seed)
    notes += [
        "won: both orders prefer the first one, or one does and the other ties; contrary: each "
        "order preferred another, which counts as a tie",
        "rate: won 1, tied 0.5, lost 0; interval of 95 % by drawing people, seed " + str(seed),
        _bias(bias.value, bias.low, bias.high),
    ]
    rates = pair_rates(judged, seed=seed)
    sheets = [Sheet("arena", "Arena", PAIRS, tuple(_pair(rate) for rate in rates), tuple(notes))]
    return sheets + ([_strengths(judged, seed)] if len(rates) > 1 else [])


PAIRS = (
    Column("a", "first"),
    Column("b", "second"),
    Column("matches", "matches"),
    Column("wins", "won"),
    Column("ties", "tied"),
    Column("losses", "lost"),
    Column("contrary", "contrary"),
    Column("half", "an order missing"),
    Column("rate", "rate of the first"),
)


def _pair(rate: PairRate) -> dict[str, Cell | float | int | str]:
    found = rate.rate
    spread = "" if found.low is None else f"[{found.low:.2f}, {found.high:.2f}]"
    why = "" if found.value is not None else "no match was judged in both orders"
    return {
        "a": rate.a,
        "b": rate.b,
        "matches": rate.wins + rate.ties + rate.losses,
        "wins": rate.wins,
        "ties": rate.ties,
        "losses": rate.losses,
        "contrary": rate.contrary,
        "half": rate.half,
        "rate": Cell(found.value, note=spread, why=why or (found.why if not spread else "")),
    }


def _strengths(judged: pd.DataFrame, seed: int) -> Sheet:
    rows: list[dict[str, Cell | float | int | str]] = []
    for one in sorted(strengths(judged, seed=seed), key=lambda s: -(s.value or 0.0)):
        spread = "" if one.low is None else f"[{one.low:+.2f}, {one.high:+.2f}]"
        rows.append(
            {
                "name": one.name,
                "strength": Cell(one.value, note=spread, why=one.why),
                "matches": one.matches,
            }
        )
    columns = (
        Column("name", "contestant"),
        Column("strength", "strength", signed=True),
        Column("matches", "matches"),
    )
    note = "Bradley-Terry, in log-odds against the average contestant; ties are half a win for each"
    return Sheet("strengths", "Strengths", columns, tuple(rows), (note,))


def _bias(value: float | None, low: float | None, high: float | None) -> str:
    interval = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    known = "undefined" if value is None else f"{value:.2f}{interval}"
    return f"whoever was shown first was preferred at a rate of {known}; 0.50 is no bias"


def _winner(record: AnswerRecord) -> str:
    assert record.answer is not None
    shown = ("b", "a") if record.about["turned"] else ("a", "b")
    return {"1": shown[0], "2": shown[1]}.get(str(record.answer["winner"]), "tie")
