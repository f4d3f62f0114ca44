"""What stands beside a figure."""

from __future__ import annotations

from collections.abc import Mapping

from emoharbor.sheets import Cell
from emoharbor.stats.turns import Point

Row = Mapping[str, Cell | float | int | str]


def between(
    low: float | None, high: float | None, form: str = ".2f", *, percent: bool = False
) -> str:
    """An interval in brackets, nothing where it has no ends."""
    if low is None or high is None:
        return ""
    scale = 100 if percent else 1
    return f"[{scale * low:{form}}, {scale * high:{form}}]"


def point_cell(point: Point | None, why: str) -> Cell:
    """A mean with its interval; undefined, because of `why`, where there is no point."""
    if point is None:
        return Cell(None, why=why)
    return Cell(point.mean, between(point.low, point.high))
