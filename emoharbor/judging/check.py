"""A judge is tested before it is trusted: the same dialogues, each time with one thing changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import yaml

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.errors import ConfigError
from emoharbor.judging.changes import ANOTHER, VARIANTS, Case, Other
from emoharbor.models.base import ChatModel
from emoharbor.models.config import Sampling
from emoharbor.prompts.loader import load_prompt
from emoharbor.prompts.rubric import load_rubric
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.inquiry import Inquiry, InquiryConfig, Question
from emoharbor.runs.seats import MakeModel
from emoharbor.state.dialogue import UserView
from emoharbor.state.profile import Language, Profile
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Strategy

TEXTS = Path(__file__).parent.parent / "data" / "judge_check.yaml"
KIND = "judge-check"
FEWEST = 2


class CheckConfig(InquiryConfig):
    """What run.yaml keeps of a check. `repeats` is how often each dialogue is judged as it is."""

    inquiry: str = KIND
    run: str
    profiles: str | None
    temperature: float | None = 0.0
    strategy: Strategy = "internal_state_aware"
    rubric: str = "emoharbor-10"
    repeats: int = 3
    limit: int | None = None


def make_check(
    config: CheckConfig,
    records: Sequence[DialogueRecord],
    people: Mapping[str, Profile],
    make_model: MakeModel,
) -> Inquiry:
    """`repeats` questions on each dialogue as it is, and one for each of VARIANTS.

    Raises ConfigError with fewer than FEWEST dialogues of a language.
    """
    model = make_model(config.model, Sampling(temperature=config.temperature))
    whole = _usable(records)[: config.limit]
    if len(whole) < FEWEST:
        found = f"{len(whole)} dialogues in which a supporter speaks and that did not fail"
        raise ConfigError(
            f"{config.run}: {found}, at least {FEWEST} are wanted: "
            "name a run with more of them, or raise --limit"
        )
    languages = sorted({record.language for record in whole})
    questions = [
        question
        for record in whole
        for question in _questions(config, record, whole, people[record.profile], model)
    ]
    asked = {
        "strategy": config.strategy,
        "rubric": {one: load_rubric(config.rubric, one).hash for one in languages},
        "prompt": {one: load_prompt("evaluator", one).hash for one in languages},
        "model": config.model_values,
        "temperature": config.temperature,
        "seed": config.seed,
    }
    return Inquiry(config.values, {"judge": config.model}, asked, tuple(questions))


@cache
def _texts() -> dict[str, Any]:
    texts: dict[str, Any] = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    return texts


def _usable(records: Sequence[DialogueRecord]) -> list[DialogueRecord]:
    """Dialogues in which there is something to judge, in an order that nothing changes."""
    whole = (r for r in records if r.failure is None and any(m.role == "supporter" for m in r.h_s))
    return sorted(whole, key=lambda r: (r.profile, r.supporter, r.repeat))


def _questions(
    config: CheckConfig,
    record: DialogueRecord,
    others: Sequence[DialogueRecord],
    person: Profile,
    model: ChatModel,
) -> list[Question]:
    plain = Case(tuple(record.h_u), _judge(config, record.language, model))
    other = Other(
        record.language,
        _texts(),
        _lines_of_another(record, others),
        lambda language: _judge(config, language, model),
    )
    cases = [("as_it_is", sample, plain) for sample in range(config.repeats)]
    cases += [
        (variant.key, 0, variant.change(plain, other))
        for variant in VARIANTS
        if variant.key != ANOTHER or other.lines
    ]
    return [_question(config, record, person, *case) for case in cases]


def _question(
    config: CheckConfig,
    record: DialogueRecord,
    person: Profile,
    variant: str,
    sample: int,
    case: Case,
) -> Question:
    name = f"{record.supporter}/{record.profile}/{record.repeat}"
    key = f"{variant}/{name}/{sample}"
    seed = int(digest([config.seed, name, sample]), 16) >> 17
    user = UserView(
        profile=person,
        h_u=case.h_u,
        utterance=None,
        turn=record.turns,
        max_turns=max(record.turns, 1),
        language=record.language,
        rng=Random(seed),
        ending=record.ending,
    )
    return Question(
        key=key,
        node="judge",
        seed=seed,
        about={"variant": variant, "dialogue": name, "profile": record.profile, "sample": sample},
        shape=[
            [case.judge.conversation(user, part) for part in case.judge.parts],
            config.model.spec,
            config.temperature,
        ],
        ask=partial(case.judge, user),
    )


def _judge(config: CheckConfig, language: Language, model: ChatModel) -> UserAsJudge:
    return UserAsJudge(
        model,
        load_prompt("evaluator", language),
        load_prompt("repair", language),
        load_rubric(config.rubric, language),
        config.strategy,
    )


def _lines_of_another(record: DialogueRecord, others: Sequence[DialogueRecord]) -> tuple[str, ...]:
    """The supporter's lines of the next dialogue with somebody else; none where there is none."""
    place = next(i for i, one in enumerate(others) if one is record)
    turned = [*others[place + 1 :], *others[:place]]
    fitting = (o for o in turned if o.profile != record.profile and o.language == record.language)
    found = next(fitting, None)
    return tuple(m.text for m in found.h_s if m.role == "supporter") if found else ()
