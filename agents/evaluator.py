"""The user as judge: one call, one verdict, every dimension with its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from emoharbor.agents.asking import Unusable, correction
from emoharbor.agents.judge_flags import flags_in
from emoharbor.agents.verdict_reply import Reading, read_verdict, verdict_schema
from emoharbor.errors import ConfigError, nearest
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
    guessed, clamped or defaulted. Each facet in `apart` is judged in a call of its
    own; raises ConfigError for one that the rubric has not. With `reversed_scale` the judge
    is shown every scale turned round, 1 as the best level, and its marks are turned back.
    """

    model: ChatModel
    prompt: Prompt
    repair: Prompt
    rubric: Rubric
    strategy: Strategy = "internal_state_aware"
    apart: tuple[str, ...] = ()
    reversed_scale: bool = False

    def __post_init__(self) -> None:
        known = [facet.key for facet in self.rubric.facets]
        for key in self.apart:
            if key not in known:
                where = f"agents.evaluator.apart: the rubric {self.rubric.name} has no facet"
                raise ConfigError(f"{where} '{key}'{nearest(key, known)}")

    @property
    def parts(self) -> list[Rubric]:
        """The rubric as it is asked: whole, or with what is judged apart by itself."""
        dimensions = self.rubric.dimensions
        parts = [tuple(d for d in dimensions if d.facet not in self.apart)]
        parts += [tuple(d for d in dimensions if d.facet == key) for key in self.apart]
        copy = self.rubric.model_copy
        return [copy(update={"dimensions": part}) for part in parts if part]

    async def __call__(self, user: UserView) -> Verdict:
        """The verdict; raises ModelError alone, what the judge says amiss is in the verdict."""
        marks: dict[str, Score | Unscored] = {}
        for part in self.parts:
            marks |= await self._marks(part, user)
        return Verdict(
            rubric=self.rubric.name,
            strategy=self.strategy,
            scores={key: self._turned(marks[key]) for key in self.rubric.keys},
            flags=flags_in(user.messages),
        )

    def _turned(self, mark: Score | Unscored) -> Score | Unscored:
        if not self.reversed_scale or isinstance(mark, Unscored):
            return mark
        return mark.model_copy(update={"value": 6 - mark.value})

    async def _marks(self, rubric: Rubric, user: UserView) -> dict[str, Score | Unscored]:
        """One call, and a second one where the first reply was not right."""
        count = len(user.messages)
        schema = verdict_schema(rubric, count)
        request = self.conversation(user, rubric)
        first = await self.model.complete(request, schema=schema)
        readings = [read_verdict(rubric, count, first)]
        if readings[0].problem is not None:
            again = [*request, *correction(_unusable(readings[0], first), self.repair)]
            second = await self.model.complete(again, schema=schema)
            readings.insert(0, read_verdict(rubric, count, second))
        return {key: _best(key, readings) for key in rubric.keys}

    def conversation(self, user: UserView, rubric: Rubric | None = None) -> list[ChatMessage]:
        """One message: rubric, profile, transcript; what most verdicts share comes first."""
        aware, shown = self.strategy != "standard", rubric or self.rubric
        text = self.prompt.render(
            "message",
            rubric=_upside_down(shown) if self.reversed_scale else shown,
            best=1 if self.reversed_scale else 5,
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


def _upside_down(rubric: Rubric) -> Rubric:
    """The same dimensions with level n described as 6 - n was."""
    turned = tuple(
        d.model_copy(update={"levels": {n: d.levels[6 - n] for n in sorted(d.levels)}})
        for d in rubric.dimensions
    )
    return rubric.model_copy(update={"dimensions": turned})


def _unusable(reading: Reading, completion: Completion) -> Unusable:
    return Unusable(reading.problem or "", completion, reading.block)


def _best(key: str, readings: list[Reading]) -> Score | Unscored:
    """The newest valid mark; where no reply gave one, what the newest said instead."""
    marks = [reading.marks[key] for reading in readings]
    return next((mark for mark in marks if isinstance(mark, Score)), marks[0])
