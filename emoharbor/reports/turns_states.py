"""The user's inner states by exchange: how strong, how deep, which way it leans, what is felt."""

from __future__ import annotations

import pandas as pd
from rich.cells import cell_len, chop_cells

from emoharbor.reports.turns_cells import Row, point_cell
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.state.emotions import load_emotions
from emoharbor.stats.pairwise import FEWEST
from emoharbor.stats.turning import turning_points
from emoharbor.stats.turns import LEANINGS, by_turn, leanings, states_by_turn

MEASURES = {"intensity": "intensity (1–5)", "depth": "depth (0–5)"}
MOST_LABELS = 8
LONGEST = 240
NO_STATES = "there are no inner states: these users have no thinker, or the dialogues were imported"


def states_sheet(states: pd.DataFrame, dialogues: pd.DataFrame, seed: int) -> Sheet:
    """A row a supporter and exchange."""
    found = states_by_turn(states, dialogues)
    title = "Inner states by exchange"
    shown = [key for key in MEASURES if found[key].notna().any()]
    leaning = bool(found["leaning"].notna().any())
    columns = [
        Column("system", "supporter"), Column("turn", "exchange"), Column("n", "still there"),
        *(Column(key, MEASURES[key]) for key in shown),
        *(Column(lean, lean, 0, percent=True) for lean in LEANINGS if leaning),
        *([Column("kept", "goals kept", 0, percent=True)] if leaning else []),
    ]  # fmt: skip
    rows = tuple(
        row
        for name, its in found.groupby("system", sort=False)
        for row in _rows(str(name), its, shown, seed)
    )
    notes = _notes(seed, shown, leaning=leaning) if rows else (NO_STATES,)
    return Sheet("states-by-turn", title, tuple(columns), rows, notes)


def _rows(system: str, its: pd.DataFrame, shown: list[str], seed: int) -> list[Row]:
    points = {
        key: {p.turn: p for p in by_turn(its.assign(value=its[key]), seed=seed)} for key in shown
    }
    leaning, kept = leanings(its), by_turn(its.assign(value=its["kept"]), seed=seed)
    goals = {point.turn: point.mean for point in kept}
    rows: list[Row] = []
    for turn, n in its.groupby("turn").size().items():
        at = int(str(turn))
        row: dict[str, Cell | float | int | str] = {"system": system, "turn": at, "n": int(n)}
        row |= {key: point_cell(points[key].get(at), "no state there has it") for key in shown}
        if counts := leaning.get(at):
            row |= {lean: counts[lean] / sum(counts.values()) for lean in LEANINGS}
        if at in goals:
            row["kept"] = goals[at]
        rows.append(row)
    return rows


def _notes(seed: int, shown: list[str], *, leaning: bool) -> tuple[str, ...]:
    notes = [
        "all figures are of the users who are still there: where the unhappy leave, the rest look "
        "better without anybody feeling better",
        "failed dialogues, and the state made from the profile before anybody spoke, are left out",
    ]
    if "depth" in shown:
        notes.append("depth: the layer of the emotion, 0 not negative to 5 (disgust, grief)")
    if leaning:
        notes.append(
            "goals kept: which part of the words of the goals, of both states taken together, also "
            "stood in the state before (in Chinese: characters)"
        )
    return (*notes, f"intervals of 95 % by drawing people, seed {seed}; none under {FEWEST} people")


def emotions_sheet(states: pd.DataFrame, dialogues: pd.DataFrame) -> Sheet:
    """A row a supporter and emotion, the most frequent first: in how many states it stands."""
    found = states_by_turn(states, dialogues)
    found = found.assign(felt=found["label"].map(_key).fillna(found["emotion"]))
    columns = (
        Column("system", "supporter"), Column("felt", "emotion"),
        *([Column("depth", "depth")] if found["depth"].notna().any() else []),
        Column("n", "states"), Column("first", "of first states", 0, percent=True),
        Column("last", "of last states", 0, percent=True),
    )  # fmt: skip
    rows: list[Row] = []
    others = 0
    for system, its in found.groupby("system", sort=False):
        places = its.groupby(["run", "supporter", "profile", "repeat"], sort=False)["felt"]
        first, last = places.first(), places.last()
        counted = its["felt"].value_counts()
        others += max(0, len(counted) - MOST_LABELS)
        for felt, n in counted.head(MOST_LABELS).items():
            depth = its.loc[its["felt"] == felt, "depth"].iloc[0]
            rows.append(
                {
                    "system": str(system),
                    "felt": _cut(str(felt), 60),
                    "depth": "" if pd.isna(depth) else int(depth),
                    "n": int(n),
                    "first": float((first == felt).mean()),
                    "last": float((last == felt).mean()),
                }
            )
    note = (f"{others} rarer emotions are not shown",) if others else ()
    return Sheet("emotions", "What users feel", columns, tuple(rows), note if rows else ())


def _key(label: object) -> object:
    return load_emotions().key(label) if isinstance(label, str) else None


def points_sheet(
    states: pd.DataFrame, messages: pd.DataFrame, dialogues: pd.DataFrame, top: int
) -> Sheet:
    """The turning points of each supporter, with what was said."""
    found = turning_points(states_by_turn(states, dialogues), messages, top)
    columns = (
        Column("system", "supporter"), Column("dialogue", "dialogue"),
        Column("turn", "exchange"), Column("size", "size"), Column("change", "what changed"),
        Column("before", "felt before"), Column("after", "felt after"),
        Column("heard", "the supporter had said"), Column("said", "the user answered"),
    )  # fmt: skip
    rows: tuple[Row, ...] = tuple(
        {
            "system": one.system,
            "dialogue": one.dialogue,
            "turn": one.turn,
            "size": one.size,
            "change": one.change,
            "before": _cut(one.before, 60),
            "after": _cut(one.after, 60),
            "heard": _cut(one.heard),
            "said": _cut(one.said),
        }
        for one in found
    )
    notes = (
        "a turning point: the exchange since the one before which a user's state changed most, the "
        "earliest of equals; one a dialogue, the largest of each supporter",
        "size: the changes of intensity (a part of 4), depth (of 5) and leaning (of 2), without "
        f"their signs, added; lines are cut at {LONGEST} characters' width",
    )
    return Sheet("turning-points", "Turning points", columns, rows, notes if rows else ())


def _cut(text: str, longest: int = LONGEST) -> str:
    text = " ".join(text.split())
    return text if cell_len(text) <= longest else chop_cells(text, longest - 1)[0] + "…"
