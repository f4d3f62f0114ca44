"""The emotion controller: one of 28 labels, and a schedule of deteriorations."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from typing import Any

import pytest

from emoharbor.agents.emotion import EmotionThinker
from emoharbor.errors import SimulatorFailed
from emoharbor.models.scripted import Reply, ScriptedChat
from emoharbor.prompts.loader import load_prompt
from emoharbor.state.dialogue import Appraisal, Emotion, Message, UserView
from emoharbor.state.emotions import load_emotions
from emoharbor.state.profile import Language
from emoharbor.testing import ThinkerContract, echo_model
from tests.agents import seats
from tests.agents.test_append_only import check_growth
from tests.people import felt, heard, said, view

SET = load_emotions()
LANGUAGES: tuple[Language, ...] = ("en", "zh")
Item = Message | Appraisal | Emotion
NAMES: dict[Language, dict[str, str]] = {
    "en": {key: key for key in SET.labels},
    "zh": dict(SET.labels),
}
STEP = {"en": "thin-skinned", "zh": "一碰就疼"}
FORCED = {"en": "whatever stands in it", "zh": "不管这一条写的是什么"}


def controller(model: Any = seats.SILENT, language: Language = "en", **how: Any) -> EmotionThinker:
    prompt, repair = (load_prompt(name, language) for name in ("emotion", "repair"))
    return EmotionThinker(model, prompt, repair, SET, **how)


def reply(label: str, reason: str = "r", words: str = "d") -> dict[str, str]:
    return {"transition_reason": reason, "label": label, "description": words}


def after(label: str, language: Language = "en", turn: int = 2, seed: object = 7) -> UserView:
    """The user's view in exchange `turn`, the emotion so far being `label`."""
    h_u: list[Item] = []
    for number in range(turn - 1):
        h_u += [Emotion(label=label), said(f"s{number}"), heard(f"h{number}")]
    seen = view(h_u, language=language)
    return replace(seen, turn=turn, rng=random.Random(str(seed)))


def asked(seen: UserView, *replies: Reply, **how: Any) -> tuple[Emotion, ScriptedChat]:
    model = ScriptedChat(replies)
    agent = controller(model, seen.language, **how)
    return asyncio.run(agent(seen)), model


class TestEmotionThinker(ThinkerContract):
    def make_agent(self) -> Any:
        return controller(echo_model(), "zh")


