"""Turning points: the exchange after which the user's inner state changed most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emoharbor.stats.turns import DIALOGUE, LEANINGS

if TYPE_CHECKING:
    import pandas as pd

# What a state is measured by, with the width of its scale: from 1 to 5, 0 to 5, stay to leave.
WIDTHS = {"intensity": 4.0, "depth": 5.0, "leaning": 2.0}


@dataclass(frozen=True)
class TurningPoint:
    """How a user's state changed from one exchange to `turn`, where it changed most.

    `size` adds up the changes of intensity, depth and leaning, without their signs and each as a
    part of its scale's width; `change` tells them. `before` and `after` are the emotions. `heard`
    is what the supporter had said in between, `said` the user's answer, message `number` of H_s.
    """

    system: str
    dialogue: str
    turn: int
    size: float
    change: str
    before: str
    after: str
    number: int
    heard: str
    said: str


def measured(states: pd.DataFrame) -> pd.DataFrame:
    """`states` (of `states_by_turn`) with `size`, the change since the state before.

    Beside each of WIDTHS, as a number in `KEY_now`, stands that of the state before in `KEY_then`.
    A measure that either state lacks adds nothing; where all lack, as at first, `size` is NaN.
    """
    import pandas as pd

    states = states.reset_index(drop=True)
    numbers = states.assign(
        leaning=states["leaning"].map(dict(zip(LEANINGS, range(3), strict=True)))
    )
    now = numbers[list(WIDTHS)].apply(pd.to_numeric).astype(float)
    then = now.groupby([states[key] for key in DIALOGUE], sort=False).shift()
    size = ((now - then).abs() / pd.Series(WIDTHS)).sum(axis=1, min_count=1)
    both = states.join(now.add_suffix("_now")).join(then.add_suffix("_then"))
    return both.assign(size=size)


def turning_points(states: pd.DataFrame, messages: pd.DataFrame, top: int) -> list[TurningPoint]:
    """The `top` largest of each system, one a dialogue: its largest change, the earliest of equals.

    A dialogue in which nothing measured ever changes has none.
    """
    found = measured(states)
    felt = found["emotion"].fillna(found["label"]).fillna("")
    before = felt.groupby([found[key] for key in DIALOGUE], sort=False).shift()
    found = found.assign(felt=felt, felt_then=before)
    largest = found[found["size"] > 0].sort_values("size", ascending=False, kind="stable")
    largest = largest.groupby(DIALOGUE, sort=False).head(1)
    chosen = largest.groupby("system", sort=False).head(top)
    lines = _lines(messages, chosen)
    order = {name: place for place, name in enumerate(states["system"].drop_duplicates())}
    points = [_point(row, lines) for row in chosen.to_dict("records")]
    return sorted(points, key=lambda point: order[point.system])


Lines = dict[tuple[Any, ...], tuple[str, str]]


def _lines(messages: pd.DataFrame, chosen: pd.DataFrame) -> Lines:
    said = messages.merge(chosen[DIALOGUE].drop_duplicates(), on=DIALOGUE)
    columns = [said[key] for key in [*DIALOGUE, "number", "role", "text"]]
    return {row[:-2]: row[-2:] for row in zip(*columns, strict=True)}


def _point(row: dict[Any, Any], lines: Lines) -> TurningPoint:
    place, number = tuple(row[key] for key in DIALOGUE), int(row["before_message"])
    _, said = lines.get((*place, number), ("", ""))
    role, heard = lines.get((*place, number - 1), ("", ""))
    return TurningPoint(
        system=row["system"],
        dialogue=f"{row['supporter']}/{row['profile']}/{row['repeat']}",
        turn=int(row["turn"]),
        size=float(row["size"]),
        change=", ".join(_told(key, row[f"{key}_then"], row[f"{key}_now"]) for key in _moved(row)),
        before=row["felt_then"],
        after=row["felt"],
        number=number,
        heard=heard if role == "supporter" else "",
        said=said,
    )


def _moved(row: dict[Any, Any]) -> list[str]:
    # A missing number is unlike itself.
    return [k for k in WIDTHS if abs(row[f"{k}_now"] - row[f"{k}_then"]) > 0]


def _told(key: str, then: float, now: float) -> str:
    if key == "leaning":
        return f"{LEANINGS[int(then)]} → {LEANINGS[int(now)]}"
    return f"{key} {then:.0f} → {now:.0f}"
