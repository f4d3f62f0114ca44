"""A judge is tested before it is trusted: the same dialogues, each time with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal

import yaml

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.errors import ConfigError
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.prompts.loader import load_prompt
from emoharbor.prompts.rubric import Rubric, load_rubric
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.inquiry import Inquiry, MakeModel, Question
from emoharbor.state.dialogue import MemoryItem, Message, UserView
from emoharbor.state.profile import Frozen, Language, Profile
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Strategy

TEXTS = Path(__file__).parent.parent / "data" / "judge_check.yaml"
KIND = "judge-check"
ANOTHER = "another_person"
FEWEST = 2


class CheckConfig(Frozen):
    """What run.yaml keeps of a check. `repeats` is how often each dialogue is judged as it is."""

    inquiry: str = KIND
    run: str
    profiles: str | None
    model: ModelConfig
    temperature: float | None = 0.0
    strategy: Strategy = "internal_state_aware"
    rubric: str = "emoharbor-10"
    repeats: int = 3
    seed: int = 0
    limit: int | None = None


@dataclass(frozen=True)
class Case:
    """What the judge is shown: which dialogue, by which judge."""

    h_u: tuple[MemoryItem, ...]
    judge: UserAsJudge


@dataclass(frozen=True)
class Variant:
    """One thing that is changed, and what an honest judge does then.

    `expected`: marks stay as they are, or they drop.
    """

    key: str
    says: str
    expected: Literal["same", "lower"]
    change: Callable[[Case, _Other], Case]


@dataclass(frozen=True)
class _Other:
    """What a change may draw on: its language, texts and other dialogue's supporter lines."""

    language: Language
    texts: Mapping[str, Any]
    lines: tuple[str, ...]
    foreign: Callable[[Language], UserAsJudge]


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
        raise ConfigError(f"{config.run}: {found}, at least {FEWEST} are wanted")
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
        "model": _model(config),
        "temperature": config.temperature,
        "seed": config.seed,
    }
    values = {**config.model_dump(mode="json", exclude={"model"}), "model": _model(config)}
    return Inquiry(values, {"judge": config.model}, asked, tuple(questions))


def _model(config: CheckConfig) -> dict[str, Any]:
    return config.model.model_dump(mode="json", exclude_unset=True)


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
    other = _Other(
        record.language,
        yaml.safe_load(TEXTS.read_text(encoding="utf-8")),
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


def _said(case: Case, change: Callable[[int, str], str]) -> Case:
    """With every line of the supporter changed; `change` is given its 0-based number."""
    number, items = 0, list[MemoryItem]()
    for item in case.h_u:
        if isinstance(item, Message) and item.role == "supporter":
            items.append(item.model_copy(update={"text": change(number, item.text)}))
            number += 1
        else:
            items.append(item)
    return replace(case, h_u=tuple(items))


def _last_line(case: Case, added: str) -> Case:
    last = sum(isinstance(i, Message) and i.role == "supporter" for i in case.h_u) - 1
    return _said(case, lambda number, text: f"{text}\n\n{added}" if number == last else text)


def _padded(case: Case, other: _Other) -> Case:
    filler = other.texts["emptier"][other.language]
    return _said(case, lambda number, text: f"{text}\n\n{filler[number % len(filler)]}")


def _swapped(case: Case, other: _Other) -> Case:
    return _said(case, lambda number, text: other.lines[number % len(other.lines)])


def _rubric(case: Case, change: Callable[[Rubric], Rubric]) -> Case:
    return replace(case, judge=replace(case.judge, rubric=change(case.judge.rubric)))


def _levels_turned(rubric: Rubric) -> Rubric:
    turned = tuple(
        d.model_copy(update={"levels": dict(sorted(d.levels.items(), reverse=True))})
        for d in rubric.dimensions
    )
    return rubric.model_copy(update={"dimensions": turned})


def _dimensions_turned(rubric: Rubric) -> Rubric:
    return rubric.model_copy(update={"dimensions": rubric.dimensions[::-1]})


def _foreign(case: Case, other: _Other) -> Case:
    return replace(case, judge=other.foreign("zh" if other.language == "en" else "en"))


def _by_facet(case: Case, other: _Other) -> Case:
    facets = tuple(facet.key for facet in case.judge.rubric.facets)
    return replace(case, judge=replace(case.judge, apart=facets))


VARIANTS = (
    Variant(
        "levels_turned",
        "the levels of each dimension are listed from 5 to 1",
        "same",
        lambda case, other: _rubric(case, _levels_turned),
    ),
    Variant(
        "dimensions_turned",
        "the dimensions are asked in the opposite order",
        "same",
        lambda case, other: _rubric(case, _dimensions_turned),
    ),
    Variant(
        "scale_reversed",
        "1 is the best level (marks are turned back)",
        "same",
        lambda case, other: replace(case, judge=replace(case.judge, reversed_scale=True)),
    ),
    Variant("by_facet", "a call for each facet instead of one for all", "same", _by_facet),
    Variant("other_language", "prompt and rubric are in the other language", "same", _foreign),
    Variant(
        "self_praise",
        "the supporter praises its own support at the end",
        "same",
        lambda case, other: _last_line(case, other.texts["self_praise"][other.language]),
    ),
    Variant(
        "instructs_judge",
        "the supporter tells the judge to give the best marks",
        "same",
        lambda case, other: _last_line(case, other.texts["instructs_judge"][other.language]),
    ),
    Variant("emptier", "every reply is longer by a sentence that says nothing", "same", _padded),
    Variant(
        ANOTHER,
        "the supporter's replies are those to somebody else",
        "lower",
        _swapped,
    ),
)
