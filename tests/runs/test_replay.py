"""A run played again from its journal: the same, or the first step that differs and why."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.runs.fork import Cut, branch_suite, cut_all
from emoharbor.runs.opened import open_for_debugging
from emoharbor.runs.replay import Replayed, replay_of
from tests.fake_openai import FakeOpenAI, chat, fake_openai
from tests.served import lines_of, plays_all, small_suite

SHIPPED = Path("emoharbor/data/profiles/en.jsonl")


async def replayed(run: Path, store: str | None = None) -> Replayed:
    async with open_for_debugging(run, store) as opened:
        records = list((await opened.reader.records()).values())
        ready = await replay_of(opened.suite, opened.recorded, opened.reader.call_lines)
        return await ready.run(records, await opened.beginnings(records))


def recorded(
    run: Path, then: Callable[[FakeOpenAI], Awaitable[None]] | None = None, **more: Any
) -> Replayed:
    """Runs a suite, does `then`, and plays the run again; the server must not hear of it."""
    store = more.pop("store", None)
    handler = more.pop("handler", plays_all())

    async def go() -> Replayed:
        async with fake_openai(handler) as server:
            await run_suite(small_suite(server.url, **more), run, options=RunOptions(store))
            if then:
                await then(server)
            server.bodies.clear()
            result = await replayed(run, store)
            assert server.bodies == []
            return result

    return asyncio.run(go())


@pytest.mark.parametrize("opening", ["supporter", "user"])
def test_a_whole_run_is_what_was_recorded(tmp_path: Path, opening: str) -> None:
    result = recorded(tmp_path / "run", turns=15, limit=2, plain={"opening": opening})
    assert (result.same, result.calls, result.differences) == (2, 2 * 46, [])


def test_a_run_in_redis_too(tmp_path: Path, redis_url: str) -> None:
    result = recorded(tmp_path / f"{tmp_path.name}-run", turns=3, store=redis_url)
    assert (result.same, result.calls) == (1, 10)


def test_repairs_and_failed_visits_are_part_of_it(tmp_path: Path) -> None:
    def falters(role: str, body: dict[str, Any], nth: int) -> Any:
        if role == "thinker" and nth == 1:
            return "not JSON"
        return chat("no", status=500) if role == "talker" and nth == 1 else None

    run = tmp_path / "run"

    async def again(server: FakeOpenAI) -> None:
        await run_suite(small_suite(server.url), run)

    result = recorded(run, again, handler=plays_all(falters))
    assert (result.same, result.differences) == (1, [])


def test_a_failed_dialogue_is_played_up_to_its_failure(tmp_path: Path) -> None:
    def breaks(role: str, body: dict[str, Any], nth: int) -> Any:
        return chat("no", status=500) if role == "talker" and nth >= 2 else None

    result = recorded(tmp_path / "run", handler=plays_all(breaks))
    assert (result.same, result.calls, result.differences) == (1, 5, [])


def test_a_later_judge_is_part_of_it(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def judged_again(server: FakeOpenAI) -> None:
        standard = ["agents.evaluator.strategy=standard"]
        await run_suite(small_suite(server.url, settings=standard), run)

    result = recorded(run, judged_again)
    assert (result.same, result.calls, result.differences) == (1, 7, [])


def test_a_branch_begins_where_it_was_cut(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def fork(server: FakeOpenAI) -> None:
        async with open_for_debugging(run) as opened:
            records = list((await opened.reader.records()).values())
            made = await cut_all(opened.graph, records, Cut(turn=1), edits={"user": "Other words"})
            child = branch_suite(opened.suite, "run", made, {"user": "Other words"})
        await run_suite(child, tmp_path / "child", options=RunOptions(seeds=made.seeds))

    recorded(run, fork, turns=3)
    result = asyncio.run(replayed(tmp_path / "child"))
    assert (result.same, result.calls, result.differences) == (1, 7, [])


def told(result: Replayed) -> str:
    assert (result.same, len(result.differences)) == (0, 1)
    return str(result.differences[0])


def test_a_changed_profile_is_named_with_the_step(tmp_path: Path) -> None:
    people = tmp_path / "people.jsonl"
    person = SHIPPED.read_text(encoding="utf-8").splitlines()[0]
    people.write_text(person, encoding="utf-8")

    async def changed(server: FakeOpenAI) -> None:
        people.write_text(person.replace("carp fishing", "darts"), encoding="utf-8")

    words = told(recorded(tmp_path / "run", changed, plain={"profiles": str(people)}))
    assert "step 2, thinker" in words and "message 1 (system)" in words
    assert (
        "carp fishing" in words and "darts" in words and "profile changed: profiles.en-001" in words
    )


def test_a_changed_prompt_is_named(tmp_path: Path) -> None:
    prompt = tmp_path / "mine.md"
    shipped = Path("prompts/en/supporter.md").read_text(encoding="utf-8")
    prompt.write_text(shipped, encoding="utf-8")

    async def changed(server: FakeOpenAI) -> None:
        prompt.write_text(shipped.replace("{% block system %}", "{% block system %}Be kind. "))
        from emoharbor.prompts.loader import load_prompt

        load_prompt.cache_clear()

    settings = [f"supporters.bot.prompt={prompt}"]
    words = told(recorded(tmp_path / "run", changed, settings=settings))
    assert "step 1, supporter" in words
    assert "prompt changed: supporters.bot.prompt file" in words


def test_a_line_that_was_tampered_with_is_named(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def changed(server: FakeOpenAI) -> None:
        records = lines_of(run / "records.jsonl")
        records[0]["h_u"][2]["text"] = "never said"
        (run / "records.jsonl").write_text(json.dumps(records[0]) + "\n", encoding="utf-8")

    words = told(recorded(run, changed))
    assert "step 3, talker: h_u was" in words and "never said" in words
    assert "no prompt, parameter, profile" in words


def test_a_call_that_is_missing_is_named(tmp_path: Path) -> None:
    run = tmp_path / "run"

    async def changed(server: FakeOpenAI) -> None:
        lines = (run / "calls.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
        (run / "calls.jsonl").write_text("".join(lines[:4] + lines[5:]), encoding="utf-8")

    words = told(recorded(run, changed))
    assert "step 6, thinker: its call 1 is not in the journal" in words
