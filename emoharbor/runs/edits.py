"""Changing what was said or thought last in a dialogue's state, each value checked by its type."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from emoharbor.errors import ConfigError, nearest
from emoharbor.state.dialogue import Appraisal, Emotion, Message, Utterance
from emoharbor.suite import parse_setting

SPEAKERS = ("supporter", "user")
EDITABLE = (*SPEAKERS, "thinker", "utterance")
FORM = (
    "supporter=TEXT, user=TEXT, thinker.FIELD=VALUE or utterance.FIELD=VALUE is wanted, "
    "each the last of its kind"
)


def parse_edit(text: str) -> tuple[str, Any]:
    """`user=TEXT` as name and words, `thinker.FIELD=VALUE` as name and YAML value."""
    name, equals, words = (part.strip() for part in text.partition("="))
    if not (name and equals):
        raise ConfigError(f"edit '{text}': {FORM}")
    return (name, words) if name in SPEAKERS else parse_setting(text)


def edited(values: Mapping[str, Any], edits: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a DialogueState with the last line of a speaker or inner state changed.

    `edits` by name: "supporter" and "user" hold the new words, "thinker.emotion" and the like one
    field of the inner state, "thinker" several as a mapping. An edit of "user" changes the
    Talker's utterance too. Raises ConfigError for an unknown name, a value of a wrong type, and
    where there is nothing to edit yet.
    """
    changed = dict(values)
    for name, value in edits.items():
        part, _, field = name.partition(".")
        if part not in EDITABLE:
            raise ConfigError(f"edit '{name}': {FORM}{nearest(part, EDITABLE)}")
        new = {field: value} if field else value
        if part == "thinker":
            _edit_inner(changed, name, new)
        elif part == "utterance":
            changed["utterance"] = _validated(name, changed.get("utterance"), new)
        else:
            _edit_line(changed, name, new)
    return changed


def _edit_line(values: dict[str, Any], name: str, text: Any) -> None:
    if not isinstance(text, str) or not text.strip():
        raise ConfigError(f"edit '{name}': words are wanted (given: {text!r})")
    for memory in ("h_s", "h_u"):
        _replace_last(
            values,
            memory,
            name,
            lambda item: isinstance(item, Message) and item.role == name,
            lambda item: item.model_copy(update={"text": text}),
        )
    if name == "user" and isinstance(values.get("utterance"), Utterance):
        values["utterance"] = values["utterance"].model_copy(update={"text": text})


def _edit_inner(values: dict[str, Any], name: str, new: Any) -> None:
    _replace_last(
        values,
        "h_u",
        name,
        lambda item: isinstance(item, Appraisal | Emotion),
        lambda item: _validated(name, item, new),
    )


def _replace_last(values: dict[str, Any], memory: str, name: str, fits: Any, change: Any) -> None:
    items: Sequence[Any] = values.get(memory) or ()
    at = next((i for i in reversed(range(len(items))) if fits(items[i])), None)
    if at is None:
        raise ConfigError(f"edit '{name}': the dialogue holds none yet")
    values[memory] = [*items[:at], change(items[at]), *items[at + 1 :]]


def _validated(name: str, old: BaseModel | None, new: Any) -> BaseModel:
    """`old` with the fields of `new`, checked."""
    if old is None:
        raise ConfigError(f"edit '{name}': the dialogue holds none yet")
    if not isinstance(new, Mapping):
        raise ConfigError(f"edit '{name}': {FORM}")
    known = type(old).model_fields
    unknown = next((key for key in new if key not in known or key == "kind"), None)
    if unknown is not None:
        fields = [field for field in known if field != "kind"]
        raise ConfigError(
            f"edit '{name}': {type(old).__name__} has no '{unknown}'"
            f"{nearest(str(unknown), fields)} (it has: {', '.join(fields)})"
        )
    try:
        return type(old).model_validate_json(json.dumps({**old.model_dump(mode="json"), **new}))
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"]))
        raise ConfigError(f"edit '{name}': {where}: {fault['msg']}") from error
