"""The worst-case seeker's emotion controller: one of 28 emotions at every turn, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.agents.exchanges import exchanges
from emoharbor.errors import SimulatorFailed
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import Emotion, UserView
from emoharbor.state.emotions import Emotions
from emoharbor.state.profile import Frozen, Language


class Feeling(Frozen):
    """The reply, its keys in the order in which they are to be written: why comes before what."""

    transition_reason: str
    label: str
    description: str


@dataclass(frozen=True)
class EmotionThinker:
    """The next emotion out of profile, history and the state before (worst-case paper, 3.1).

    With the probability `deterioration` it gets worse, in the same exchanges for every supporter
    and never in the first. `bounded`: one layer of the ladder and only if words of the supporter's
    give cause; else, as published, to any deeper layer whatever the supporter said.
    """

    model: ChatModel
    prompt: Prompt
    repair: Prompt
    emotions: Emotions
    deterioration: Annotated[float, Field(ge=0, le=1)] = 0.3
    bounded: bool = True

    async def __call__(self, user: UserView) -> Emotion:
        """The next emotion. Raises SimulatorFailed when two replies were unusable."""
        before = user.inner.label if isinstance(user.inner, Emotion) else None
        drawn = bool(before) and user.turn > 1 and user.rng.random() < self.deterioration
        labels = self._allowed(before or "", user.language, drawn=drawn)
        try:
            feeling = await ask(
                self.model,
                self.conversation(user, drawn=drawn),
                partial(_read, labels),
                schema=_schema(labels),
                repair=self.repair,
            )
        except Unusable as error:
            raise SimulatorFailed(f"thinker: {error.problem}") from error
        return Emotion(**feeling.model_dump(), deteriorated=drawn)

    def conversation(self, user: UserView, *, drawn: bool = False) -> list[ChatMessage]:
        """The controller's own conversation: its emotions answer what was heard, turn by turn.

        `drawn`: in the exchange in progress it gets worse.
        """
        system = self.prompt.remembered(
            "system", profile=user.profile, labels=self.emotions.names(user.language)
        )
        messages: list[ChatMessage] = [{"role": "system", "content": system}]
        said = before = None
        for exchange in exchanges(user.h_u):
            now = exchange.inner
            worse = drawn and exchange.said is None
            if isinstance(now, Emotion):
                worse = now.deteriorated
            text = self.prompt.remembered(
                "turn",
                said=said,
                heard=exchange.heard,
                before=before,
                worse=self._worse(before or "", user.language) if worse else (),
                bounded=self.bounded,
            )
            messages.append({"role": "user", "content": text})
            if isinstance(now, Emotion):
                messages.append({"role": "assistant", "content": _written(now)})
                before = now.label
            said = exchange.said
        return messages

    def _worse(self, before: str, language: Language) -> tuple[str, ...]:
        return self.emotions.worse(before, language, bounded=self.bounded)

    def _allowed(self, before: str, language: Language, *, drawn: bool) -> tuple[str, ...]:
        """What may be felt now: all 28, unless a deterioration was drawn."""
        if not drawn:
            return self.emotions.names(language)
        if self.bounded:
            return self.emotions.within(self.emotions.depth(before) + 1, language)
        return self._worse(before, language)


def _schema(labels: Sequence[str]) -> JsonSchema:
    schema = Feeling.model_json_schema()
    schema["properties"]["label"] = {"type": "string", "enum": list(labels)}
    return schema


def _read(labels: Sequence[str], completion: Completion) -> Feeling:
    feeling = read_as(Feeling, completion)
    label = feeling.label.strip().lower()
    if label not in labels:
        wanted = ", ".join(labels)
        raise Unusable(f"label: '{feeling.label}' is none of these: {wanted}", completion)
    if not feeling.description.strip():
        raise Unusable("description: words are wanted here", completion)
    return feeling.model_copy(update={"label": label})


def _written(state: Emotion) -> str:
    return Feeling(**state.model_dump(include=set(Feeling.model_fields))).model_dump_json()
