"""The seeker: a Talker whose controls say how hard it is to help."""

from __future__ import annotations

import asyncio
import re
from itertools import combinations
from typing import Any, get_args

import pytest

from emoharbor.agents.seeker import PRESETS, SCALES, VARIES, Preset, Seeker
from emoharbor.errors import ConfigError
from emoharbor.flags import suite_from_flags
from emoharbor.models.base import ChatMessage
from emoharbor.models.scripted import ScriptedChat
from emoharbor.prompts.loader import load_prompt
from emoharbor.runs.executor import plan_suite
from emoharbor.state.dialogue import Appraisal, Emotion, Message, Utterance
from emoharbor.state.profile import Language
from emoharbor.testing import TalkerContract, echo_model
from tests.agents import seats
from tests.agents.test_append_only import check_growth
from tests.people import felt, heard, said, view

LANGUAGES: tuple[Language, ...] = ("en", "zh")
HEADING = {"en": "How you are in this chat", "zh": "这次聊天里的你"}
EFFECTIVE = [(name, level) for name, scale in SCALES.items() for level in scale[1:-1]]
MEMORY: list[Message | Appraisal | Emotion] = [
    Emotion(label="fear", description="cold hands"),
    said("hi"),
    heard("hello"),
    Emotion(label="anger"),
    said("no"),
    heard("sorry"),
    felt(),
]


def seeker(model: Any = seats.SILENT, language: Language = "en", **controls: Any) -> Seeker:
    return Seeker(
        model, load_prompt("seeker", language), load_prompt("repair", language), **controls
    )


def only(control: str, level: str, language: Language) -> Seeker:
    return seeker(language=language, preset="average", **{control: level})


def request_of(agent: Seeker, language: Language) -> list[ChatMessage]:
    return agent.conversation(view(MEMORY, language=language))


class TestHardSeeker(TalkerContract):
    def make_agent(self) -> Any:
        return seeker(echo_model(), "zh")


class TestAverageSeeker(TalkerContract):
    def make_agent(self) -> Any:
        return seeker(echo_model(), preset="average")


