"""What was measured alike: marks of several runs that may stand in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import pandas as pd

from emoharbor.errors import ConfigError, nearest
from emoharbor.frames import Frames
from emoharbor.frames.judgings import judging_meant
from emoharbor.frames.labels import label_of

CELL = ["run", "supporter", "profile", "repeat"]
SETTING = ["suite", "language", "rubric", "strategy", "judge", "user_model"]


@dataclass(frozen=True)
class Setting:
    """What marks must have in common to be compared."""

    suite: str
    language: str
    rubric: str
    strategy: str
    judge: str
    user_model: str

    def __str__(self) -> str:
        told = f"{self.suite}, {self.language}, {self.rubric}, {self.strategy}"
        told += f", users by {self.user_model}" if self.user_model else ""
        return f"{told}, judged by {self.judge or 'an unnamed judge'}"


@dataclass(frozen=True)
class Measured:
    """Dialogues and marks of one setting; a supporter of several runs is told apart by its run.

    `scores` are of whole dialogues alone. `dialogues` has every dialogue of the runs, and a column
    `state`: judged, failed or unjudged. `notes` say what is not here.
    """

    setting: Setting
    scores: pd.DataFrame
    dialogues: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def supporters(self) -> list[str]:
        """In the order in which they were run, also those that nobody could judge."""
        return [str(one) for one in self.dialogues["supporter"].unique()]

    @property
    def dimensions(self) -> list[str]:
        """In the order of the verdicts."""
        return [str(one) for one in self.scores["dimension"].unique()]


def measured(frames: Frames, judging: str | None = None) -> list[Measured]:
    """The marks of the runs' own judges, or of the later one named `judging`, setting by setting.

    Raises ConfigError when there is none.
    """
    name = judging_meant(frames.scores, judging or "")
    scores = frames.scores[(frames.scores["judging"] == name) & frames.scores["upto"].isna()]
    if scores.empty:
        raise ConfigError(_nothing(frames, name))
    scores = scores.merge(
        frames.dialogues[[*CELL, "suite", "language", "user_model"]], on=CELL, how="left"
    )
    scores = scores.assign(rubric=_rubrics(scores))
    dialogues = _with_state(frames, scores, name)
    notes = _unjudged_runs(dialogues, scores, name)
    groups = scores.groupby(SETTING, sort=False, dropna=False)
    return [_measured(Setting(*map(str, key)), its, dialogues, notes) for key, its in groups]


def told_apart(found: Sequence[Measured]) -> str:
    """In what the settings differ, in a sentence; empty where there is one."""
    if len(found) < 2:
        return ""
    values = zip(*(astuple(one.setting) for one in found), strict=True)
    names = (one.name for one in fields(Setting))
    differ = (
        f"{name} ({' and '.join(dict.fromkeys(value or 'unnamed' for value in its))})"
        for name, its in zip(names, values, strict=True)
        if len(set(its)) > 1
    )
    return f"these marks differ in {', '.join(differ)} and are never averaged together"


def _rubrics(scores: pd.DataFrame) -> list[str]:
    """Rubrics by name; with its dimensions where one name stands for several rubrics."""
    kinds = scores[["run", "rubric", "dimension"]].drop_duplicates()
    held: dict[tuple[str, str], list[str]] = {}
    for run, rubric, dimension in kinds.itertuples(index=False, name=None):
        held.setdefault((run, rubric), []).append(label_of(dimension).short)
    sets: dict[str, set[str]] = {}
    for (_, rubric), labels in held.items():
        sets.setdefault(rubric, set()).add(" ".join(sorted(labels)))
    name = {
        (run, rubric): f"{rubric} ({' '.join(sorted(labels))})" if len(sets[rubric]) > 1 else rubric
        for (run, rubric), labels in held.items()
    }
    return [name[key] for key in zip(scores["run"], scores["rubric"], strict=True)]


def _measured(
    setting: Setting, scores: pd.DataFrame, dialogues: pd.DataFrame, notes: tuple[str, ...]
) -> Measured:
    runs = scores["run"].unique()
    mine = dialogues[
        dialogues["run"].isin(runs)
        & (dialogues["suite"] == setting.suite)
        & (dialogues["language"] == setting.language)
        & (dialogues["user_model"] == setting.user_model)
    ]
    often = mine[["run", "supporter"]].drop_duplicates()["supporter"].value_counts()
    double = [str(name) for name, count in often.items() if count > 1]
    if double:
        notes += (f"in several runs, and listed by run: {', '.join(sorted(double))}",)
    return Measured(setting, _named(scores, double), _named(mine, double), notes)


def _named(frame: pd.DataFrame, double: list[str]) -> pd.DataFrame:
    """With the run behind the name of a supporter that is in several."""
    plain = ~frame["supporter"].isin(double)
    named = frame["supporter"] + " (" + frame["run"] + ")"
    return frame.assign(supporter=frame["supporter"].where(plain, named))


def _with_state(frames: Frames, scores: pd.DataFrame, judging: str) -> pd.DataFrame:
    """Every dialogue, and whether it was judged, failed, or neither."""
    failures = frames.failures[frames.failures["upto"].isna()]
    # What the run's own judge failed at is no failure of a later one.
    own = (failures["judging"] == "") & ((failures["node"] != "evaluator") | (judging == ""))
    failed = failures.loc[own | (failures["judging"] == judging), CELL].drop_duplicates()
    dialogues = frames.dialogues.merge(scores[CELL].drop_duplicates().assign(j=True), "left", CELL)
    dialogues = dialogues.merge(failed.assign(f=True), "left", CELL)
    state = dialogues["f"].notna().map({True: "failed", False: "unjudged"})
    state = state.mask(dialogues["j"].notna(), "judged")
    return dialogues.drop(columns=["j", "f"]).assign(state=state)


def _unjudged_runs(dialogues: pd.DataFrame, scores: pd.DataFrame, judging: str) -> tuple[str, ...]:
    whose = f"the judging '{judging}'" if judging else "its own judge"
    without = [str(run) for run in dialogues["run"].unique() if run not in set(scores["run"])]
    return tuple(
        f"{run}: no dialogue has a verdict of {whose}; "
        f"{int((dialogues['run'] == run).sum())} are left out"
        for run in without
    )


def _nothing(frames: Frames, judging: str) -> str:
    known = sorted({str(one) for one in frames.scores["judging"].unique()} - {""})
    if judging:
        if judging in known:
            return f"the judging '{judging}' is of beginnings of dialogues, and of no whole one"
        return f"no judging '{judging}' in these runs{nearest(judging, known)}"
    failed = int(frames.dialogues["failure"].notna().sum())
    told = f"no dialogue has been judged: there are {len(frames.dialogues)}, {failed} failed"
    return f"{told}; later judges: --judging {' or '.join(known)}" if known else told
