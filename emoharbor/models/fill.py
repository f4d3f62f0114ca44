"""The least that satisfies a JSON schema."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_WORDS = "Nothing to add."


def fill(schema: Mapping[str, Any]) -> Any:
    """A value that fits `schema`: first options, false, minima, one item a list, a fixed line."""
    return _value(schema, schema.get("$defs", schema.get("definitions", {})), 0)


def _value(schema: Mapping[str, Any], defs: Mapping[str, Any], depth: int) -> Any:
    if depth > 12:
        return None
    schema = _resolved(schema, defs)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = _kind(schema)
    if kind == "object":
        return {
            key: _value(inner, defs, depth + 1)
            for key, inner in schema.get("properties", {}).items()
        }
    if kind == "array":
        count = min(max(1, schema.get("minItems", 1)), schema.get("maxItems", 1 << 20))
        return [_value(schema.get("items", {}), defs, depth + 1) for _ in range(count)]
    if kind in ("integer", "number"):
        return _number(schema)
    if kind == "boolean":
        return False
    return None if kind == "null" else _text(schema)


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    if isinstance(kind, list):
        kind = next((k for k in kind if k != "null"), "null")
    return str(kind)


def _resolved(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(8):
        options = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if "$ref" in schema:
            schema = defs.get(str(schema["$ref"]).rsplit("/", 1)[-1], {})
        elif options:
            schema = next((o for o in options if o.get("type") != "null"), options[0])
        else:
            break
    return schema


def _number(schema: Mapping[str, Any]) -> float:
    low: float = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    if "exclusiveMinimum" in schema and "minimum" not in schema:
        low += 1
    return math.ceil(low) if _kind(schema) == "integer" else low


def _text(schema: Mapping[str, Any]) -> str:
    text = _WORDS.ljust(schema.get("minLength", 0), ".")
    return text[: schema.get("maxLength", len(text))]
