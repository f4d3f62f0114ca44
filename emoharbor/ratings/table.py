"""The long table of marks: one row says what one rater gave one item in one dimension."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

JUDGE = "judge"
# Whoever is no judge: anybody asked to rate, a professional, or one of the two who talked.
PEOPLE = ("human", "expert", "seeker", "supporter")


@dataclass(frozen=True)
class Rating:
    """What `rater_id` gave the dialogue `item_id` in one dimension.

    An item is named SUPPORTER/PROFILE/REPEAT like the dialogue of a run. `score` lies between
    `scale_min` and `scale_max`; it is None where none was given, and `missing` may say why.
    `profile_id` is who sought support, `model` who gave it; "" where this is not known.
    `strategy` is a judge's; `sample` numbers what one rater said of one item more than once.
    """

    item_id: str
    rater_id: str
    rater_kind: str
    dimension: str
    score: float | None
    scale_min: float
    scale_max: float
    profile_id: str = ""
    model: str = ""
    strategy: str = ""
    sample: int = 0
    missing: str = ""


COLUMNS = tuple(field.name for field in fields(Rating))
NEEDED = COLUMNS[:7]


def frame_of(ratings: Iterable[Rating]) -> pd.DataFrame:
    """The ratings as a data frame with COLUMNS; a score that is None is NaN there."""
    import pandas as pd

    frame = pd.DataFrame(map(astuple, ratings), columns=list(COLUMNS))
    kinds = dict.fromkeys(("score", "scale_min", "scale_max"), float)
    return frame.astype({**kinds, "sample": int})