def test_every_scale_begins_without_effect_and_every_preset_is_on_it() -> None:
    assert [scale[0] for scale in SCALES.values()] == list(PRESETS["average"])
    assert set(PRESETS) == set(get_args(Preset))
    for levels in PRESETS.values():
        assert all(level in scale for level, scale in zip(levels, SCALES.values(), strict=True))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_average_seeker_is_told_nothing_of_controls(language: Language) -> None:
    for message in request_of(seeker(language=language, preset="average"), language):
        assert HEADING[language] not in message["content"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_level_has_an_effect_of_its_own(language: Language) -> None:
    plain = request_of(seeker(language=language, preset="average"), language)
    whole, short = set(), set()
    for control, level in EFFECTIVE:
        request = request_of(only(control, level, language), language)
        assert [m["role"] for m in request] == [m["role"] for m in plain]
        added = set(request[0]["content"].splitlines()) - set(plain[0]["content"].splitlines())
        whole |= {line for line in added if line.startswith("- ")}
        opening, *others = (m["content"] for m in request if m["role"] == "user")
        assert HEADING[language] not in opening
        reminders = {text.splitlines()[-1] for text in others}
        assert len(reminders) == 1 and all(HEADING[language] in line for line in reminders)
        short |= reminders
    assert len(whole) == len(short) == len(EFFECTIVE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_presets_differ_and_none_is_told_that_it_is_a_test(language: Language) -> None:
    seen = [str(request_of(seeker(language=language, preset=p), language)) for p in PRESETS]
    for one, other in combinations(seen, 2):
        assert one != other
    verdicts = r"worst.case|hard to help|difficul|simulat|难以帮助|困难|模拟|来访者|求助者"
    assert not [found for text in seen for found in re.findall(verdicts, text)]


def test_a_control_that_is_set_by_itself_comes_before_the_preset() -> None:
    assert seeker(preset="hard", resistance="strong", self_disclosure="ordinary").levels("p") == (
        ("engagement", "low"),
        ("resistance", "strong"),
        ("expression_style", dict(seeker().levels("p"))["expression_style"]),
    )
    everything: dict[str, Any] = dict.fromkeys(SCALES, "ordinary") | {"expression_style": "own"}
    assert seeker(preset="hardest", **everything).levels("p") == ()


@pytest.mark.parametrize("control", SCALES)
def test_a_control_may_vary_from_profile_to_profile(control: str) -> None:
    agent = only(control, VARIES, "en")
    found = [dict(agent.levels(f"en-{n:03}")) for n in range(60)]
    assert found == [dict(agent.levels(f"en-{n:03}")) for n in range(60)]
    assert {levels[control] for levels in found} == {*SCALES[control][1:-1]}
    assert all(set(levels) == {control} for levels in found)


def test_controls_that_vary_do_not_vary_together() -> None:
    agent = seeker(engagement=VARIES, resistance=VARIES)
    pairs = {agent.levels(f"en-{n:03}")[:2] for n in range(60)}
    assert len(pairs) == 4


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("preset", PRESETS)
def test_its_conversation_only_grows(language: Language, preset: Preset) -> None:
    agent = seeker(language=language, preset=preset)
    moments = (MEMORY[:1], MEMORY[:4], MEMORY)
    check_growth([agent.conversation(view(m, language=language)) for m in moments])


def test_it_leaves_as_every_talker_does() -> None:
    leaving = {"utterance": "forget it", "wants_to_end": True, "why": "gave_up", "reason": "no use"}
    model = ScriptedChat(["", leaving])
    seen = view(MEMORY)
    assert asyncio.run(seeker(model, preset="hardest")(seen)) == Utterance(
        text="forget it", wants_to_end=True, why="gave_up", reason="no use"
    )


def test_without_controls_it_is_told_what_the_talker_is_but_of_its_state() -> None:
    """Both arms and the main suites have the same rules of writing and of leaving."""
    ours = seats.talker().conversation(view(MEMORY))
    theirs = request_of(seeker(preset="average"), "en")
    assert ours[1:] == theirs[1:]
    unlike = set(theirs[0]["content"].splitlines()) ^ set(ours[0]["content"].splitlines())
    assert len(unlike) == 3


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("agents.talker.engagement=lively", "agents.talker.engagement.*'ordinary', 'low'"),
        ("agents.talker.preset=hardish", "agents.talker.preset.*'average', 'hard' or 'hardest'"),
        ("agents.talker.resistence=strong", "takes no 'resistence'; did you mean 'resistance'"),
        ("agents.thinker.deterioration=1.5", "agents.thinker.deterioration.*less than or equal"),
        ("agents.thinker.bounded=often", "agents.thinker.bounded.*boolean"),
    ],
)
def test_a_level_that_is_not_on_the_scale_is_told(setting: str, told: str) -> None:
    suite = suite_from_flags(
        "worst_case", supporters=["b=scripted:echo"], model="scripted:echo", settings=[setting]
    )
    with pytest.raises(ConfigError, match=told):
        plan_suite(suite)


def test_both_are_found_with_their_own_prompts() -> None:
    agents = ["thinker={use: emotion, model: user}", "talker={use: seeker, model: user}"]
    suite = suite_from_flags(
        "emoharbor",
        supporters=["b=scripted:echo"],
        model="scripted:echo",
        settings=[f"agents.{agent}" for agent in agents],
    )
    (seating,) = plan_suite(suite).seatings.values()
    assert seating.talker.agent.prompt == load_prompt("seeker", "en")
    assert seating.thinker.agent.prompt == load_prompt("emotion", "en")
    assert seating.prompts["thinker/emotions"] == seating.thinker.agent.emotions.hash
