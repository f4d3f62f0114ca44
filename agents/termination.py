"""Whether the user leaves: as the Talker decided, or as a model reads it in what was said."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.agents.exchanges import exchanges
from emoharbor.errors import SimulatorFailed
from emoharbor.models.base import ChatMessage, ChatModel
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import UserView
from emoharbor.state.profile import Frozen
from emoharbor.state.verdict import Ending, EndingReason

REASONS: dict[str, EndingReason] = {
    "satisfied": "user_satisfied",
    "gave_up": "user_gave_up",
    "unspecified": "user_left",
}
DECISIONS: dict[str, EndingReason] = {
    "satisfied": "user_satisfied",
    "gave_up": "user_gave_up",
    "left": "user_left",
}


async def structured_termination(user: UserView) -> Ending | None:
    """Ends the dialogue when the Talker said so; giving up is told from satisfaction by `why`."""
    said = user.utterance
    if said is None or not said.wants_to_end:
        return None
    return Ending(reason=REASONS[said.why], turn=user.turn, words=said.text, because=said.reason)


class Judged(Frozen):
    """The reply about the newest message, its keys in the order in which they are to be written."""

    reason: str
    decision: Literal["stay", "satisfied", "gave_up", "left"]


SCHEMA = Judged.model_json_schema()
STAYED = Judged(reason="", decision="stay").model_dump_json()


@dataclass(frozen=True)
class ChatTermination:
    """A model reads in the dialogue and the profile whether the user left, one call an exchange.

    It stands in the place of the Talker's own decision, which it does not see: a Talker that
    wants to end goes on where no words of its message say so. For Talkers that decide nothing.
    """

    model: ChatModel
    prompt: Prompt
    repair: Prompt

    async def __call__(self, user: UserView) -> Ending | None:
        """The ending, or None to go on. Raises SimulatorFailed when two replies were unusable."""
        said = user.utterance
        if said is None:
            return None
        read = partial(read_as, Judged)
        messages = self.conversation(user)
        try:
            judged = await ask(self.model, messages, read, schema=SCHEMA, repair=self.repair)
        except Unusable as error:
            raise SimulatorFailed(f"termination: {error.problem}") from error
        if judged.decision == "stay":
            return None
        return Ending(
            reason=DECISIONS[judged.decision],
            turn=user.turn,
            words=said.text,
            because=judged.reason.strip(),
        )

    def conversation(self, user: UserView) -> list[ChatMessage]:
        """The check's own conversation: that the user stayed is its answer to all but the last."""
        messages: list[ChatMessage] = [
            {"role": "system", "content": self.prompt.remembered("system", profile=user.profile)}
        ]
        for turn, exchange in enumerate(exchanges(user.h_u), start=1):
            if turn > 1:
                messages.append({"role": "assistant", "content": STAYED})
            text = self.prompt.remembered(
                "turn", heard=exchange.heard, said=exchange.said, turn=turn
            )
            messages.append({"role": "user", "content": text})
        return messages
