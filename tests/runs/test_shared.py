"""What a run has once for all supporters: the user's first words, and a person's clean profile."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from emoharbor.errors import ConfigError
from emoharbor.flags import suite_from_flags
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import Listener, plan_suite, run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.runs.replay import replay_of
from emoharbor.runs.store import open_store
from emoharbor.suite import Suite, make_suite, read_yaml
from tests.fake_openai import FakeOpenAI, fake_openai
from tests.people import make_profile
from tests.runs.worst import people, run, sent, suite_at
from tests.served import lines_of, plays_all

PROBLEM = make_profile("en").counselling.problem
CLEAN = "I drove past a child at a stop. Nobody knows."


def never_the_same(role: str, body: dict[str, Any], nth: int) -> Any:
    """A server whose replies never repeat, whatever the seed."""
    said = {"utterance": f"words {nth}", "wants_to_end": False, "why": "unspecified", "reason": ""}
    return said if role == "talker" else None


def processing(role: str, body: dict[str, Any], nth: int) -> Any:
    return {"changed": True, "situation": CLEAN} if role == "profile" else None


def openings(folder: RunFolder) -> dict[tuple[str, str, int], str]:
    return {record.cell: record.h_s[0].text for record in folder.records().values()}


def threads(folder: RunFolder) -> Counter[str]:
    """Calls by the first part of their thread's name."""
    calls = lines_of(folder.calls_file)
    return Counter(c["thread"].split("/")[0] for c in calls if c["kind"] == "call")


async def same_again(folder: RunFolder) -> tuple[int, list[str]]:
    recorded = read_yaml(folder.plan_file)
    suite = make_suite(recorded, str(folder.plan_file))
    async with open_store(None, folder.path) as store:
        replay = await replay_of(suite, recorded["recorded"], store.calls)
        result = await replay.run(folder.records().values(), {})
    return result.same, [str(difference) for difference in result.differences]


def test_without_it_every_dialogue_begins_in_its_own_way(tmp_path: Path) -> None:
    _, folder = run(tmp_path, bots=("a", "b"), change=never_the_same, count=2)
    assert len(set(openings(folder).values())) == 4


def test_a_shared_opening_is_had_once_a_profile_and_repeat(tmp_path: Path) -> None:
    how: dict[str, Any] = {"bots": ("a", "b", "c"), "change": never_the_same, "count": 2}
    server, folder = run(tmp_path, **how, times=2, repeats=2, shared_openings=True)
    words = openings(folder)
    assert len(words) == 12 and len(set(words.values())) == 4
    for (_, profile, repeat), text in words.items():
        assert text == words["a", profile, repeat]
    assert threads(folder)["_opening"] == 8  # The thinker's and the talker's.
    calls = folder.records()["b", "t-en-1", 1].usage
    assert {r: u.calls for r, u in calls.items()} == {
        "supporter": 4, "thinker": 3, "talker": 3, "evaluator": 1,
    }  # fmt: skip
    assert len(sent(server, "talker")) == 4 + 12 * 3
    assert asyncio.run(same_again(folder)) == (12, [])


