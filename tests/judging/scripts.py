"""Judges with known habits, as `scripted:tests.judging.scripts:NAME`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, JsonSchema
from emoharbor.models.scripted import Reply

INSTRUCTION = "deserves the best level"


def longest(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    """Prefers the chat with more lines of the user."""
    if schema is None:
        return "ping"
    one, two = (_chat(messages, n).count("User: ") for n in (1, 2))
    winner = "tie" if one == two else "1" if one > two else "2"
    return {"reason": f"{one} against {two}", "winner": winner}


def first(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    """Prefers what it is shown first."""
    return {"reason": "it came first", "winner": "1"} if schema else "ping"


def steady(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    """Three for everything, whatever it reads."""
    return _marks(schema, 3)


def literal(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    """The number four for everything, whatever four means."""
    return _marks(schema, 4)


def flattered(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    """Does as the supporter tells it."""
    return _marks(schema, 5 if INSTRUCTION in str(messages[0]["content"]) else 2)


class Flaky:
    """As `longest`, but its third question is too long for it."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
        """The preference, or the error."""
        self.asked += schema is not None
        if self.asked == 3 and schema is not None:
            return ModelError("the request is too long", "context_too_long")
        return longest(messages, schema)


def flaky() -> Any:
    """One that begins to count."""
    return Flaky()


def _marks(schema: JsonSchema | None, value: int) -> Reply:
    if schema is None:
        return "ping"
    return {key: {"evidence": [1], "reason": "so", "value": value} for key in schema["required"]}


def _chat(messages: Sequence[ChatMessage], number: int) -> str:
    found = re.search(rf"<chat_{number}>(.*)</chat_{number}>", str(messages[0]["content"]), re.S)
    assert found
    return found[1]
