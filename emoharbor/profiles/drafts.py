"""A profile that is not whole yet: what another project's data says about a person, and no more."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from emoharbor.state.profile import Frozen, Language, Profile, Risk, Text

LACKING = frozenset({"missing", "too_short"})
OWN = ("lacks", "source", "notes")


class Draft(Frozen):
    """Shaped as a Profile, every part optional. What is given is as a Profile would have it.

    `lacks` are the fields of a Profile that are missing, as "preferences.mbti"; `source` is where
    the person is from; `notes` are words of the source for which a Profile has no field.
    """

    id: Text
    language: Language
    source: Text
    lacks: tuple[Text, ...]
    notes: dict[str, Text] = {}
    demographics: dict[str, Any] = {}
    preferences: dict[str, Any] = {}
    counselling: dict[str, Any] = {}
    scenario: dict[str, Any] = {}
    minor: bool = False
    risk: tuple[Risk, ...] = ()
    hard: bool = False


def is_draft(value: Any) -> bool:
    """Whether an entry of a file says that it is a draft."""
    return isinstance(value, dict) and "lacks" in value


def examine(value: dict[str, Any]) -> tuple[list[str], list[ErrorDetails]]:
    """Which fields of a Profile a draft lacks, and what is wrong with those that it has.

    Looked up and not read from its `lacks`, since people fill drafts by hand.
    """
    try:
        Profile.model_validate({key: part for key, part in value.items() if key not in OWN})
    except ValidationError as error:
        lacking = [fault for fault in error.errors() if fault["type"] in LACKING]
        wrong = [fault for fault in error.errors() if fault["type"] not in LACKING]
        return [field_of(fault) for fault in lacking], wrong
    return [], []


def field_of(fault: ErrorDetails) -> str:
    """The field of a fault, as in "preferences.mbti"."""
    return ".".join(map(str, fault["loc"]))
