"""Scripted roles for benchmarks/train_smoke.py: dialogues to learn from, and a stand-in judge."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from emoharbor.models.base import ChatMessage, JsonSchema
from emoharbor.models.fill import fill

# What there is to learn: a supporter's two sentences always begin and end like these.
OPENINGS = (
    "That sounds heavy.",
    "I am glad you tell me.",
    "No wonder that you are tired.",
    "It makes sense that this hurts.",
)
QUESTIONS = (
    "What was the hardest part of it?",
    "Who else knows about it?",
    "How have you slept since then?",
    "What would you like to be different?",
)
_TROUBLES = (
    "it is my work, they want more every week",
    "my sister does not talk to me since the funeral",
    "I failed the exam again",
    "he moved out on sunday and the flat is quiet",
    "the rent is late for the third time",
    "everybody says be patient",
    "I shouted at my son",
    "nothing happened, I just do not want to get up",
)
_FEELINGS = (
    "I cannot keep up",
    "I lie awake and count what can go wrong",
    "I am so tired of it",
    "nobody knows yet",
    "I feel ashamed",
    "my stomach hurts when I think of it",
    "I could cry all day",
    "maybe it is my own fault",
)
_SAID = re.compile(r"^\[\d+\] Supporter: (.*)", re.MULTILINE)


def supporter(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> str:
    """A sentence that comforts and a question; which ones, the conversation decides."""
    drawn = _drawn(messages)
    return f"{OPENINGS[drawn % len(OPENINGS)]} {QUESTIONS[drawn // 7 % len(QUESTIONS)]}"


def person(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> str | Mapping[str, Any]:
    """Every role on the user's side: a line for the Talker, marks for the judge."""
    if schema is None:
        return _line(messages)
    value: dict[str, Any] = fill(schema)
    if "utterance" in value:
        value["utterance"] = _line(messages)
    if "redundancy" in value:
        mark = _mark(messages[-1]["content"])
        value = {name: {**score, "value": mark} for name, score in value.items()}
    return value


def _line(messages: Sequence[ChatMessage]) -> str:
    drawn = _drawn(messages)
    return f"{_TROUBLES[drawn % len(_TROUBLES)]}, {_FEELINGS[drawn // 11 % len(_FEELINGS)]}"


def _mark(chat: str) -> int:
    """1 to 5: in how many lines of the supporter the learnt sentences stand. No judgement."""
    lines = _SAID.findall(chat)
    learnt = sum(any(known in line for known in OPENINGS + QUESTIONS) for line in lines)
    return 1 + round(4 * learnt / max(1, len(lines)))


def _drawn(messages: Sequence[ChatMessage]) -> int:
    return zlib.crc32("\n".join(message["content"] for message in messages).encode())
