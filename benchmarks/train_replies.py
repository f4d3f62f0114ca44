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
_LINES = (
    "it is my work, they want more every week and I cannot keep up",
    "my sister does not talk to me since the funeral",
    "I failed the exam again and have not told anybody",
    "he moved out on sunday and the flat is so quiet",
    "I lie awake and count what can still go wrong",
    "everybody says be patient, and I am so tired of it",
    "I shouted at my son and now I feel ashamed",
    "nothing happened, I just do not want to get up",
)
_SAID = re.compile(r"^\[\d+\] Supporter: (.*)", re.MULTILINE)


def supporter(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> str:
    """A sentence that comforts and a question; which ones, the conversation decides."""
    drawn = _drawn(messages)
    return f"{OPENINGS[drawn % len(OPENINGS)]} {QUESTIONS[drawn // 7 % len(QUESTIONS)]}"


def person(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> str | Mapping[str, Any]:
    """Every role on the user's side: a line for the Talker, marks for the judge."""
    if schema is None:
        return _LINES[_drawn(messages) % len(_LINES)]
    value: dict[str, Any] = fill(schema)
    if "utterance" in value:
        value["utterance"] = _LINES[_drawn(messages) % len(_LINES)]
    if "redundancy" in value:
        mark = _mark(messages[-1]["content"])
        value = {name: {**score, "value": mark} for name, score in value.items()}
    return value


def _mark(chat: str) -> int:
    """1 to 5: in how many lines of the supporter the learnt sentences stand. No judgement."""
    lines = _SAID.findall(chat)
    learnt = sum(any(known in line for known in OPENINGS + QUESTIONS) for line in lines)
    return 1 + round(4 * learnt / max(1, len(lines)))


def _drawn(messages: Sequence[ChatMessage]) -> int:
    return zlib.crc32("\n".join(message["content"] for message in messages).encode())
