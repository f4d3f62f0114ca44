"""Profile processing: a person's account of their situation, cleaned before anybody plays them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.errors import SimulatorFailed
from emoharbor.models.base import ChatMessage, ChatModel, Completion
from emoharbor.prompts.loader import Prompt
from emoharbor.state.profile import Frozen, Profile


class Cleaned(Frozen):
    """The reply; `situation` is "" where nothing is to be done."""

    changed: bool
    situation: str


SCHEMA = Cleaned.model_json_schema()


@dataclass(frozen=True)
class ProfileProcessing:
    """Cleans and normalizes the counselling situation, its meaning kept (worst-case paper, 3.1)."""

    model: ChatModel
    prompt: Prompt
    repair: Prompt

    async def __call__(self, profile: Profile) -> Profile:
        """The person with a clean `counselling.problem`; the same object if there is nothing to do.

        Raises SimulatorFailed when two replies were unusable.
        """
        problem = profile.counselling.problem
        messages: list[ChatMessage] = [
            {"role": "user", "content": self.prompt.render("message", said=problem)}
        ]
        read = partial(_read, problem)
        try:
            clean = await ask(self.model, messages, read, schema=SCHEMA, repair=self.repair)
        except Unusable as error:
            raise SimulatorFailed(f"profile {profile.id}: {error.problem}") from error
        if clean == problem:
            return profile
        counselling = profile.counselling.model_copy(update={"problem": clean})
        return profile.model_copy(update={"counselling": counselling})


def _read(problem: str, completion: Completion) -> str:
    cleaned = read_as(Cleaned, completion)
    if not cleaned.changed:
        return problem
    if not cleaned.situation.strip():
        raise Unusable("situation: the whole text is wanted, as changed is true", completion)
    return cleaned.situation.strip()
