"""The supporter under test, when it is a chat model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emoharbor.agents.outside import as_chat
from emoharbor.agents.protocols import Reply
from emoharbor.models.base import ChatMessage, ChatModel
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import Message


@dataclass(frozen=True)
class ChatSupporter:
    """R_t = S(H_s) with any chat model.

    `opening_line` stands in the user's place when the supporter opens: many servers refuse a
    conversation that starts with the assistant or holds only a system text.
    """

    model: ChatModel
    prompt: Prompt
    opening_line: str

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The model's reply as it is; the graph asks again when it is blank."""
        return Reply(text=(await self.model.complete(self.conversation(history))).text.strip())

    def conversation(self, history: Sequence[Message]) -> list[ChatMessage]:
        """The request: system text, and H_s with the supporter's lines as the assistant's."""
        system: ChatMessage = {"role": "system", "content": self.prompt.remembered("system")}
        return [system, *as_chat(history, self.opening_line)]