class TestUnboundedEmotionThinker(ThinkerContract):
    def make_agent(self) -> Any:
        return controller(echo_model(), deterioration=1.0, bounded=False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_label_of_the_set_costs_one_call(language: Language) -> None:
    name = NAMES[language]["anger"]
    state, model = asked(after("x", language), reply(f" {name.title()} "), deterioration=0)
    assert state == Emotion(label=name, transition_reason="r", description="d")
    (request,) = model.requests
    assert request.schema is not None
    assert request.schema["properties"]["label"]["enum"] == list(SET.names(language))
    assert list(request.schema["properties"]) == ["transition_reason", "label", "description"]


UNUSABLE: list[tuple[Reply, str]] = [
    (reply("rage"), "label: 'rage' is none of these"),
    (reply("愤怒"), "label: '愤怒' is none of these"),
    (reply(""), "label: '' is none of these"),
    (reply("anger", words=" "), "description: words are wanted"),
    ({"label": "anger"}, "Field required"),
    ("I am angry", "not one JSON object"),
    ("", "empty"),
]


@pytest.mark.parametrize(("bad", "told"), UNUSABLE, ids=[case[1] for case in UNUSABLE])
def test_what_is_outside_the_set_is_asked_again_and_never_stored(bad: Reply, told: str) -> None:
    state, model = asked(after("neutral"), bad, reply("anger"), deterioration=0)
    assert state.label == "anger"
    assert len(model.requests) == 2
    with pytest.raises(SimulatorFailed, match=f"thinker: .*{told}"):
        asked(after("neutral"), bad, bad, deterioration=0)


def test_in_a_chinese_dialogue_an_english_name_is_asked_again() -> None:
    state, model = asked(after("中性", "zh"), reply("anger"), reply("愤怒"), deterioration=0)
    assert (state.label, len(model.requests)) == ("愤怒", 2)
    assert "愤怒" in model.requests[1].messages[-1]["content"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_emotion_is_of_the_profile_alone_and_never_forced(language: Language) -> None:
    seen = after("x", language, turn=1)
    state, model = asked(seen, reply(NAMES[language]["fear"]), deterioration=1.0)
    assert not state.deteriorated
    system, turn = model.requests[0].messages
    assert seen.profile.counselling.problem in system["content"]
    assert "<heard>" not in turn["content"] and STEP[language] not in turn["content"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bounded_deterioration_offers_the_next_layer_and_asks_for_a_trigger(
    language: Language,
) -> None:
    names = NAMES[language]
    seen = after(names["annoyance"], language)
    state, model = asked(seen, reply(names["remorse"]), deterioration=1.0)
    assert state.deteriorated and state.label == names["remorse"]
    turn = model.requests[0].messages[-1]["content"]
    assert STEP[language] in turn and FORCED[language] not in turn
    offered = (" or " if language == "en" else "或").join(names[key] for key in SET.ladder[2])
    assert offered in turn


def test_without_a_trigger_a_bounded_deterioration_changes_nothing_or_lets_it_ease() -> None:
    for label in ("annoyance", "relief"):
        state, model = asked(after("annoyance"), reply(label), deterioration=1.0)
        assert (state.label, state.deteriorated, len(model.requests)) == (label, True, 1)


def test_a_bounded_deterioration_is_of_one_step() -> None:
    state, model = asked(after("neutral"), reply("grief"), reply("annoyance"), deterioration=1.0)
    assert state.label == "annoyance"
    assert "grief" in model.requests[1].messages[-1]["content"]
    state, _ = asked(after("neutral"), reply("grief"), deterioration=0)
    assert (state.label, state.deteriorated) == ("grief", False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_published_deterioration_always_makes_it_worse(language: Language) -> None:
    names = NAMES[language]
    seen = after(names["annoyance"], language)
    same, worse = reply(names["annoyance"]), reply(names["grief"])
    state, model = asked(seen, same, worse, deterioration=1.0, bounded=False)
    assert (state.label, state.deteriorated) == (names["grief"], True)
    turn = model.requests[0].messages[-1]["content"]
    assert FORCED[language] in turn and STEP[language] not in turn
    deepest = after(names["grief"], language)
    assert asked(deepest, worse, deterioration=1.0, bounded=False)[0].label == names["grief"]


def test_the_schedule_is_the_generators_whatever_was_said() -> None:
    def schedule(words: str) -> list[bool]:
        drawn = []
        for seed in range(300):
            seen = after("neutral", turn=2 + seed % 19, seed=seed)
            seen = replace(seen, h_u=(*seen.h_u[:-1], heard(words)))
            drawn.append(asked(seen, reply("neutral"))[0].deteriorated)
        return drawn

    first, second = schedule("I see."), schedule("Pull yourself together!")
    assert first == second
    assert 0.22 < sum(first) / len(first) < 0.38


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("bounded", [True, False])
def test_its_conversation_only_grows_past_a_deterioration(
    language: Language, bounded: bool
) -> None:
    agent = controller(language=language, bounded=bounded)
    names = NAMES[language]
    labels = [names[key] for key in ("neutral", "annoyance", "disappointment", "relief")]
    memory: list[Item] = []
    requests = []
    for turn, label in enumerate(labels, start=1):
        drawn = turn in (2, 4)
        seen = view(memory, language=language)
        requests.append(agent.conversation(replace(seen, turn=turn), drawn=drawn))
        memory += [Emotion(label=label, description="d", deteriorated=drawn)]
        memory += [said(f"s{turn}"), heard(f"h{turn}")]
    check_growth(requests)
    marks = STEP if bounded else FORCED
    told = [marks[language] in message["content"] for message in requests[-1][1::2]]
    assert told == [False, True, False, True]


def test_it_knows_its_last_state_whole_and_what_was_said() -> None:
    state = Emotion(label="fear", transition_reason="why so", description="cold hands")
    seen = view([state, said("hi there"), heard("hello"), felt(), said("ok"), heard("so")])
    request = controller().conversation(seen)
    assert [m["role"] for m in request] == ["system", "user", "assistant", "user", "user"]
    assert json.loads(request[2]["content"]) == reply("fear", "why so", "cold hands")
    assert "hi there" in request[3]["content"] and "hello" in request[3]["content"]
    assert "until now: fear" in request[3]["content"]
