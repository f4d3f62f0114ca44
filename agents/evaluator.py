"""The user as judge: one call, one verdict, every dimension with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emoharbor.agents.asking import Unusable, correction
from emoharbor.agents.judge_flags import flags_in
from emoharbor.agents.verdict_reply import Reading, read_verdict, verdict_schema
from emoharbor.models.base import ChatMessage, ChatModel, Completion
from emoharbor.prompts.loader import Prompt
from emoharbor.prompts.rubric import Rubric
from emoharbor.state.dialogue import Message, UserView
from emoharbor.state.verdict import Score, Strategy, Unscored, Verdict


@dataclass(frozen=True)
class UserAsJudge:
    """E^{1:K} = f(H_u, P_U) (EmoHarbor, section 2.2, equation 6; strategies of section 4.1.2).

    `standard` sees the dialogue alone, `user_aware` the profile too, `internal_state_aware` the
    user's inner states as well. Parse, validate, one repair call, then unscored: a mark is never
    guessed, clamped or defaulted.
    """

    model: ChatModel
    prompt: Prompt
    repair: Prompt
    rubric: Rubric
    strategy: Strategy = "internal_state_aware"

    async def __call__(self, user: UserView) -> Verdict:
        """The verdict; raises ModelError alone, what the judge says amiss is in the verdict."""
        count = len(user.messages)
        schema = verdict_schema(self.rubric, count)
        request = self.conversation(user)
        first = await self.model.complete(request, schema=schema)
        readings = [read_verdict(self.rubric, count, first)]
        if readings[0].problem is not None:
            again = [*request, *correction(_unusable(readings[0], first), self.repair)]
            second = await self.model.complete(again, schema=schema)
            readings.insert(0, read_verdict(self.rubric, count, second))
        return Verdict(
            rubric=self.rubric.name,
            strategy=self.strategy,
            scores={key: _best(key, readings) for key in self.rubric.keys},
            flags=flags_in(user.messages),
        )

    def conversation(self, user: UserView) -> list[ChatMessage]:
        """One message: rubric, profile, transcript; what most verdicts share comes first."""
        aware = self.strategy != "standard"
        text = self.prompt.render(
            "message",
            rubric=self.rubric,
            profile=user.profile if aware else None,
            states=self.strategy == "internal_state_aware",
            transcript=self._transcript(user),
            ending=user.ending.reason if user.ending else None,
        )
        return [{"role": "user", "content": text}]

    def _transcript(self, user: UserView) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        number = 0
        for item in user.h_u:
            if isinstance(item, Message):
                number += 1
                items.append({"number": number, "who": item.role, "text": item.text})
            elif self.strategy == "internal_state_aware":
                items.append({"number": None, "who": "inner", "state": item})
        return items


def _unusable(reading: Reading, completion: Completion) -> Unusable:
    return Unusable(reading.problem or "", completion, reading.block)


def _best(key: str, readings: list[Reading]) -> Score | Unscored:
    """The newest valid mark; where no reply gave one, what the newest said instead."""
    marks = [reading.marks[key] for reading in readings]
    return next((mark for mark in marks if isinstance(mark, Score)), marks[0])
