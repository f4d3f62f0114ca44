"""A served seeker that obeys some of its controls, by what it reads in its instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emoharbor.state.profile import Language
from tests.served import role_of

# What the instructions of a level say, and nothing else does.
LOW: Mapping[Language, str] = {"en": "You are only half here", "zh": "你有点心不在焉"}
STRONG: Mapping[Language, str] = {
    "en": "You do not believe that this is any",
    "zh": "你不信聊这个有用",
}
TELLS: Mapping[Language, str] = {
    "en": "there was a child at the stop and I passed it, I never told anyone about it",
    "zh": "我爸住院，我到现在没回去看过他",
}
SHRUGS: Mapping[Language, str] = {"en": "dunno", "zh": "不知道"}
REJECTS: Mapping[Language, str] = {"en": "that won't work", "zh": "没用的"}
ASKS: Mapping[Language, str] = {"en": "What happened?", "zh": "怎么了？"}


def obeys(language: Language) -> Any:
    """A `change` for `plays_all`: low engagement says little, strong resistance turns down."""

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        if role == "supporter":
            return ASKS[language]
        if role != "talker":
            return None
        asked = "\n".join(message["content"] for message in body["messages"])
        words = SHRUGS[language] if LOW[language] in asked else TELLS[language]
        if STRONG[language] in asked and len(body["messages"]) > 2:
            words = f"{words}, {REJECTS[language]}"
        return {"utterance": words, "wants_to_end": False, "why": "unspecified", "reason": ""}

    assert role_of({"max_tokens": 1}) == "probe"
    return change
