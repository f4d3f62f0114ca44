"""The user's private mind: how it takes the supporter's last words."""

from __future__ import annotations

from dataclasses import dataclass

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.agents.exchanges import exchanges
from emoharbor.errors import SimulatorFailed
from emoharbor.models.base import ChatMessage, ChatModel, Completion
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import Appraisal, Leaning, UserView, initial_appraisal
from emoharbor.state.profile import Frozen, Level


class Thought(Frozen):
    """The Thinker's reply, its keys in the order in which they are to be written."""

    noticed: str
    cognition: str
    emotion: str
    intensity: Level
    disclosure: str
    goals: str
    leaning: Leaning
    why: str


SCHEMA = Thought.model_json_schema()


@dataclass(frozen=True)
class AppraisalThinker:
    """IS_t = (c_t, e_t, g_t) by appraisal (EmoHarbor, section 2.2, equation 2)."""

    model: ChatModel
    prompt: Prompt
    repair: Prompt

    async def __call__(self, user: UserView) -> Appraisal:
        """The next inner state. Raises SimulatorFailed when two replies were unusable."""
        messages = self.conversation(user)
        try:
            return await ask(self.model, messages, _read, schema=SCHEMA, repair=self.repair)
        except Unusable as error:
            raise SimulatorFailed(f"thinker: {error.problem}") from error

    def conversation(self, user: UserView) -> list[ChatMessage]:
        """The Thinker's own conversation: its inner states answer what was heard, turn by turn."""
        system = self.prompt.remembered(
            "system", profile=user.profile, initial=initial_appraisal(user.profile)
        )
        messages: list[ChatMessage] = [{"role": "system", "content": system}]
        said: str | None = None
        for turn, exchange in enumerate(exchanges(user.h_u), start=1):
            text = self.prompt.remembered(
                "turn", said=said, heard=exchange.heard, turn=turn, max_turns=user.max_turns
            )
            messages.append({"role": "user", "content": text})
            if isinstance(exchange.inner, Appraisal):
                messages.append({"role": "assistant", "content": _written(exchange.inner)})
            said = exchange.said
        return messages


def _read(completion: Completion) -> Appraisal:
    thought = read_as(Thought, completion)
    blank = [key for key in ("cognition", "emotion", "goals") if not getattr(thought, key).strip()]
    if blank:
        raise Unusable(f"{', '.join(blank)}: words are wanted here", completion)
    return Appraisal(**thought.model_dump())


def _written(state: Appraisal) -> str:
    return state.model_dump_json(include=set(Thought.model_fields))


async def no_thinker(user: UserView) -> None:
    """The `none` agent: no inner state is modelled, and no call is made."""
