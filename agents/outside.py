"""The supporter under test, when it is a finished bot: a program, a URL, or a model as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from emoharbor.agents.protocols import Reply
from emoharbor.models.base import ChatMessage, ChatModel
from emoharbor.state.dialogue import Message


@dataclass(frozen=True)
class BotSupporter:
    """R_t = S(H_s) with a bot that has its own instructions: it is sent the dialogue and no more.

    `opening_line` stands in the user's place when the bot opens.
    """

    model: ChatModel
    opening_line: str

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The bot's reply as it is; the graph asks again when it is blank."""
        asked = as_chat(history, self.opening_line)
        return Reply(text=(await self.model.complete(asked)).text.strip())


def as_chat(history: Sequence[Message], opening_line: str) -> list[ChatMessage]:
    """H_s with the supporter's lines as the assistant's; the first message is the user's."""
    messages: list[ChatMessage] = []
    if not history or history[0].role == "supporter":
        messages.append({"role": "user", "content": opening_line})
    for message in history:
        if message.role == "supporter":
            messages.append({"role": "assistant", "content": message.text})
        else:
            messages.append({"role": "user", "content": message.text})
    return messages
