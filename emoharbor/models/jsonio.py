"""Reads the JSON object in a model's reply, and never invents one.

The libraries for this (json-repair, dirtyjson, partial-json-parser) close what a model left open:
a truncated verdict would become a shorter verdict. The standard decoder and a scan do what is
needed here.
"""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from emoharbor.models.reasoning import clean

_CURLY = "“”„‟"
_SYNTAX = str.maketrans("０１２３４５６７８９：，｛｝［］－．", "0123456789:,{}[]-.")


def read_object(text: str) -> dict[str, Any] | None:
    """The one JSON object in `text`: bare, fenced, or with prose around it; else None.

    None also for a truncated object, for NaN and Infinity, for a key that occurs twice, and where
    the reply holds several objects that differ. Full-width digits and curly quotes used as JSON
    syntax are read as what they stand for when the text cannot be read as it is.
    """
    text = text.strip("\ufeff \t\r\n")
    if not text.startswith("{") and _is_json(text):
        return None
    found = _only_object(text)
    return found if found is not None else _only_object(_normalised(text))


def _only_object(text: str) -> dict[str, Any] | None:
    found: list[dict[str, Any]] = []
    at = text.find("{")
    while at >= 0:
        value, end = _decode(text, at)
        if end < 0:
            return None
        if value is not None:
            found.append(value)
        at = text.find("{", end)
    same = all(other == found[0] for other in found[1:])
    return found[0] if found and same else None


def _is_json(text: str) -> bool:
    try:
        _DECODER.decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def _decode(text: str, at: int) -> tuple[dict[str, Any] | None, int]:
    """The object at `at` or None, and where to look on: behind it, never inside; -1 for nowhere.

    Looking on inside a broken object would take one of its parts for the whole.
    """
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, _balanced_end(text, at)
    return _cleaned(value), end


def _balanced_end(text: str, at: int) -> int:
    """The index behind the brace that closes the one at `at`, -1 where it stays open."""
    depth, quoted, escaped = 0, False, False
    for index in range(at, len(text)):
        char = text[index]
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return index + 1
    return -1


def _normalised(text: str) -> str:
    """Full-width syntax and curly quotes as ASCII; what stands inside a string is left alone."""
    out: list[str] = []
    closer, escaped = "", False
    for char in text[max(0, min(_first(text, "{"), _first(text, "｛"))) :]:
        if not closer:
            closer = '"' if char == '"' else _CURLY if char in _CURLY else ""
            out.append('"' if closer else char.translate(_SYNTAX))
        elif char in closer and not escaped:
            closer = ""
            out.append('"')
        else:
            out.append('\\"' if char == '"' and not escaped else char)
            escaped = char == "\\" and not escaped
    return "".join(out)


def _first(text: str, char: str) -> int:
    at = text.find(char)
    return at if at >= 0 else len(text)


def _cleaned(value: Any) -> Any:
    # An escape such as "\ud83d" is valid JSON and yields a lone surrogate.
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    return value


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is too large")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found


# strict=False: models put real line breaks into strings, which leaves nothing to guess.
_DECODER = json.JSONDecoder(
    strict=False, parse_float=_finite, parse_constant=_no_constant, object_pairs_hook=_unique
)
