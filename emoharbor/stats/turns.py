"""What is measured exchange by exchange: marks of judged prefixes, and the user's inner states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from emoharbor.stats.intervals import DRAWS, Interval, people_drawn, percentiles
from emoharbor.stats.pairwise import FEWEST

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    Array = np.ndarray[Any, Any]

DIALOGUE = ["run", "supporter", "profile", "repeat"]
LEANINGS = ("stay", "unsure", "leave")


@dataclass(frozen=True)
class Point:
    """The mean of what is known of `n` dialogues in one exchange, and its interval by people."""

    turn: int
    mean: float
    low: float | None
    high: float | None
    n: int


def with_systems(frame: pd.DataFrame) -> pd.DataFrame:
    """`frame` with `system`: the supporter, with its run behind it where two runs have one such."""
    runs = frame[["run", "supporter"]].drop_duplicates()
    twice = runs["supporter"].value_counts()
    names = frame["supporter"].astype(str)
    clash = frame["supporter"].map(twice) > 1
    return frame.assign(system=names.where(~clash, names + " (" + frame["run"].astype(str) + ")"))


def by_turn(frame: pd.DataFrame, *, seed: int, draws: int = DRAWS) -> list[Point]:
    """The mean `value` of each `turn`, over dialogues of the people in `profile`.

    Missing values are left out; a turn without any is none of the points. The 95 % intervals come
    from drawing people, seeded; None under FEWEST people, of whom too few different draws are made.
    """
    import numpy as np

    known = frame[frame["value"].notna()]
    if known.empty:
        return []
    turns, column = np.unique(known["turn"].to_numpy(dtype=int), return_inverse=True)
    # In the order of their names: what is drawn must not hang on who finished first.
    row, people = known["profile"].factorize(sort=True)
    sums, counts = np.zeros((2, len(people), len(turns)))
    np.add.at(sums, (row, column), known["value"].to_numpy(dtype=float))
    np.add.at(counts, (row, column), 1)
    drawn = people_drawn(len(people), seed=seed, draws=draws)
    with np.errstate(invalid="ignore"):
        means = (drawn @ sums) / (drawn @ counts)
    found = []
    for at, turn in enumerate(turns):
        there = int((counts[:, at] > 0).sum())
        between = percentiles(means[:, at], there) if there >= FEWEST else None
        low, high = between or (None, None)
        n = int(counts[:, at].sum())
        found.append(Point(int(turn), float(sums[:, at].sum() / n), low, high, n))
    return found


def trend(frame: pd.DataFrame, *, seed: int, draws: int = DRAWS) -> Interval:
    """By how much `value` changes an exchange within the same dialogues.

    The slope on `turn` with an intercept for each dialogue (fixed effects), so that it does not
    rise because low ones leave. Long dialogues weigh more: where slopes differ it is mostly theirs.
    The interval by drawing people. Undefined where no dialogue has two turns.
    """
    import numpy as np

    known = frame[frame["value"].notna()]
    dialogue = known.groupby(DIALOGUE, sort=False).ngroup().to_numpy()
    person, people = known["profile"].factorize(sort=True)
    off, change = (
        _centred(known[key].to_numpy(dtype=float), dialogue) for key in ("turn", "value")
    )
    by = np.bincount(person, off * change, minlength=len(people))
    spread = np.bincount(person, off**2, minlength=len(people))
    if not spread.sum():
        return Interval(
            None, None, None, len(known), len(by), "no dialogue has two judged exchanges"
        )
    slope = float(by.sum() / spread.sum())
    if (moving := int((spread > 0).sum())) < FEWEST:
        return Interval(
            slope, None, None, len(known), len(by), f"no interval under {FEWEST} people"
        )
    drawn = people_drawn(len(by), seed=seed, draws=draws)
    with np.errstate(invalid="ignore"):
        between = percentiles((drawn @ by) / (drawn @ spread), moving)
    low, high = between or (None, None)
    return Interval(slope, low, high, len(known), len(by))


def _centred(values: Array, group: Array) -> Array:
    """What each value is above the mean of its group."""
    import numpy as np

    means: Array = np.bincount(group, values) / np.maximum(np.bincount(group), 1)
    return values - means[group]


def prefix_marks(scores: pd.DataFrame, dialogues: pd.DataFrame) -> pd.DataFrame:
    """The marks of one judging by `turn`: a row a dialogue, dimension and turn, samples averaged.

    A prefix counts at the exchange that it ends with. A whole dialogue counts at its last one where
    it is as long as a prefix would be: exchange N, 2N and so on, with N the shortest of its run,
    or of all runs where it has none. `value` is NaN where no sample has a mark.
    """
    import pandas as pd

    known = dialogues[[*DIALOGUE, "system", "turns"]]
    marks = scores.merge(known, on=DIALOGUE, how="inner")
    every = marks.groupby("run")["upto"].transform("min").fillna(marks["upto"].min())
    marks["turn"] = marks["upto"].fillna(marks["turns"])
    marks = marks[marks["upto"].notna() | (marks["turn"] % every == 0)]
    # The whole dialogue and the prefix of the same length are one text: the prefix is taken.
    keys = [*DIALOGUE, "system", "dimension", "turn"]
    prefix = marks.assign(whole=marks["upto"].isna()).groupby(keys)["whole"].transform("min")
    marks = marks[marks["upto"].isna() == prefix]
    marks["value"] = pd.to_numeric(marks["value"]).astype(float)
    means: pd.DataFrame = marks.groupby(keys, sort=False)["value"].mean().reset_index()
    return means


def states_by_turn(states: pd.DataFrame, dialogues: pd.DataFrame) -> pd.DataFrame:
    """The user's last inner state in each exchange of the dialogues that have an ending.

    One that was there before anybody spoke, made from the profile without a call, is left out.
    Beside the columns of `states` it has `system`, the dialogue's `language`, and `kept`: what
    part of the words of the goals, of both states taken together, is also in the state before.
    """
    import pandas as pd

    ended = dialogues[dialogues["ending"].notna()]
    found = states.merge(ended[[*DIALOGUE, "system", "language"]], on=DIALOGUE, how="inner")
    first = (found["kind"] == "appraisal") & found["intensity"].isna()
    found = found[~(first & (found["before_message"] == 1))]
    found = found.sort_values("before_message", kind="stable")
    found = found.groupby([*DIALOGUE, "turn"], sort=False).tail(1)
    before = found.groupby(DIALOGUE, sort=False)["goals"].shift()
    rows = zip(found["goals"], before, found["language"], strict=True)
    kept = [_kept(now, then, language) for now, then, language in rows]
    return found.assign(kept=pd.Series(kept, index=found.index, dtype=float))


def _kept(now: Any, then: Any, language: str) -> float | None:
    if not (isinstance(now, str) and isinstance(then, str)):
        return None
    pattern = r"\w" if language == "zh" else r"[\w'’]+"
    new, old = (set(re.findall(pattern, text.lower())) for text in (now, then))
    return len(new & old) / len(new | old) if new | old else None


def leanings(states: pd.DataFrame) -> dict[int, Mapping[str, int]]:
    """How many users lean to stay, are unsure, or lean to leave, in each exchange."""
    known = states[states["leaning"].notna()]
    return {
        int(str(turn)): {lean: int((its == lean).sum()) for lean in LEANINGS}
        for turn, its in known.groupby("turn")["leaning"]
    }
