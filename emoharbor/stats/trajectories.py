"""How those who seek support feel over the exchanges of a dialogue."""

from __future__ import annotations

from typing import Any

import pandas as pd

PLACE = ["supporter", "profile", "repeat"]
LEVELS = {"emotion": "depth", "appraisal": "intensity"}


def trajectories(states: pd.DataFrame) -> pd.DataFrame:
    """A row a dialogue whose inner states have a level, from a frame of inner states.

    The level of an Emotion is its depth on the ladder (0 for none that is negative, to 5), that of
    an Appraisal its intensity (1 to 5); the first Appraisal has none. Columns: PLACE, `kind`, `n`
    (states with a level), `level` (mean), `slope` (least squares, an exchange), `volatility` (mean
    absolute change from one state to the next), `risen` (exchange in which the level first rose,
    above the one before) and `recovered` (the first exchange after it in which the level is back
    where it rose from, or lower). NaN where there is none: a slope and a volatility need two.
    """
    found = [
        {**dict(zip(PLACE, place, strict=True)), "kind": kind, **_one(its)}
        for kind, column in LEVELS.items()
        for place, its in _levels(states[states["kind"] == kind], column)
    ]
    columns = [*PLACE, "kind", "n", "level", "slope", "volatility", "risen", "recovered"]
    return pd.DataFrame(found, columns=columns)


def _levels(states: pd.DataFrame, column: str) -> list[tuple[Any, pd.DataFrame]]:
    known = states[states[column].notna()]
    levels = known[[*PLACE, "turn"]].assign(level=known[column].astype("float64"))
    return list(levels.sort_values("turn", kind="stable").groupby(PLACE, sort=False))


def _one(its: pd.DataFrame) -> dict[str, float]:
    import numpy as np

    level = its["level"].to_numpy(dtype=float)
    turn = its["turn"].to_numpy(dtype=float)
    steps = np.diff(level)
    away = turn - turn.mean()
    rises = np.flatnonzero(steps > 0)
    risen = recovered = np.nan
    if len(rises):
        at = rises[0]
        risen = turn[at + 1]
        back = np.flatnonzero(level[at + 2 :] <= level[at])
        recovered = turn[at + 2 + back[0]] if len(back) else np.nan
    return {
        "n": len(level),
        "level": float(level.mean()),
        "slope": float(away @ level / (away @ away)) if away.any() else np.nan,
        "volatility": float(np.abs(steps).mean()) if len(steps) else np.nan,
        "risen": float(risen),
        "recovered": float(recovered),
    }
