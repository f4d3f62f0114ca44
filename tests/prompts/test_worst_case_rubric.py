"""The worst-case paper's rubric: EmoHarbor's ten dimensions with other levels, and four more."""

from __future__ import annotations

import asyncio

import pytest

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.errors import ConfigError
from emoharbor.models.scripted import ScriptedChat
from emoharbor.prompts.loader import load_prompt
from emoharbor.prompts.rubric import load_rubric
from emoharbor.state.profile import Language
from tests.agents import seats
from tests.people import heard, said, view

LANGUAGES: tuple[Language, ...] = ("en", "zh")
FOUR = (
    "deep_emotional_understanding guided_exploration balanced_emotional_support "
    "authentic_grounded_support"
).split()


def judge(model: ScriptedChat, language: Language, *apart: str) -> UserAsJudge:
    prompt, repair = (load_prompt(name, language) for name in ("evaluator", "repair"))
    rubric = load_rubric("worst-case-14", language)
    return UserAsJudge(model, prompt, repair, rubric, "user_aware", apart)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_ten_and_the_four(language: Language) -> None:
    ten, fourteen = (load_rubric(name, language) for name in ("emoharbor-10", "worst-case-14"))
    assert fourteen.keys == [*ten.keys, *FOUR]
    assert [d.short for d in fourteen.dimensions[10:]] == ["DEU", "GE", "BES", "AGS"]
    assert {d.facet for d in fourteen.dimensions[10:]} == {"worst_case"}
    for ours, theirs in zip(ten.dimensions, fourteen.dimensions, strict=False):
        assert (ours.title, ours.facet) == (theirs.title, theirs.facet)
        assert not set(ours.levels.values()) & set(theirs.levels.values())
    texts = [text for d in fourteen.dimensions for text in d.levels.values()]
    assert len(set(texts)) == 70


def test_both_languages_have_the_same_shape() -> None:
    en, zh = (load_rubric("worst-case-14", language) for language in LANGUAGES)
    shapes = [[(d.key, d.short, d.facet) for d in rubric.dimensions] for rubric in (en, zh)]
    assert shapes[0] == shapes[1]
    assert [f.key for f in en.facets] == [f.key for f in zh.facets]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("apart", [(), ("worst_case",), ("worst_case", "believability")])
def test_facets_may_be_judged_apart(language: Language, apart: tuple[str, ...]) -> None:
    mark = {"evidence": [1], "reason": "r", "value": 4}
    keys = load_rubric("worst-case-14", language).keys
    model = ScriptedChat(lambda messages, schema: dict.fromkeys((schema or {})["required"], mark))
    agent = judge(model, language, *apart)
    verdict = asyncio.run(agent(view([said("hi"), heard("hello")], language=language)))
    assert list(verdict.scores) == keys and verdict.rubric == "worst-case-14"
    asked = [key for request in model.requests for key in (request.schema or {})["required"]]
    assert sorted(asked) == sorted(keys)
    assert len(model.requests) == len(agent.parts) == 1 + len(apart)
    for request, part in zip(model.requests, agent.parts, strict=True):
        text = request.messages[0]["content"]
        assert [key for key in keys if f"## {key}" in text] == part.keys


def test_what_is_missing_in_one_part_is_repaired_and_unscored_there_alone() -> None:
    mark = {"evidence": [1], "reason": "r", "value": 4}
    model = ScriptedChat(
        lambda messages, schema: {
            key: mark for key in (schema or {})["required"] if key != "guided_exploration"
        }
    )
    verdict = asyncio.run(judge(model, "en", "worst_case")(view([said("hi"), heard("hello")])))
    assert [k for k, m in verdict.scores.items() if m.kind == "unscored"] == ["guided_exploration"]
    assert len(model.requests) == 3


def test_a_facet_that_there_is_not_is_told() -> None:
    with pytest.raises(ConfigError, match=r"no facet 'worst_cases'; did you mean 'worst_case'"):
        judge(seats.SILENT, "en", "worst_cases")
