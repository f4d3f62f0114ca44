"""How other projects write people down, and which fields of a Profile that gives.

Each reader takes one entry and its key in the source, and returns what a Profile would hold of it,
and under `notes` what it has no field for. What the source does not say is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from emoharbor.errors import ConfigError
from emoharbor.profiles.identifiers import without_identifiers

Entry = dict[str, Any]
FormatName = Literal["worst_case", "esc_eval", "esconv", "personamem"]
NOTHING = ("not mentioned", "未提及")
CARD = {
    "Age": "age", "Gender": "gender", "Occupation": "occupation", "Problem": "problem",
    "年龄": "age", "性别": "gender", "职业": "occupation", "问题": "problem",
}  # fmt: skip
LANGUAGES = {"chinese": "zh", "english": "en", "zh": "zh", "en": "en"}


@dataclass(frozen=True)
class Format:
    """A reader, and the keys of which an entry of this format has one at least."""

    read: Callable[[str, Entry], dict[str, Any]]
    keys: tuple[str, ...]


def worst_case(key: str, entry: Entry) -> dict[str, Any]:
    """A seeker of the worst-case suite: one flat JSON object each."""
    summary = said(entry["problem_summary"])
    return {
        "id": said(entry.get("profile_id")) or key,
        "language": language_of(summary),
        "demographics": {
            "age": years(entry.get("age")),
            "gender": said(entry.get("gender")),
            "occupation": said(entry.get("occupation")),
            "education": said(entry.get("education_level")),
            "relationship": said(entry.get("relationship_status")),
        },
        "preferences": {"speech_style": said(entry.get("utterance_style"))},
        "counselling": {"problem": summary},
        "notes": _some(entry, "engagement_level", "resistance_level", "self_disclosure"),
    }


def esc_eval(key: str, entry: Entry) -> dict[str, Any]:
    """A role card of ESC-Eval, whose `base` says "Age: …" a line, or 年龄：… in Chinese."""
    language = LANGUAGES.get(str(entry.get("language", "")).lower())
    if language is None:
        raise ConfigError(f"language {entry.get('language')!r}: chinese or english is wanted")
    lines = (re.split(r"[:：]", line, maxsplit=1) for line in str(entry["base"]).splitlines())
    card = {CARD.get(line[0].strip(), ""): said(line[1]) for line in lines if len(line) == 2}
    # As in "not mentioned, but she wants to work again": words to keep, and no occupation.
    vague = {field: text for field, text in card.items() if text.lower().startswith(NOTHING)}
    known = {field: text for field, text in card.items() if field not in vague}
    return {
        "id": said(entry.get("id")) or key,
        "language": language,
        "demographics": {
            "age": years(known.get("age")),
            "gender": known.get("gender", ""),
            "occupation": known.get("occupation", ""),
        },
        "counselling": {"problem": known.get("problem", ""), "topic": said(entry.get("res"))},
        "notes": {**_some(entry, "source"), **vague},
    }


def esconv(key: str, entry: Entry) -> dict[str, Any]:
    """The seeker of an ESConv dialogue, before the dialogue."""
    situation = said(entry["situation"])
    return {
        "id": key,
        "language": language_of(situation),
        "counselling": {
            "topic": said(entry.get("problem_type")),
            "problem": situation,
            "emotion": said(entry.get("emotion_type")),
        },
        "notes": _some(entry, "experience_type"),
    }


def personamem(key: str, entry: Entry) -> dict[str, Any]:
    """A persona of PersonaMem-v2, whose keys differ from one to the next. It stays nameless."""
    persona = _first(entry, "persona", "short_persona")
    names = {
        part for part in re.findall(r"[^\W\d_]{2,}", said(entry.get("name"))) if part.istitle()
    }
    location = _first(entry, "location", "residence")
    if isinstance(location, dict):
        location = [location.get(part) for part in ("city", "state", "country")]
    occupation = entry.get("occupation")
    taken = {
        "language": language_of(said(persona)),
        "demographics": {
            "age": years(entry.get("age")),
            "gender": said(entry.get("gender")),
            "occupation": said(
                occupation.get("title") if isinstance(occupation, dict) else occupation
            ),
            "nationality": said(entry.get("nationality")),
            "education": said(_degrees(entry.get("education"))),
            "residence": said(location, ", "),
            "relationship": said(
                _first(entry, "maritalStatus", "marital_status", "relationship_status")
            ),
            "family": said(_first(entry, "family_background", "familyBackground", "family")),
        },
        "preferences": {
            "traits": said(
                _first(entry, "personalityTraits", "personality_traits", "personality"), ", "
            ),
            "habits": _list(entry.get("habits")),
            "hobbies": _list(_first(entry, "hobbies", "interests")),
        },
        "notes": {
            "persona": said(persona),
            **_some(entry, "therapy_background", "goals", "challenges", "personalValues"),
        },
    }
    return {"id": key, **without_identifiers(taken, sorted(names))}


FORMATS: dict[FormatName, Format] = {
    "worst_case": Format(worst_case, ("problem_summary",)),
    "esc_eval": Format(esc_eval, ("base",)),
    "esconv": Format(esconv, ("situation",)),
    "personamem": Format(personamem, ("persona", "short_persona")),
}


def said(value: Any, between: str = "; ") -> str:
    """Any value as one text: lists and mappings by their parts, "" for what says nothing."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return between.join(part for part in (said(each, between) for each in value) if part)
    text = " ".join(str("" if value is None else value).split())
    return "" if text.lower() in NOTHING else text


def years(value: Any) -> int | str:
    """28 for 28, "28" and "28岁"; a text as it is, to be a note."""
    text = said(value)
    found = re.fullmatch(r"(\d{1,3})(?: *岁| years?(?: old)?)?", text)
    return int(found[1]) if found else text


def language_of(text: str) -> str:
    """Chinese where a fifth of the characters is."""
    return "zh" if 5 * len(re.findall(r"[一-鿿]", text)) > len(text) else "en"


def _some(entry: Entry, *keys: str) -> dict[str, str]:
    return {key: said(entry.get(key)) for key in keys}


def _first(entry: Entry, *keys: str) -> Any:
    return next((entry[key] for key in keys if entry.get(key)), None)


def _list(value: Any) -> list[str]:
    return [said(each) for each in value if said(each)] if isinstance(value, list) else []


def _degrees(value: Any) -> Any:
    """Degrees alone: which school it was points to a person."""
    if isinstance(value, list):
        return [_degrees(each) for each in value]
    return value.get("degree") if isinstance(value, dict) else value
