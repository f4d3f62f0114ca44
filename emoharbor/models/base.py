"""The one shape of a model, and of everything that wraps a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypedDict

from emoharbor.state.verdict import Usage

JsonSchema = Mapping[str, Any]


class ChatMessage(TypedDict):
    """One message of a request, in the shape every chat API shares."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Completion:
    """A model's answer.

    `text` is the reply without reasoning; `data` the JSON object in it when a schema was asked
    for and one could be read; `raw` what came over the wire before anything was removed.
    """

    text: str
    data: dict[str, Any] | None = None
    raw: str = ""
    reasoning: str = ""
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None
    seconds: float = 0.0
    model: str = ""


class ChatModel(Protocol):
    """A chat model, or a wrapper around one.

    `schema` is a JSON schema the reply should satisfy; `seed` is filled in by the journal, agents
    never pass it. Raises ModelError.
    """

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """The reply to `messages`."""
        ...