def test_a_user_who_leaves_with_the_first_words_leaves_everybody(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        gone = {"utterance": "no", "wants_to_end": True, "why": "gave_up", "reason": "r"}
        return gone if role == "talker" else None

    server, folder = run(tmp_path, bots=("a", "b"), change=change, shared_openings=True)
    assert {r.ending.reason for r in folder.records().values() if r.ending} == {"user_gave_up"}
    assert all(record.verdict for record in folder.records().values())
    assert len(sent(server, "talker")) == 1 and not sent(server, "supporter")


def test_an_opening_that_fails_is_a_failure_and_is_tried_again(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        silent = role == "talker" and nth < 3
        return " " if silent else never_the_same(role, body, nth)

    _, folder = run(tmp_path, change=change, times=2, shared_openings=True)
    failed, finished = lines_of(tmp_path / "run" / "records.jsonl")
    assert failed["failure"]["node"] == "talker"
    assert failed["thread"] == finished["thread"]
    assert finished["verdict"] and openings(folder) == {("a", "t-en-0", 0): "words 3"}


def test_a_run_that_is_stopped_behind_an_opening_goes_on_from_it(tmp_path: Path) -> None:
    drain = Drain()

    async def go() -> FakeOpenAI:
        async with fake_openai(plays_all(never_the_same)) as server:
            profiles = people(tmp_path, "en")
            suite = suite_at(
                server.url, "worst_case", profiles, "en", ("a", "b"), shared_openings=True
            )
            stop = Listener(on_visit=lambda visit: drain.request("enough"))
            folder = await run_suite(suite, tmp_path / "run", stop, drain=drain)
            assert not folder.records()
            folder = await run_suite(suite, tmp_path / "run")
            assert openings(folder) == {
                ("a", "t-en-0", 0): "words 1",
                ("b", "t-en-0", 0): "words 1",
            }
            return server

    asyncio.run(go())


def test_a_new_supporter_in_a_run_that_inherits_hears_the_same(tmp_path: Path) -> None:
    def suite_of(server: FakeOpenAI, *bots: str) -> Suite:
        profiles = people(tmp_path, "en")
        return suite_at(server.url, "worst_case", profiles, "en", bots, shared_openings=True)

    async def go() -> RunFolder:
        async with fake_openai(plays_all(never_the_same)) as server:
            await run_suite(suite_of(server, "a"), tmp_path / "run")
            options = RunOptions(parent=tmp_path / "run")
            both = suite_of(server, "a", "b")
            await run_suite(both, tmp_path / "new", options=options)
            return await run_suite(both, tmp_path / "new", options=options)

    folder = asyncio.run(go())
    assert len(openings(folder)) == 2 and len(set(openings(folder).values())) == 1
    assert threads(folder)["_opening"] == 2


def test_a_shared_opening_needs_a_user_who_opens() -> None:
    suite = suite_from_flags(
        "emoharbor",
        supporters=["a=scripted:echo"],
        model="scripted:echo",
        plain={"shared_openings": True},
    )
    with pytest.raises(ConfigError, match="shared_openings: the user must open"):
        plan_suite(suite)


@pytest.mark.parametrize("name", ["worst_case", "average_case"])
def test_a_profile_is_processed_once_for_all_who_play_or_judge(tmp_path: Path, name: str) -> None:
    server, folder = run(tmp_path, name, bots=("a", "b"), change=processing, count=2, repeats=2)
    assert len(folder.records()) == 8
    assert len(sent(server, "profile")) == threads(folder)["_profile"] == 2
    assert all(PROBLEM in text for text in sent(server, "profile"))
    for role in ("thinker", "talker", "evaluator"):
        texts = sent(server, role)
        assert all(CLEAN in text and PROBLEM not in text for text in texts), role
    assert not [text for text in sent(server, "supporter") if CLEAN in text or PROBLEM in text]
    entry = next(c for c in lines_of(folder.calls_file) if c["node"] == "profile")
    assert PROBLEM in entry["messages"][0]["content"] and CLEAN in entry["text"]
    record = next(iter(folder.records().values()))
    assert record.models["profile"] == record.models["talker"]
    assert record.prompts["profile/prompt"]
    assert asyncio.run(same_again(folder)) == (8, [])


def test_a_clean_profile_is_left_as_it_is(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return {"changed": False, "situation": "something else"} if role == "profile" else None

    server, _ = run(tmp_path, change=change)
    assert all(PROBLEM in text for text in (*sent(server, "talker"), *sent(server, "evaluator")))


def test_a_processing_that_fails_is_tried_again_with_another_seed(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        useless = {"changed": True, "situation": " "}
        return useless if role == "profile" and nth < 3 else processing(role, body, nth)

    server, _ = run(tmp_path, change=change, times=2)
    failed, finished = lines_of(tmp_path / "run" / "records.jsonl")
    assert "profile t-en-0: situation: the whole text" in failed["failure"]["message"]
    assert failed["h_s"] == [] and finished["verdict"]
    assert all(CLEAN in text for text in sent(server, "talker"))


def test_who_processes_may_be_named_and_is_part_of_the_dialogues_name(tmp_path: Path) -> None:
    profiles = people(tmp_path, "en")
    hashes = set()
    for config in (None, {}, {"model": "openai:cleaner"}, {"temperature": 0.3}):
        suite = suite_at("http://127.0.0.1:1/v1", "worst_case", profiles, "en", "a",
                         profile_processing=config)  # fmt: skip
        if config is None:
            suite = suite.model_copy(update={"profile_processing": None})
        plan = plan_suite(suite)
        hashes.add(plan.cells[0].dialogue_hash)
        spec = plan.seatings["a"].models.get("profile")
        wanted = (config or {}).get("model", "openai:user@http://127.0.0.1:1/v1")
        assert (spec and spec.spec) == (wanted if config is not None else None)
        # Its calls have a price, as those of an opening have.
        assert plan.specs("_profile/t-en-0/x").get("profile") == (spec and spec.spec)
        assert plan.specs("_opening/t-en-0/0/x")["talker"] == "openai:user@http://127.0.0.1:1/v1"
    assert len(hashes) == 4


def test_a_processing_without_a_model_says_what_to_do() -> None:
    scripted = {"talker": "scripted", "thinker": "none", "evaluator": "scripted"}
    suite = suite_from_flags(
        "worst_case",
        supporters=["a=scripted:echo"],
        settings=[f"agents.{node}={{use: {use}}}" for node, use in scripted.items()],
    )
    with pytest.raises(ConfigError, match="no model for profile_processing.*profile_processing.mo"):
        plan_suite(suite)
