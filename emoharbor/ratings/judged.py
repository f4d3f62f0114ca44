"""Verdicts of runs as rows of the long table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emoharbor.ratings.table import COLUMNS, JUDGE

if TYPE_CHECKING:
    import pandas as pd

# A rubric's levels; see emoharbor.prompts.rubric.
SCALE = (1.0, 5.0)
KEY = ["item_id", "judge", "strategy", "dimension", "sample"]


def judged(scores: pd.DataFrame) -> pd.DataFrame:
    """The marks of whole dialogues in the frame `scores` of emoharbor.frames, with COLUMNS.

    An item is SUPPORTER/PROFILE/REPEAT, with its run before it where two runs have one of that
    name. A judge who judged one item several times under one strategy (in judgings of other
    settings, or of another rubric) is told apart by the judging's name.
    """
    found = scores[scores["upto"].isna()].copy()
    place = found["supporter"] + "/" + found["profile"] + "/" + found["repeat"].astype(str)
    runs = found.groupby(place)["run"].transform("nunique")
    found["item_id"] = place.where(runs == 1, found["run"] + "/" + place)
    again = found.duplicated(KEY, keep=False).groupby(
        [found["judge"], found["strategy"]]
    ).transform("any")  # fmt: skip
    label = found["judging"].replace("", "the run's own")
    rater = found["judge"].where(~again, found["judge"] + " (" + label + ")")
    return (
        found.assign(
            rater_id=rater,
            rater_kind=JUDGE,
            score=found["value"].astype(float),
            scale_min=SCALE[0],
            scale_max=SCALE[1],
            profile_id=found["profile"],
            model=found["supporter"],
            missing=found["cause"].fillna(""),
        )
        .astype({"sample": int})[list(COLUMNS)]
        .reset_index(drop=True)
    )
