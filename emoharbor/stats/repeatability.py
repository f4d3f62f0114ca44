"""Whether a judge who is asked again says the same."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from emoharbor.stats.agreement import ONE_WAY, icc
from emoharbor.stats.correlation import Array
from emoharbor.stats.intervals import Interval


@dataclass(frozen=True)
class Repeatability:
    """How `repeats` of a judge lie about each other, over the `items` with two or more.

    `sd` is the standard deviation within an item in points of the scale (the root of the mean
    variance), `equal` the share of pairs of repeats with the same mark (a mean over items), `icc`
    is ICC(1,1) over the items with all repeats. Where a value is None, `why` says so.
    """

    sd: float | None
    equal: float | None
    icc: Interval
    items: int
    repeats: int
    why: str = ""


def repeatability(marks: Array) -> Repeatability:
    """From the marks of one judge in one dimension, (items, repeats), NaN where there is none."""
    counts = np.isfinite(marks).sum(axis=1)
    again = marks[counts >= 2]
    if not len(again):
        why = "no item was judged twice"
        nothing = Interval(None, None, None, 0, 0, why)
        return Repeatability(None, None, nothing, 0, marks.shape[1], why)
    sd = float(np.sqrt(np.nanvar(again, axis=1, ddof=1).mean()))
    found = icc(again, ONE_WAY).single
    return Repeatability(sd, _equal(again), found, len(again), marks.shape[1])


def _equal(marks: Array) -> float:
    known = np.isfinite(marks).sum(axis=1)
    same = (marks[:, :, None] == marks[:, None, :]).sum(axis=(1, 2)) - known
    return float((same / (known * (known - 1))).mean())
