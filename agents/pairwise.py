"""A judge of two dialogues at once: which one is better in one respect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.errors import VerdictError
from emoharbor.models.base import ChatMessage, ChatModel, JsonSchema
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import Message
from emoharbor.state.profile import Frozen, Text

SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "winner": {"type": "string", "enum": ["1", "2", "tie"]},
    },
    "required": ["reason", "winner"],
    "additionalProperties": False,
}


class Preference(Frozen):
    """Which of two dialogues, as they were shown, is better, and why."""

    reason: Text
    winner: Literal["1", "2", "tie"]


@dataclass(frozen=True)
class PairwiseJudge:
    """Compares two dialogues (EmoHarbor, section 4.1.1), without who the user is."""

    model: ChatModel
    prompt: Prompt
    repair: Prompt
    question: str

    async def __call__(self, first: Sequence[Message], second: Sequence[Message]) -> Preference:
        """The preference. Raises ModelError; VerdictError where the reply was unusable twice."""
        read = partial(read_as, Preference)
        try:
            return await ask(
                self.model, self.conversation(first, second), read,
                schema=SCHEMA, repair=self.repair,
            )  # fmt: skip
        except Unusable as error:
            raise VerdictError(f"the preference is unusable: {error.problem}") from error

    def conversation(
        self, first: Sequence[Message], second: Sequence[Message]
    ) -> list[ChatMessage]:
        """One message with both dialogues."""
        text = self.prompt.render("message", question=self.question, chats=[first, second])
        return [{"role": "user", "content": text}]
