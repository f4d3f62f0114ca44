"""What people marked in the dialogues of other projects."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from emoharbor.ratings import Rating
from emoharbor.state.record import DialogueRecord

# MindEval's keys; in one of them the underscore is missing.
CRITERION = re.compile(r"criterion_?(\d+)\.responses")
MINDEVAL, ESCONV = (1, 6), (1, 5)
SURVEY = {
    "seeker": ("empathy", "relevance", "initial_emotion_intensity", "final_emotion_intensity"),
    "supporter": ("relevance",),
}


@dataclass(frozen=True)
class Mark:
    """One mark in a dialogue; `rater` "" is somebody known by their kind alone.

    `score` None is a missing one, and `missing` says why. `scale` is its lowest and highest value.
    """

    rater: str
    kind: str
    dimension: str
    score: int | None
    scale: tuple[int, int]
    sample: int = 0
    missing: str = ""


def ratings_of(marks: Sequence[Mark], record: DialogueRecord) -> Iterator[Rating]:
    """The marks as ratings of a record, whose name is the item's."""
    item = "/".join(map(str, record.cell))
    for mark in marks:
        yield Rating(
            item_id=item,
            rater_id=mark.rater or f"{mark.kind} of {item}",
            rater_kind=mark.kind,
            dimension=mark.dimension,
            score=mark.score,
            scale_min=mark.scale[0],
            scale_max=mark.scale[1],
            profile_id=record.profile,
            model=record.supporter,
            sample=mark.sample,
            missing=mark.missing,
        )


def is_mindeval(entry: Any) -> bool:
    """Whether an entry is of MindEval's human ratings."""
    return isinstance(entry, dict) and any(CRITERION.fullmatch(str(key)) for key in entry)


def mindeval_person(entry: dict[str, Any]) -> tuple[str, tuple[str, ...]]:
    """Who seeks support, by a name of its own, and what is said of them.

    Several dialogues are of one person, whose description is the same to the letter.
    """
    about = entry.get("member_profile")
    if not isinstance(about, str) or not about.strip():
        return str(entry.get("id") or ""), ()
    named = re.search(r"Name: *(\w+)", about)
    digest = hashlib.blake2b(about.encode(), digest_size=4).hexdigest()
    return f"{named[1].lower() if named else 'person'}-{digest}", (about,)


def mindeval_marks(entry: dict[str, Any]) -> Iterator[Mark]:
    """A mark a criterion and rater, from 1 to 6; a 0 is taken as not applicable.

    Where a criterion does not say whose its marks are, they are those of the other criteria, if
    these name the same raters in the same order; if not, nobody is taken for anybody.
    """
    found = [(m[1], key) for key in entry if (m := CRITERION.fullmatch(str(key)))]
    named = {tuple(users) for _, key in found if (users := entry.get(f"{key}.users"))}
    usual = next(iter(named)) if len(named) == 1 else ()
    for number, key in found:
        values = entry[key] or ()
        users = entry.get(f"{key}.users") or usual
        states = entry.get(f"{key}.status") or ()
        for place, value in enumerate(values):
            known = len(users) == len(values)
            rater = str(users[place]) if known else f"unnamed {place + 1} of {entry.get('id')}"
            state = states[place] if len(states) == len(values) else "submitted"
            score, why = _score(value, MINDEVAL)
            if value == 0 and not isinstance(value, bool):
                why = "0, taken as not applicable"
            if state != "submitted":
                score, why = None, f"{state}, not submitted"
            yield Mark(rater, "human", f"criterion_{number}", score, MINDEVAL, missing=why)


def esconv_marks(entry: Any, lines: Sequence[Any]) -> Iterator[Mark]:
    """The two surveys after a dialogue, and what the seeker said of the support on the way.

    The supporter's marks are of the seeker, so their dimension has another name.
    """
    for kind, keys in SURVEY.items():
        survey = _inner(_inner(entry, "survey_score"), kind)
        for key in keys:
            if key in survey:
                score, why = _score(survey[key], ESCONV)
                dimension = key if kind == "seeker" else f"{key}_of_seeker"
                yield Mark("", kind, dimension, score, ESCONV, missing=why)
    said = [_inner(line, "annotation").get("feedback") for line in lines]
    for number, value in enumerate(value for value in said if value not in (None, "")):
        score, why = _score(value, ESCONV)
        yield Mark("", "seeker", "feedback", score, ESCONV, number, why)


def _inner(value: Any, key: str) -> dict[str, Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _score(value: Any, scale: tuple[int, int]) -> tuple[int | None, str]:
    if value is None or value == "":
        return None, "left empty"
    text = "" if isinstance(value, bool) else str(value).strip()
    if not re.fullmatch(r"\d+", text) or not scale[0] <= int(text) <= scale[1]:
        return None, f"{value!r} is no mark from {scale[0]} to {scale[1]}"
    return int(text), ""
