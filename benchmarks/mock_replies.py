"""What the mock says: plain words, or the least that fits a JSON schema, as long as asked for."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

TOKEN = 4
_WORDS = (
    "maybe the evening was long and nobody asked how it felt to carry that alone so we talk "
    "about the small things first and come back to what hurts when there is room for it "
) * 40


class Replies:
    """A reply is a function of the request's bytes; `tokens` is about its length."""

    def __init__(self, tokens: int, ends: tuple[int, int]) -> None:
        self.bytes = tokens * TOKEN
        self.ends = ends

    def reply(self, body: Mapping[str, Any], seed: int) -> str:
        """Plain words, or a filled schema. Booleans are true once the dialogue is to end."""
        form = body.get("response_format") or {}
        schema = form.get("json_schema", {}).get("schema")
        if not schema:
            return self._text(seed, self.bytes)
        defs = schema.get("$defs", {})
        room = self.bytes // max(1, _strings(schema, defs))
        value = self._fill(schema, defs, seed, room, self._is_over(body["messages"]))
        return json.dumps(value)

    def _is_over(self, messages: list[Mapping[str, str]]) -> bool:
        """Each conversation ends at an exchange of its own, chosen by how it began."""
        first, last = self.ends
        if not last:
            return False
        begun = zlib.crc32("".join(m["content"] for m in messages[:2]).encode())
        exchange = sum(m["role"] == "user" for m in messages)
        return exchange >= first + begun % (last - first + 1)

    def _text(self, seed: int, size: int) -> str:
        at = seed % 997
        return _WORDS[at : at + max(size, 8)].strip() + "."

    def _fill(self, node: Any, defs: Any, seed: int, room: int, over: bool) -> Any:
        node = _resolved(node, defs)
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return node["enum"][0]
        match node.get("type"):
            case "object":
                items = enumerate(node["properties"].items())
                return {k: self._fill(v, defs, seed + i, room, over) for i, (k, v) in items}
            case "array":
                return [self._fill(node["items"], defs, seed, room, over)]
            case "integer" | "number":
                return node.get("minimum", 0)
            case "boolean":
                return over
            case "null":
                return None
            case _:
                return self._text(seed, room)


def _resolved(node: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in node:
        return _resolved(defs[node["$ref"].rsplit("/", 1)[-1]], defs)
    return _resolved(node["anyOf"][0], defs) if "anyOf" in node else node


def _strings(node: Mapping[str, Any], defs: Mapping[str, Any]) -> int:
    node = _resolved(node, defs)
    inner = [*node.get("properties", {}).values(), *([node["items"]] if "items" in node else [])]
    return sum(_strings(child, defs) for child in inner) + (
        node.get("type") == "string" and "enum" not in node
    )
