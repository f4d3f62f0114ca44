"""Reading seeds: what is known of people before there are profiles of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from emoharbor.errors import ConfigError, nearest
from emoharbor.profiles.drafts import OWN, Draft, examine, field_of, is_draft
from emoharbor.profiles.entries import Entry, Finding, entries
from emoharbor.profiles.formats import said
from emoharbor.profiles.identifiers import without_identifiers
from emoharbor.state.building import CATEGORIES, PARTS, SHAPES, Seed
from emoharbor.state.profile import Demographics, Language

ENDINGS = (".yaml", ".yml", ".jsonl")
HINTS = tuple(Demographics.model_fields)
QUESTIONNAIRE = ("background", "problem", "category", *HINTS)
PERSONA = ("persona", "problem", "category", *HINTS)


def read_seeds(file: Path, language: Language) -> list[tuple[str, Seed]]:
    """The seeds of a YAML list or a JSONL file, each with where it stands.

    A seed is the answers of a questionnaire (`background` and `problem`), a `persona` with one of
    ESConv's problem types as `category` or a `problem`, or a draft; the first two may state any of
    D's fields. Addresses, numbers and links are taken out. Raises ConfigError with file, line,
    item and key.
    """
    if file.suffix not in ENDINGS:
        raise ConfigError(f"{file}: a file of seeds ends in {' or '.join(ENDINGS)}")
    seeds = [_seed(entry, where, language) for where, entry in _numbered(entries(file))]
    if not seeds:
        raise ConfigError(f"{file}: no seed in it")
    return seeds


def _numbered(found: Iterable[Entry | Finding]) -> Iterator[tuple[str, Any]]:
    for number, entry in enumerate(found, start=1):
        if isinstance(entry, Finding):
            raise ConfigError(str(entry))
        yield f"{entry.where} (item {number})", entry.value


def _seed(value: Any, where: str, language: Language) -> tuple[str, Seed]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: keys and values are wanted")
    value = without_identifiers(value)
    if is_draft(value) or any(part in value for part in PARTS):
        return where, _from_draft(value, where, language)
    return where, _from_answers(value, where)


def _from_answers(value: Mapping[str, Any], where: str) -> Seed:
    known = PERSONA if "persona" in value else QUESTIONNAIRE
    for key in value:
        if key not in known:
            raise ConfigError(f"{where}, {key}: there is no such key{nearest(str(key), known)}")
    if "persona" not in value:
        for key in ("background", "problem"):
            if not value.get(key):
                raise ConfigError(
                    f"{where}, {key}: missing; a seed is background and problem, or a persona, "
                    "or a draft"
                )
    hints = {key: value[key] for key in HINTS if value.get(key) is not None}
    _refuse({"demographics": hints}, where)
    words = {
        key: _words(value[key], f"{where}, {key}")
        for key in ("background", "persona", "problem")
        if value.get(key)
    }
    given: dict[Any, Any] = {"demographics": hints} if hints else {}
    return Seed(words=words, category=_category(value.get("category"), where), given=given)


def _words(value: Any, where: str) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{key}: {said(part)}" for key, part in value.items() if said(part))
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{where}: a text is wanted")
    return value.strip()


def _category(value: Any, where: str) -> Any:
    word = said(value).lower()
    if word and word not in CATEGORIES:
        raise ConfigError(f"{where}, category: '{value}'{nearest(word, CATEGORIES)}")
    return word or None


def _from_draft(value: dict[str, Any], where: str, language: Language) -> Seed:
    own = {"lacks": [], "source": where, "language": language, "id": "draft"}
    whole = {**own, **value}
    _refuse({key: part for key, part in whole.items() if key not in OWN}, where)
    try:
        draft = Draft.model_validate(whole)
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(f"{where}, {field_of(fault)}: {fault['msg']}") from error
    if draft.language != language:
        raise ConfigError(
            f"{where}, language: the draft is in '{draft.language}', the build in '{language}': "
            f"use --language {draft.language}"
        )
    parts = {part: getattr(draft, part) for part in PARTS}
    given: dict[Any, Any] = {part: fields for part, fields in parts.items() if fields}
    return Seed(
        words=draft.notes,
        given=given,
        risk=draft.risk,
        hard=draft.hard,
        source=f"{draft.id}, {draft.source}",
    )


def _refuse(value: dict[str, Any], where: str) -> None:
    """What is stated must be as a profile would have it; what is missing is the build's affair."""
    for fault in examine({"id": "seed", "language": "en", **value})[1]:
        key = field_of(fault).removeprefix("demographics.")
        if fault["type"] != "extra_forbidden":
            raise ConfigError(f"{where}, {key}: {fault['msg']} (given: {fault['input']!r})")
        known = [field for shape in SHAPES.values() for field in shape.model_fields]
        more = nearest(str(fault["loc"][-1]), known)
        raise ConfigError(f"{where}, {key}: there is no such key{more}")
