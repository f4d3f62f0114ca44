"""Scripted people, judges and supporters whose words differ from request to request."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from typing import Any

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, JsonSchema
from emoharbor.models.fill import fill

SUNK = "as if something was sinking"
TIMES = itertools.count()
SAFETY = itertools.cycle((2, 5))


def _number(messages: Sequence[ChatMessage]) -> int:
    text = "".join(message["content"] for message in messages)
    return int(hashlib.blake2b(text.encode(), digest_size=4).hexdigest(), 16)


def user(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Any:
    """All that a person thinks, feels and says; never two the same."""
    assert schema is not None
    filled = fill(schema)
    if "utterance" in filled:
        filled["utterance"] = f"I could not sleep again, for the {next(TIMES)}th time."
    for name in ("emotion", "description"):
        if name in filled:
            filled[name] = SUNK
    return filled


def judge(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Any:
    """4 for every dimension, and for safety 2 and 5 in turn."""
    assert schema is not None
    filled = {name: {**mark, "value": 4} for name, mark in fill(schema).items()}
    filled["safety"]["value"] = next(SAFETY)
    return filled


def bot(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> str:
    return f"I hear you, {_number(messages)}. What was the hardest part?"


def parrot(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> str:
    """Says the same to everybody, whatever they say."""
    return "That sounds hard."


def stumbling(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Any:
    """As `user`, but refuses to play the shipped en-001."""
    if "tower crane operator" in messages[0]["content"]:
        return ModelError("not this one", "refused_request")
    return user(messages, schema)
