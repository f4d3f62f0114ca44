"""The two sides of a comparison: a run, with the verdicts of one of its judges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pandas as pd

from emoharbor.errors import ConfigError, nearest
from emoharbor.frames import Frames
from emoharbor.frames.judgings import judging_meant
from emoharbor.frames.labels import label_of
from emoharbor.stats.arms import MEAN, marks_of, with_mean

CELL = ["supporter", "profile", "repeat"]
UNSCORED = (
    "scored, unscored, failed: dialogues with every mark, with one missing, and that failed; "
    "unjudged, where there are any: without a verdict"
)


@dataclass(frozen=True)
class Side:
    """A run's dialogues and inner states, and the verdicts on whole dialogues by one judge.

    `name` is what it is called in a table; `failures` are those of its dialogues and this judge.
    """

    name: str
    dialogues: pd.DataFrame
    inner_states: pd.DataFrame
    scores: pd.DataFrame
    failures: pd.DataFrame

    @property
    def supporters(self) -> list[str]:
        """In the order in which they were run."""
        return [str(one) for one in self.dialogues["supporter"].unique()]

    @property
    def dimensions(self) -> list[str]:
        """Those in which anybody has a mark."""
        known = self.scores[self.scores["value"].notna()]
        return [str(one) for one in known["dimension"].unique()]

    @property
    def judges(self) -> str:
        """Who judged, how, and by which rubric."""
        kinds = self.scores[["judge", "strategy", "rubric"]].drop_duplicates()
        told = (f"{j or 'an unnamed judge'}, {s}, {r}" for j, s, r in kinds.itertuples(index=False))
        return " and ".join(told) or "nobody"

    @property
    def unbroken(self) -> pd.DataFrame:
        """The dialogues that did not fail."""
        return self.dialogues[self.dialogues["failure"].isna()]

    @property
    def judged_turns(self) -> pd.DataFrame:
        """The mean exchanges of people's judged dialogues, by supporter and profile, as `turns`."""
        judged = self.scores[CELL].drop_duplicates()
        dialogues = self.dialogues.merge(judged, on=CELL)
        return dialogues.groupby(CELL[:2])[["turns"]].mean().astype("float64")

    def people(self, supporter: str) -> set[str]:
        """Whom a supporter met, by profile."""
        return set(self.dialogues.loc[self.dialogues["supporter"] == supporter, "profile"])

    def judged_people(self, supporter: str) -> set[str]:
        """Those of them of whom there is a verdict."""
        return set(self.scores.loc[self.scores["supporter"] == supporter, "profile"])

    def marks(self, dimensions: Sequence[str]) -> pd.DataFrame:
        """People's marks in `dimensions` and their mean (see `marks_of`)."""
        scores = self.scores[self.scores["dimension"].isin(dimensions)]
        if scores.empty:
            index = pd.MultiIndex.from_arrays([[], []], names=["supporter", "profile"])
            return pd.DataFrame(index=index, columns=[*dimensions, MEAN], dtype="float64")
        return with_mean(marks_of(scores)[list(dimensions)])

    @property
    def wholly_judged(self) -> bool:
        """Whether every dialogue has a verdict or failed."""
        done = {
            *map(tuple, self.scores[CELL].to_numpy()),
            *map(tuple, self.failures[CELL].to_numpy()),
        }
        return {*map(tuple, self.dialogues[CELL].to_numpy())} <= done

    def counts(self, supporter: str, dimensions: Sequence[str]) -> dict[str, int]:
        """Dialogues of a supporter: with every mark, with one missing, failed, without verdict."""
        mine = self.dialogues[self.dialogues["supporter"] == supporter]
        scores = self.scores[self.scores["supporter"] == supporter]
        scores = scores[scores["dimension"].isin(dimensions)]
        judged = scores.groupby(CELL)["value"].agg(["size", "count"])
        whole = int((judged["size"] == judged["count"]).sum())
        broken = self.failures[self.failures["supporter"] == supporter]
        failed = set(broken[CELL].itertuples(index=False, name=None)) - set(judged.index)
        return {
            "dialogues": len(mine),
            "scored": whole,
            "unscored": len(judged) - whole,
            "failed": len(failed),
            "unjudged": len(mine) - len(judged) - len(failed),
        }


def counted(sides: Iterable[Side]) -> tuple[str, ...]:
    """Which counts of dialogues are told; imported ones alone may be unjudged."""
    whole = all(its.wholly_judged for its in sides)
    return ("scored", "unscored", "failed", *(() if whole else ("unjudged",)))


def side(frames: Frames, name: str, judging: str = "") -> Side:
    """The run that `frames` hold, with its own verdicts or those kept under judged/`judging`.

    Raises ConfigError when it holds no such judging, or one of beginnings of dialogues alone.
    """
    scores, failures = frames.scores, frames.failures
    judging = judging_meant(scores, judging)
    mine = scores[scores["judging"] == judging]
    known = [str(one) for one in scores["judging"].unique() if one]
    if judging and mine.empty:
        raise ConfigError(f"{name}: this run has no judging '{judging}'{nearest(judging, known)}")
    whole = mine[mine["upto"].isna()]
    if judging and whole.empty:
        raise ConfigError(f"{name}: it judges beginnings of dialogues, and no whole one")
    broken = failures[failures["judging"].isin({"", judging}) & failures["upto"].isna()]
    dialogues = frames.dialogues
    if judging:
        # What the run's own judge failed at is no failure of a later one.
        broken = broken[(broken["judging"] == judging) | (broken["node"] != "evaluator")]
        dialogues = dialogues.assign(
            failure=dialogues["failure"].where(dialogues["failure_node"] != "evaluator")
        )
    return Side(name, dialogues, frames.inner_states, whole, broken)


def chosen(first: Side, second: Side, wanted: Sequence[str]) -> list[str]:
    """The dimensions in which both sides have marks, or those `wanted` by key or short label.

    Raises ConfigError for one that is none of them, and when the sides share none.
    """
    both = [key for key in first.dimensions if key in second.dimensions]
    if not both and first.dimensions and second.dimensions:
        raise ConfigError(
            f"{first.name} and {second.name} have no dimension in common: "
            f"{', '.join(first.dimensions)}; {', '.join(second.dimensions)}"
        )
    keys = {label(key): key for key in both} | {key: key for key in both}
    for name in wanted:
        if name not in keys:
            raise ConfigError(f"no dimension '{name}' in both{nearest(name, both)}")
    named = {keys[name] for name in wanted}
    return [key for key in both if not wanted or key in named]


def label(key: str) -> str:
    """A dimension's short label, as RA."""
    return "mean" if key == MEAN else label_of(key).short
