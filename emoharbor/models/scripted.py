"""Models without a model: replies that were written down, for tests and for dry runs."""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from emoharbor.errors import ConfigError, nearest
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.models.fill import fill
from emoharbor.models.reply import completion_from

Reply = str | Mapping[str, Any] | Completion | BaseException
ReplyFunction = Callable[[Sequence[ChatMessage], JsonSchema | None], Reply]

_LINES = (
    "That sounds like a lot to carry. What has been the hardest part?",
    "I hear you. What would help a little today?",
    "Thank you for telling me. How long has it felt this way?",
)


class ScriptExhausted(RuntimeError):
    """A scripted model was asked more often than its script has replies."""


@dataclass(frozen=True)
class Request:
    """What a scripted model was asked."""

    messages: tuple[ChatMessage, ...]
    schema: JsonSchema | None
    seed: int | None


@dataclass(frozen=True)
class ScriptedChat:
    """Answers from an iterable of replies, or from a function of (messages, schema).

    A reply is a text, a mapping (sent as JSON), a Completion, or an exception, which is raised.
    `requests` keeps what was asked, in order.
    """

    replies: Iterable[Reply] | ReplyFunction = field(repr=False)
    requests: list[Request] = field(default_factory=list, repr=False)
    _script: Iterator[Reply] | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        if not callable(self.replies):
            object.__setattr__(self, "_script", iter(self.replies))

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """The next reply. Raises ScriptExhausted where there is none."""
        self.requests.append(Request(tuple(messages), schema, seed))
        reply = self._next(messages, schema)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, Completion):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        return completion_from(text, has_schema=schema is not None)

    def _next(self, messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
        if self._script is None:
            return cast(ReplyFunction, self.replies)(messages, schema)
        try:
            return next(self._script)
        except StopIteration:
            asked = len(self.requests)
            said = f"the script has {asked - 1} replies, and a reply {asked} was asked for"
            raise ScriptExhausted(said) from None


def echo(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    """A fixed line, or the least that satisfies the schema."""
    if schema is None:
        return _LINES[len(messages) % len(_LINES)]
    return cast(Mapping[str, Any], fill(schema))


_BUILT_IN: dict[str, ReplyFunction] = {"echo": echo}


def scripted_model(name: str) -> ChatModel:
    """The model behind `scripted:name`: a built-in script, or `module:attribute` of one's own.

    The attribute is a model, a function of (messages, schema), a list of replies, or a function
    without parameters that makes one of these. Raises ConfigError.
    """
    if name in _BUILT_IN:
        return ScriptedChat(_BUILT_IN[name])
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ConfigError(f"no script '{name}', nor my_module:attribute{nearest(name, _BUILT_IN)}")
    return _as_model(_load(module, attribute), name)


def _load(module: str, attribute: str) -> Any:
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(f"scripted:{module}:{attribute} cannot be loaded: {error}") from error


def _as_model(found: Any, name: str) -> ChatModel:
    if isinstance(found, type) or (not hasattr(found, "complete") and _takes_nothing(found)):
        found = found()
    if hasattr(found, "complete"):
        return cast(ChatModel, found)
    if callable(found) or isinstance(found, Iterable):
        return ScriptedChat(found)
    raise ConfigError(f"scripted:{name} is neither a model, nor replies, nor a function of them")


def _takes_nothing(function: Any) -> bool:
    if not callable(function):
        return False
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    wanted = inspect.signature(function).parameters.values()
    return all(p.default is not p.empty or p.kind in variadic for p in wanted)
