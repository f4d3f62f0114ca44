"""From a chat completion, as any server sends it, to a Completion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from emoharbor.models.base import Completion
from emoharbor.models.jsonio import read_object
from emoharbor.models.reasoning import clean, split_reasoning
from emoharbor.state.verdict import Usage

_UNTOLD = Usage()


class MalformedReply(ValueError):
    """The server's answer is no chat completion; the message says what is missing."""


def completion_from(
    content: str,
    *,
    reasoning: str = "",
    has_schema: bool = False,
    usage: Usage = _UNTOLD,
    finish_reason: str | None = None,
    model: str = "",
    seconds: float = 0.0,
) -> Completion:
    """A Completion from what a model said: reasoning split off, surrogates cleaned, JSON read."""
    raw = clean(content)
    text, split_off = split_reasoning(raw)
    return Completion(
        text=text,
        data=read_object(text) if has_schema else None,
        raw=raw,
        reasoning="\n".join(part for part in (clean(reasoning).strip(), split_off) if part),
        usage=usage,
        finish_reason=finish_reason,
        seconds=seconds,
        model=model,
    )


def read_reply(payload: Mapping[str, Any], *, has_schema: bool, seconds: float = 0.0) -> Completion:
    """Reads the first choice of a chat completion; raises MalformedReply."""
    choice = _first_choice(payload)
    message = choice.get("message")
    if not isinstance(message, Mapping):
        raise MalformedReply("its first choice has no message")
    content, thought = content_of(message.get("content"))
    refusal = message.get("refusal")
    if not content and isinstance(refusal, str):
        content = refusal
    finish, model = choice.get("finish_reason"), payload.get("model")
    return completion_from(
        content,
        reasoning=f"{_reasoning_field(message)}\n{thought}",
        has_schema=has_schema,
        usage=_usage(payload.get("usage")),
        finish_reason=finish if isinstance(finish, str) else None,
        model=model if isinstance(model, str) else "",
        seconds=seconds,
    )


def _first_choice(payload: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = payload.get("choices")
    if not isinstance(choices, list) or not choices:
        raise MalformedReply("it has no choices")
    if not isinstance(choices[0], Mapping):
        raise MalformedReply("its first choice is no object")
    return choices[0]


def _reasoning_field(message: Mapping[str, Any]) -> str:
    # vLLM and DeepSeek say reasoning_content, OpenRouter and newer vLLM reasoning; some say both.
    told = (message.get("reasoning_content"), message.get("reasoning"))
    return next((text for text in told if isinstance(text, str) and text), "")


def content_of(content: Any) -> tuple[str, str]:
    """(words, thoughts) of a content that is a string, null, or a list of parts."""
    if isinstance(content, str):
        return content, ""
    if content is None:
        return "", ""
    if not isinstance(content, list):
        raise MalformedReply("its content is neither text nor a list of parts")
    words: list[str] = []
    thoughts: list[str] = []
    for part in content:
        kind = part.get("type") if isinstance(part, Mapping) else None
        (thoughts if kind in ("thinking", "reasoning") else words).append(_part_text(part))
    return "".join(words), "".join(thoughts)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return ""
    inner = part.get("text") or part.get("thinking") or part.get("reasoning") or ""
    return inner if isinstance(inner, str) else "".join(_part_text(item) for item in _items(inner))


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, Mapping):
        return Usage()
    told = usage.get("prompt_tokens_details")
    details = told if isinstance(told, Mapping) else {}
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
