"""Dialogues from elsewhere are judged: inner states are simulated once, people are looked for."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from emoharbor.errors import ConfigError
from emoharbor.judging.run import Judged
from emoharbor.judging.wanted import Asked
from emoharbor.runs.folder import open_run
from emoharbor.state.dialogue import Message
from tests.fake_openai import FakeOpenAI, fake_openai, refusal
from tests.imports.foreign_dialogues import release, write_json
from tests.judging.judged import asked_of, by_name, judge, text_of
from tests.runs.worst import people
from tests.served import plays_all


def said(role: str, *texts: str) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for text in texts]


# Both begin with several lines in a row of one; the first ends on the supporter's words.
CHATS = [
    {
        "id": "t-en-0",
        "model": "m",
        "messages": [
            *said("assistant", "Hello there.", "How are you?"),
            *said("user", "Tired.", "Mostly."),
            *said("assistant", "Why is that?"),
            *said("user", "Work."),
            *said("assistant", "I see.", "Take care."),
        ],
    },
    {
        "id": "t-en-1",
        "model": "m",
        "messages": [
            *said("user", "hi", "anyone there"),
            *said("assistant", "Yes."),
            *said("user", "good"),
        ],
    },
]
STATES = 4


def with_chats(tmp: Path, then: Any, change: Any = None) -> Any:
    async def go() -> Any:
        chats = write_json(tmp / "chats.json", CHATS)
        async with fake_openai(plays_all(change) if change else plays_all()) as server:
            return await then(server, chats, people(tmp, "en", 2))

    return asyncio.run(go())


def at(server: FakeOpenAI, judge: str = "judge", **more: Any) -> Asked:
    model = f"openai:{judge}@{server.url}"
    return Asked(model, **{"strategy": "internal_state_aware", "thinker": model, **more})


def states_before(done: Judged, name: str) -> list[str]:
    """The words of a dialogue, with a mark for each inner state."""
    return [i.text if isinstance(i, Message) else "*" for i in by_name(done)[name].h_u]


def test_inner_states_are_simulated_over_the_lines_as_they_were(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, chats: Path, profiles: str) -> Judged:
        run = tmp_path / "run"
        return await judge(chats, at(server), out=run, profiles=profiles, repeats=2, every=1)

    done = with_chats(tmp_path, then)
    assert states_before(done, "m/t-en-0/0#1") == [
        *("Hello there.", "How are you?", "*", "Tired.", "Mostly."),
        *("Why is that?", "*", "Work.", "I see.", "Take care."),
    ]
    assert states_before(done, "m/t-en-1/0") == ["*", "hi", "anyone there", "Yes.", "*", "good"]
    assert states_before(done, "m/t-en-0/0@1") == [
        *("Hello there.", "How are you?", "*", "Tired.", "Mostly."),
    ]
    assert states_before(done, "m/t-en-1/0@1") == ["*", "hi", "anyone there", "Yes."]
    whole = by_name(done)["m/t-en-0/0"]
    assert set(whole.models) == {"thinker", "evaluator"} and whole.imported
    assert {role: usage.calls for role, usage in whole.usage.items()} == {"evaluator": 1}


def test_each_state_is_asked_for_once_for_all_judges_repeats_and_prefixes(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, chats: Path, profiles: str) -> None:
        thinker = f"openai:mind@{server.url}"
        for name in ("one", "two"):
            asked = at(server, name, thinker=thinker)
            await judge(chats, asked, out=tmp_path / "run", profiles=profiles, repeats=2, every=1)
        assert {body["model"] for body in asked_of(server, "thinker")} == {"mind"}
        assert len(asked_of(server, "thinker")) == STATES
        assert Counter(body["model"] for body in asked_of(server, "evaluator")) == {
            "one": 2 * (3 + 2),
            "two": 2 * (3 + 2),
        }
        first, second = map(text_of, asked_of(server, "thinker")[:2])
        assert "Hello there.\nHow are you?" in first and "bus driver" in first
        assert "You will write first" in second

    with_chats(tmp_path, then)


def test_who_is_not_known_is_said_and_standard_needs_nobody(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, chats: Path, profiles: str) -> None:
        run = tmp_path / "run"
        for strategy in ("user_aware", "internal_state_aware"):
            with pytest.raises(ConfigError) as told:
                await judge(chats, at(server, strategy=strategy), out=run)
            assert "the user of m/t-en-0/0 is 't-en-0': it was imported" in str(told.value)
            assert "--profiles" in str(told.value) and "--strategy standard" in str(told.value)
        with pytest.raises(ConfigError, match="'en' has no such profile"):
            await judge(chats, at(server, strategy="user_aware"), out=run, profiles="en")
        assert server.bodies == []
        done = await judge(chats, at(server, strategy="standard"), out=run)
        assert len(done.records) == 2 and not asked_of(server, "thinker")
        assert "bus driver" not in text_of(asked_of(server, "evaluator")[0])
        await judge(chats, at(server, strategy="user_aware"), out=run, profiles=profiles)
        assert "bus driver" in text_of(asked_of(server, "evaluator")[-1])

    with_chats(tmp_path, then)


def test_a_file_is_imported_once_and_never_over_others(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, chats: Path, profiles: str) -> None:
        asked = at(server, strategy="standard")
        done = await judge(chats, asked, out=tmp_path / "run")
        imported = open_run(tmp_path / "run").records()
        assert len(imported) == 2 and all(r.verdict is None for r in imported.values())
        before = len(asked_of(server, "evaluator"))
        again = await judge(chats, asked, out=tmp_path / "run")
        assert again.records == done.records
        assert (await judge(tmp_path / "run", asked)).records == done.records
        assert len(asked_of(server, "evaluator")) == before
        write_json(chats, CHATS[:1])
        with pytest.raises(ConfigError, match="holds a run of other dialogues already"):
            await judge(chats, asked, out=tmp_path / "run")

    with_chats(tmp_path, then)


def test_without_its_states_a_dialogue_waits(tmp_path: Path) -> None:
    down = {"on": True}

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        if role == "thinker" and down["on"] and "anyone there" in text_of(body):
            return refusal(400, "This model's maximum context length is 4096 tokens.")
        return None

    async def then(server: FakeOpenAI, chats: Path, profiles: str) -> None:
        async def go() -> Judged:
            return await judge(chats, at(server), out=tmp_path / "run", profiles=profiles)

        done = await go()
        why = "its inner states could not be simulated (ModelError)"
        assert done.left_out == {"m/t-en-1/0": why} and len(done.records) == 1
        down["on"], before = False, len(asked_of(server, "thinker"))
        assert len((await go()).records) == 2
        assert len(asked_of(server, "thinker")) == before + 1
        assert len(asked_of(server, "evaluator")) == 2

    with_chats(tmp_path, then, change)


def test_what_has_inner_states_keeps_them_and_what_is_silent_is_left_out(tmp_path: Path) -> None:
    async def go() -> None:
        source = release(tmp_path / "release") / "worst"
        async with fake_openai(plays_all()) as server:
            asked = at(server, rubric="worst-case-14", strategy="standard")
            done = await judge(source, asked, out=tmp_path / "run")
            assert done.left_out == {"other/1/0": "the supporter says nothing in it"}
            assert len(done.records) == 3 and not asked_of(server, "thinker")
            first = done.records[0]
            assert first.verdict and len(first.verdict.scores) == 14 and first.language == "zh"
            assert "支持者" in text_of(asked_of(server, "evaluator")[0])

    asyncio.run(go())
