"""The shipped prompts, rendered by the agents that use them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import pytest

from emoharbor.errors import PromptError
from emoharbor.models.base import ChatMessage
from emoharbor.profiles import load_profiles
from emoharbor.prompts import loader
from emoharbor.prompts.loader import load_prompt
from emoharbor.state.dialogue import Appraisal, Emotion, Message, initial_appraisal
from emoharbor.state.profile import Language, Profile
from emoharbor.state.verdict import Ending, EndingReason, Strategy
from tests.agents import seats
from tests.people import felt, heard, leaves, make_profile, said, view

HERE = Path(loader.__file__).parent
LANGUAGES: tuple[Language, ...] = ("en", "zh")
NAMES = sorted(path.stem for path in (HERE / "en").glob("*.md") if path.stem != "profile")
LABELS = ("id", "language", "topic", "emotion", "goal")
Memory = list[Message | Appraisal | Emotion]


def part_of(profile: Profile) -> Profile:
    """The Simple-Profile baseline's: D and C alone."""
    return profile.model_copy(update={"preferences": None, "scenario": None})


def memories(profile: Profile) -> Iterator[Memory]:
    """Every kind of memory in which a user may be asked, with and without what is optional."""
    inners: list[Memory] = [
        [],
        [initial_appraisal(profile)],
        [felt()],
        [felt(noticed="", disclosure="", why="")],
        [felt(leaning="leave")],
        [Emotion(label="fear", description="cold hands")],
    ]
    starts: list[Memory] = [[], [heard("hello")]]
    for start, inner, again in itertools.product(starts, inners, (0, 1, 3)):
        exchange: Memory = [*inner, said("not much")]
        later = [[heard("go on"), *exchange] for _ in range(again)]
        before = [*start, *exchange, *itertools.chain(*later), heard("I see")]
        yield from ([*start, *inner], before, [*before, *inner])


def requests(profile: Profile, language: Language, every: int = 1) -> Iterator[list[ChatMessage]]:
    """What the user's agents send, for the whole profile and for a part of it."""
    thinker, talker = seats.thinker(language=language), seats.talker(language=language)
    some = list(memories(profile))[::every]
    for who, memory in itertools.product((profile, part_of(profile)), some):
        yield talker.conversation(view(memory, profile=who, language=language))
        yield thinker.conversation(view(memory, profile=who, language=language))


def verdict_requests(
    profile: Profile, language: Language, reasons: Sequence[EndingReason]
) -> Iterator[list[ChatMessage]]:
    """What the judge is sent in every strategy, with and without an ending."""
    endings = [None, *(Ending(reason=reason, turn=1) for reason in reasons)]
    inner = Emotion(label="fear")
    memory: Memory = [heard("hello"), felt(), said("hi"), heard("x"), inner, said("y")]
    for strategy, ending in itertools.product(get_args(Strategy), endings):
        judge = seats.judge(language=language, strategy=strategy)
        for who in (profile, part_of(profile)):
            for h_u in (memory[:0], memory):
                seen = view(h_u, profile=who, language=language, ending=ending)
                yield judge.conversation(seen)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_prompt_renders_for_every_shipped_profile(language: Language) -> None:
    for profile in load_profiles(language):
        verdicts = verdict_requests(profile, language, [])
        for message in itertools.chain(*requests(profile, language, 27), *verdicts):
            text = message["content"]
            assert text.strip() == text != ""
            assert not re.search(r"\{[{%]|[%}]\}|\n{4}", text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_of_a_missing_option_shows(language: Language) -> None:
    profile = make_profile(language)
    verdicts = verdict_requests(profile, language, get_args(EndingReason))
    for message in itertools.chain(*requests(profile, language), *verdicts):
        assert not re.search(r"\b(?:None|True|False|undefined)\b", message["content"])


def test_the_prompts_of_the_demo_render() -> None:
    assert {path.stem for path in (HERE / "en" / "small").glob("*.md")} <= {*NAMES, "person"}
    thinker, talker = seats.thinker(folder=seats.SMALL), seats.talker(folder=seats.SMALL)
    (system, _) = seats.supporter(folder=seats.SMALL).conversation([])
    assert system["content"]
    for profile in load_profiles("en"):
        for memory in ([heard("hello")], [heard("hello"), felt()], [heard("a"), felt(), said("b")]):
            seen = view([*memory, heard("go on")], profile=profile)
            for message in (*thinker.conversation(seen), *talker.conversation(seen)):
                assert message["content"].strip()
            for strategy in get_args(Strategy):
                judge = seats.judge(strategy=strategy, folder=seats.SMALL)
                assert "go on" in judge.conversation(seen)[0]["content"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_other_blocks_render(language: Language) -> None:
    repair = load_prompt("repair", language)
    for block in repair.template.blocks:
        assert "x: wrong" in repair.render(block, problem="x: wrong") or block != "problem"
        assert repair.render(block, problem="x: wrong")
    (system, _) = seats.supporter(language=language).conversation([])
    assert system["content"] == load_prompt("supporter", language).render("system")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_role_is_told_the_whole_profile(language: Language) -> None:
    for profile in load_profiles(language):
        seen = view([heard("hi")], profile=profile, language=language)
        for agent in (seats.thinker, seats.talker, seats.judge):
            text = agent(language=language).conversation(seen)[0]["content"]
            for path, value in leaves(profile.model_dump()):
                if isinstance(value, str) and path[-1] not in LABELS and path[0] != "risk":
                    assert value in text, path


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_of_the_profile_is_all_that_is_told(language: Language) -> None:
    profile = make_profile(language)
    for request in requests(part_of(profile), language):
        text = "\n".join(message["content"] for message in request)
        assert profile.counselling.problem in text
        assert profile.preferences.speech_style not in text
        assert profile.scenario.leaves not in text


def test_both_languages_have_the_same_prompts_and_blocks() -> None:
    files = [{path.name for path in (HERE / each).glob("*.md")} for each in LANGUAGES]
    assert files[0] == files[1]
    for name in NAMES:
        en, zh = load_prompt(name, "en"), load_prompt(name, "zh")
        assert list(en.template.blocks) == list(zh.template.blocks)
        assert en.hash != zh.hash


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", NAMES)
def test_a_variable_that_nobody_gave_is_named(name: str, language: Language) -> None:
    prompt = load_prompt(name, language)
    for block in prompt.template.blocks:
        if (name, block) in [("supporter", "system"), *(("repair", b) for b in ("empty", "role"))]:
            assert prompt.render(block)
            continue
        with pytest.raises(
            PromptError, match=rf"prompt {name}, block '{block}': '\w+' is undefined"
        ):
            prompt.render(block)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_judge_reads_what_is_shared_longest_first(language: Language) -> None:
    (request,) = seats.judge(language=language).conversation(view([heard("hi")], language=language))
    marks = ("mood_improvement", "\n<you>\n", "\n<transcript>\n")
    places = [request["content"].index(mark) for mark in marks]
    assert places == sorted(places)
