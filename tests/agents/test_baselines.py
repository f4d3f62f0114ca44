"""The two baselines of EmoHarbor's Figure 5: what their users are told, and whole runs of them."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from emoharbor.agents.talker import ChatTalker
from emoharbor.agents.thinker import AppraisalThinker
from emoharbor.flags import suite_from_flags
from emoharbor.models.base import ChatMessage
from emoharbor.prompts import loader
from emoharbor.prompts.loader import load_prompt
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.state.profile import Language, Profile
from emoharbor.state.verdict import Ending
from emoharbor.suite import Suite, load_suite
from tests.agents import seats
from tests.agents.test_append_only import check_growth
from tests.fake_openai import FakeOpenAI, fake_openai
from tests.people import heard, leaves, make_profile, said, view
from tests.prompts.test_shipped import LABELS, memories, part_of
from tests.served import plays_all, role_of

LANGUAGES: tuple[Language, ...] = ("en", "zh")
BASELINES = {"one_agent": {"thinker", "talker"}, "simple_profile": {"thinker", "talker"}}


def one_agent(language: Language) -> ChatTalker:
    prompts = (load_prompt(name, language) for name in ("one_agent", "repair"))
    return ChatTalker(seats.SILENT, *prompts)


def simple_talker(language: Language) -> ChatTalker:
    prompts = (load_prompt(name, language) for name in ("talker_simple", "repair"))
    return ChatTalker(seats.SILENT, *prompts)


def simple_thinker(language: Language) -> AppraisalThinker:
    prompts = (load_prompt(name, language) for name in ("thinker_simple", "repair"))
    return AppraisalThinker(seats.SILENT, *prompts)


def words_of(profile: Profile, *parts: str) -> Iterator[str]:
    """What a profile says in words in these parts of it, the labels for filters left out."""
    for path, value in leaves(profile.model_dump(include=set(parts))):
        if isinstance(value, str) and path[-1] not in LABELS:
            yield value


def text_of(request: list[ChatMessage]) -> str:
    return "\n".join(message["content"] for message in request)


@pytest.mark.parametrize("name", BASELINES)
def test_a_baseline_differs_from_emoharbor_in_agents_alone(name: str) -> None:
    theirs, ours = load_suite(name).model_dump(), load_suite("emoharbor").model_dump()
    assert {key for key in ours if theirs[key] != ours[key]} == {"name", "description", "agents"}
    changed = {node for node, agent in ours["agents"].items() if theirs["agents"][node] != agent}
    assert changed == BASELINES[name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_simple_user_is_told_nothing_of_p_and_s(language: Language) -> None:
    profile = make_profile(language)
    for memory in memories(profile):
        seen = view(memory, profile=profile, language=language)
        for agent in (simple_thinker(language), simple_talker(language)):
            text = text_of(agent.conversation(seen))
            assert not [w for w in words_of(profile, "preferences", "scenario") if w in text]
            assert all(w in text for w in words_of(profile, "demographics", "counselling"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_simple_user_is_asked_as_the_whole_one_is(language: Language) -> None:
    profile = make_profile(language)
    for memory in memories(profile):
        seen = view(memory, profile=profile, language=language)
        part = view(memory, profile=part_of(profile), language=language)
        for simple, whole in (
            (simple_thinker(language), seats.thinker(language=language)),
            (simple_talker(language), seats.talker(language=language)),
        ):
            assert simple.conversation(seen) == whole.conversation(part)
            assert simple.conversation(seen) != whole.conversation(seen)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_that_the_simple_user_has_not_is_referred_to(language: Language) -> None:
    profile = make_profile(language)
    missing = {"en": "keep to yourself", "zh": "没打算说的"}[language]
    for whole, simple in (
        (seats.thinker(language=language), simple_thinker(language)),
        (seats.talker(language=language), simple_talker(language)),
    ):
        seen = view([heard("hello")], profile=profile, language=language)
        assert text_of(whole.conversation(seen)).count(missing) == 2
        assert missing not in text_of(simple.conversation(seen))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_one_agent_is_told_the_whole_profile_and_all_the_rules(language: Language) -> None:
    profile = make_profile(language)
    seen = view([heard("hello")], profile=profile, language=language)
    agent = one_agent(language)
    parts = ("demographics", "preferences", "counselling", "scenario")
    text = text_of(agent.conversation(seen))
    assert all(words in text for words in words_of(profile, *parts))
    for rules in ("moving", "writing", "leaving"):
        source = (loader.HERE / language / "parts" / f"{rules}.md").read_text(encoding="utf-8")
        assert not [ln for ln in source.splitlines() if "{%" not in ln and ln not in text]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_one_agents_conversation_only_grows_and_holds_no_state(language: Language) -> None:
    agent = one_agent(language)
    lines = [item for n in range(4) for item in (heard(f"reply {n}"), said(f"words {n}"))]
    seen = [view(lines[: 2 * n + 1], language=language) for n in range(4)]
    requests = [agent.conversation(each) for each in seen]
    check_growth(requests)
    assert {"en": "(private)", "zh": "别人看不到"}[language] not in text_of(requests[-1])


def suite_at(name: str, url: str, language: Language, folder: Path) -> Suite:
    """The shipped suite `name`, three exchanges with an invented person, every role at `url`."""
    people = folder / "people.jsonl"
    people.write_text(make_profile(language).model_dump_json() + "\n", encoding="utf-8")
    specs = {role: {"spec": f"openai:{role}@{url}", "tries": 1} for role in ("user", "judge")}
    return suite_from_flags(
        name,
        supporters=[f"bot=openai:bot@{url}"],
        plain={"language": language, "profiles": str(people), "max_turns": 3},
        settings=[f"models.{role}={json.dumps(spec)}" for role, spec in specs.items()],
    )


def run(
    name: str, language: Language, tmp_path: Path, change: Any = None
) -> tuple[FakeOpenAI, RunFolder]:
    async def go() -> tuple[FakeOpenAI, RunFolder]:
        async with fake_openai(plays_all(change) if change else plays_all()) as server:
            suite = suite_at(name, server.url, language, tmp_path)
            return server, await run_suite(suite, tmp_path / "run")

    return asyncio.run(go())


def sent(server: FakeOpenAI, role: str) -> str:
    return "\n".join(text_of(b["messages"]) for b in server.bodies if role_of(b) == role)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_run_of_one_agent(tmp_path: Path, language: Language) -> None:
    server, folder = run("one_agent", language, tmp_path)
    (record,) = folder.records().values()
    assert record.verdict and all(m.kind == "score" for m in record.verdict.scores.values())
    assert record.ending and record.ending.reason == "max_turns"
    assert record.h_u == record.h_s and len(record.h_s) == 6
    calls = Counter({role: usage.calls for role, usage in record.usage.items()})
    assert calls == {"supporter": 3, "talker": 3, "evaluator": 1}
    assert record.prompts["talker/prompt"] == load_prompt("one_agent", language).hash
    profile = make_profile(language)
    for role in ("talker", "evaluator"):
        assert all(words in sent(server, role) for words in words_of(profile, "scenario"))
    assert not [w for w in words_of(profile, "counselling") if w in sent(server, "supporter")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_one_agent_leaves_by_its_own_decision(tmp_path: Path, language: Language) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        gone = {"utterance": "ok", "wants_to_end": nth == 2, "why": "gave_up", "reason": "no use"}
        return gone if role == "talker" else None

    _, folder = run("one_agent", language, tmp_path, change)
    (record,) = folder.records().values()
    assert record.ending == Ending(reason="user_gave_up", turn=2, words="ok", because="no use")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_run_with_a_simple_profile(tmp_path: Path, language: Language) -> None:
    server, folder = run("simple_profile", language, tmp_path)
    (record,) = folder.records().values()
    assert record.verdict and all(m.kind == "score" for m in record.verdict.scores.values())
    calls = Counter({role: usage.calls for role, usage in record.usage.items()})
    assert calls == {"supporter": 3, "thinker": 3, "talker": 3, "evaluator": 1}
    profile = make_profile(language)
    unknown = list(words_of(profile, "preferences", "scenario"))
    for role in ("thinker", "talker"):
        assert not [words for words in unknown if words in sent(server, role)]
        assert profile.counselling.problem in sent(server, role)
    assert all(words in sent(server, "evaluator") for words in unknown)
