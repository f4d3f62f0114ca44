"""From frames to what is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from emoharbor.frames import Frames
from emoharbor.frames.labels import label_of
from emoharbor.plots.lines import Line
from emoharbor.state.profile import Language
from emoharbor.stats.survival import Curve
from emoharbor.stats.turns import Point, by_turn, with_systems

NAN = float("nan")


def facet_means(frames: Frames, language: Language) -> dict[str, dict[str, float]]:
    """The mean of the dimensions' means in each facet, of whole dialogues, by system.

    The marks are those of the runs' own judges; a facet without any mark is left out.
    """
    scores = frames.own_scores
    known = with_systems(scores[scores["value"].notna()])
    means = known.groupby(["system", "dimension"], sort=False)["value"].mean().reset_index()
    means["facet"] = [label_of(key, language).facet for key in means["dimension"]]
    by_facet = means.groupby(["system", "facet"], sort=False)["value"].mean()
    found: dict[str, dict[str, float]] = {}
    for system, facet, mean in by_facet.reset_index().itertuples(index=False):
        found.setdefault(str(system), {})[str(facet)] = float(mean)
    return found


def ending_counts(dialogues: pd.DataFrame) -> dict[str, dict[str, int]]:
    """How many dialogues of each system ended how; those that failed before are "failed"."""
    ended = dialogues.assign(ending=dialogues["ending"].fillna("failed"))
    counted = ended.groupby(["system", "ending"], sort=False).size().reset_index()
    found: dict[str, dict[str, int]] = {}
    for system, ending, n in counted.itertuples(index=False):
        found.setdefault(str(system), {})[str(ending)] = int(n)
    return found


def survival_line(curve: Curve) -> Line:
    """A curve as steps from 1, when a dialogue begins."""
    last = len(curve.survival)
    return Line(
        system=curve.system,
        turns=range(last + 1),
        values=(1.0, *curve.survival),
        low=(NAN, *(NAN if low is None else low for low in curve.low)),
        high=(NAN, *(NAN if high is None else high for high in curve.high)),
        n=dict(zip(range(1, last + 1), curve.at_risk, strict=True)),
        steps=True,
    )


def lines_of(table: pd.DataFrame, seed: int, *, bands: bool = True) -> list[Line]:
    """The mean `value` of each `system` by `turn`, with its interval where `bands` are wanted."""
    groups = table.groupby("system", sort=False)
    if not bands:
        return [_line(str(system), _means(its)) for system, its in groups]
    found = ((str(system), by_turn(its, seed=seed)) for system, its in groups)
    return [_line(system, points) for system, points in found if points]


def _means(its: pd.DataFrame) -> list[Point]:
    found = its.groupby("turn")["value"].agg(["mean", "count"])
    rows = found[found["count"] > 0].itertuples()
    return [Point(int(str(row[0])), float(row[1]), None, None, int(row[2])) for row in rows]


def _line(system: str, points: list[Point]) -> Line:
    return Line(
        system=system,
        turns=[point.turn for point in points],
        values=[point.mean for point in points],
        low=[NAN if point.low is None else point.low for point in points],
        high=[NAN if point.high is None else point.high for point in points],
        n={point.turn: point.n for point in points},
    )


def language_of(dialogues: pd.DataFrame) -> Language:
    """Chinese where all dialogues are."""
    return "zh" if set(dialogues["language"]) == {"zh"} else "en"


def ordered(names: list[str], by: Callable[[str], float]) -> list[str]:
    """The best first."""
    return sorted(names, key=by, reverse=True)


def mean_of(its: Mapping[str, float]) -> float:
    """Of a radar's facets."""
    return sum(its.values()) / len(its)
