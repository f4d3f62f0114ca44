"""JSON schemas as the servers want them, without touching the schema that was given."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from emoharbor.models.base import ChatMessage, JsonSchema
from emoharbor.models.wire import to_bytes

_MOST_ITEMS = 6
_LONGEST_TEXT, _SHORTEST_TEXT, _ALL_TEXT = 240, 40, 1600
_DEPTH = 12
_Node = dict[str, Any]


def strict(schema: JsonSchema) -> dict[str, Any]:
    """Every object closed and every key required: what `strict: true` demands of a schema."""

    def close(node: _Node) -> _Node:
        if "properties" in node:
            node = {**node, "additionalProperties": False, "required": list(node["properties"])}
        return {key: value for key, value in node.items() if key != "default"}

    closed: dict[str, Any] = _mapped(schema, close)
    return closed


def response_format(schema: JsonSchema) -> dict[str, Any]:
    """What asks a server for a reply of this schema; not to be changed."""
    return _response_format(to_bytes(schema))


# By value, as judges make a schema for each length of dialogue anew.
@lru_cache(maxsize=256)
def _response_format(schema: bytes) -> dict[str, Any]:
    form = {"name": "reply", "strict": True, "schema": strict(json.loads(schema))}
    return {"type": "json_schema", "json_schema": form}


def tighten(schema: JsonSchema) -> dict[str, Any]:
    """Bounds every list and string, so that a small model under a grammar comes to an end.

    A string without a pattern gets one of bounded length (as a grammar it is also faster than
    maxLength). The more strings a reply holds, the shorter each: all of them together stay within
    some 1,600 characters and so within the tokens of a local reply.
    """
    room = _ALL_TEXT // max(1, _strings(schema, schema.get("$defs", {}), 0))
    longest = min(_LONGEST_TEXT, max(_SHORTEST_TEXT, room))

    def bound(node: _Node) -> _Node:
        if node.get("type") == "array":
            return {"maxItems": max(_MOST_ITEMS, node.get("minItems", 0)), **node}
        if node.get("type") == "string" and not node.keys() & {"pattern", "enum", "const"}:
            return {**node, "pattern": _text_pattern(node, longest)}
        return node

    bounded: dict[str, Any] = _mapped(strict(schema), bound)
    return bounded


def with_schema(messages: Sequence[ChatMessage], schema: JsonSchema) -> list[ChatMessage]:
    """The messages with the schema at the end of the last: for servers that know no schema."""
    asked = json.dumps(schema, ensure_ascii=False)
    last: ChatMessage = {**messages[-1]}
    last["content"] += f"\n\nReply with one JSON object that satisfies this JSON schema:\n{asked}"
    return [*messages[:-1], last]


def _text_pattern(node: Mapping[str, Any], longest: int) -> str:
    most = max(1, min(node.get("maxLength", longest), longest))
    least = min(node.get("minLength", 1), most)
    return rf'^[^"\\\x00-\x1f]{{{least},{most}}}$'


def _mapped(node: Any, change: Callable[[_Node], _Node]) -> Any:
    """A copy of `node` with `change` applied to every schema in it.

    `properties` and `$defs` hold schemas by name, and a property may be called "type".
    """
    if isinstance(node, list):
        return [_mapped(item, change) for item in node]
    if not isinstance(node, Mapping):
        return node
    inner: _Node = {}
    for key, value in node.items():
        if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
            inner[key] = {name: _mapped(schema, change) for name, schema in value.items()}
        elif key in ("items", "prefixItems", "anyOf", "oneOf", "allOf"):
            inner[key] = _mapped(value, change)
        else:
            inner[key] = value
    return change(inner)


def _strings(node: Any, defs: Mapping[str, Any], depth: int) -> int:
    """How many free strings a reply may hold at most."""
    if not isinstance(node, Mapping) or depth > _DEPTH:
        return 0
    if "$ref" in node:
        return _strings(defs.get(str(node["$ref"]).rsplit("/", 1)[-1]), defs, depth + 1)
    options = [*node.get("anyOf", ()), *node.get("oneOf", ())]
    inner = [*node.get("properties", {}).values(), *node.get("allOf", ())]
    count = sum(_strings(child, defs, depth + 1) for child in inner)
    count += max((_strings(option, defs, depth + 1) for option in options), default=0)
    if node.get("type") == "array":
        most = node.get("maxItems", _MOST_ITEMS)
        count += most * _strings(node.get("items"), defs, depth + 1)
    return count + int(node.get("type") == "string" and not node.keys() & {"enum", "const"})
