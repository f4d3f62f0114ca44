"""Branches: who goes on from where, at what cost, and that the parent stays as it was."""

from __future__ import annotations

import asyncio
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from emoharbor.errors import ConfigError
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.runs.fork import Branches, Cut, branch_suite, cut_all
from emoharbor.runs.opened import OpenedRun, open_for_debugging
from emoharbor.state.dialogue import Appraisal, Message
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite
from tests.fake_openai import fake_openai
from tests.served import plays_all, role_of, small_suite

Told = tuple[Counter[str], list[DialogueRecord], list[DialogueRecord], Branches]


def parent_of(tmp: Path) -> Path:
    """A run's name in Redis is its folder's: each test has its own."""
    return tmp / f"{tmp.name}-parent"


async def _records(opened: OpenedRun) -> list[DialogueRecord]:
    return list((await opened.reader.records()).values())


def branched(tmp: Path, cut: Cut, *, store: str | None = None, **how: Any) -> Told:
    """Runs, forks every dialogue, runs the branch; counts the branch's requests.

    `how`: `other` (by another supporter, else by its own), `edits`, `again` (times that the branch
    is run), `limit`; the rest are top-level keys of the suite.
    """
    other, edits = how.pop("other", True), how.pop("edits", {})
    again, limit = how.pop("again", 1), how.pop("limit", 2)
    parent, child = parent_of(tmp), tmp / f"{tmp.name}-child"

    async def go() -> Told:
        async with fake_openai(plays_all()) as server:
            suite = small_suite(server.url, turns=4, limit=limit, plain=how)
            await run_suite(suite, parent, options=RunOptions(store))
            server.bodies.clear()
            async with open_for_debugging(parent, store) as opened:
                before = await _records(opened)
                names = ["other"] if other else []
                made = await cut_all(opened.graph, before, cut, supporters=names, edits=edits)
            branch = branch_suite(_with(suite, names), parent.name, made, edits)
            for _ in range(again):
                await run_suite(branch, child, options=RunOptions(store, seeds=made.seeds))
            roles = Counter(map(role_of, server.bodies))
            async with open_for_debugging(child, store) as opened:
                return roles, before, await _records(opened), made

    return asyncio.run(go())


def _with(suite: Suite, names: list[str]) -> Suite:
    supporters = tuple(suite.supporters[0].model_copy(update={"name": name}) for name in names)
    return suite.model_copy(update={"supporters": supporters or suite.supporters})


@pytest.fixture(params=["folder", "redis"])
def store(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "folder" else request.getfixturevalue("redis_url")


@pytest.mark.parametrize("opening", ["supporter", "user"])
def test_a_counterfactual_costs_exactly_the_calls_after_the_cut(
    tmp_path: Path, opening: str, store: str | None
) -> None:
    roles, before, after, _ = branched(
        tmp_path, Cut(turn=3), store=store, limit=10, opening=opening, again=2
    )
    del roles["probe"]
    assert roles == {"supporter": 10, "thinker": 10, "talker": 10, "evaluator": 10}
    old = {record.profile: record for record in before}
    for record in after:
        assert record.h_s[:6] == old[record.profile].h_s[:6]
        assert record.h_s[6:] != old[record.profile].h_s[6:]
        assert record.turns == 4 and record.verdict and record.usage["talker"].calls == 1
        assert record.branched and old[record.profile].thread in record.branched


def test_the_parent_stays_as_it_was(tmp_path: Path) -> None:
    branched(tmp_path, Cut(turn=1))
    sums = {p.name: sha256(p.read_bytes()).digest() for p in (parent_of(tmp_path)).iterdir()}
    asyncio.run(_cut_again(parent_of(tmp_path)))
    assert sums == {
        p.name: sha256(p.read_bytes()).digest() for p in (parent_of(tmp_path)).iterdir()
    }


async def _cut_again(parent: Path) -> None:
    async with open_for_debugging(parent) as opened:
        records = await _records(opened)
        await cut_all(opened.graph, records, Cut(turn=2), edits={"user": "something else"})


def test_the_parent_in_redis_stays_as_it_was(tmp_path: Path, redis_url: str) -> None:
    import redis

    def kept() -> dict[bytes, bytes | None]:
        with redis.Redis.from_url(redis_url) as client:
            keys = [
                k
                for k in client.keys(f"emoharbor:{parent_of(tmp_path).name}:*")
                if b":seen:" not in k
            ]
            return {k: client.dump(k) for k in keys if b":lease" not in k and b":fence" not in k}

    branched(tmp_path, Cut(turn=1), store=redis_url)
    before = kept()
    assert before

    async def cut() -> None:
        async with open_for_debugging(parent_of(tmp_path), redis_url) as opened:
            await cut_all(opened.graph, await _records(opened), Cut(turn=2))

    asyncio.run(cut())
    assert kept() == before


def test_edits_stand_in_both_memories_and_are_what_the_next_agents_see(tmp_path: Path) -> None:
    edits = {"supporter": "Changed reply.", "user": "Changed words.", "thinker.emotion": "odd"}
    _, _, after, _ = branched(tmp_path, Cut(turn=2), edits=edits, limit=1)
    said = [m.text for m in after[0].h_s]
    assert said[2:4] == ["Changed reply.", "Changed words."]
    assert [m.text for m in after[0].h_u if isinstance(m, Message)] == said
    inner = [item for item in after[0].h_u if isinstance(item, Appraisal)]
    assert inner[1].emotion == "odd" and inner[0].emotion != "odd"


def test_a_branch_may_begin_inside_an_exchange(tmp_path: Path) -> None:
    roles, _, after, made = branched(tmp_path, Cut(step=6), other=False, limit=1)
    del roles["probe"]
    # Step 6 is the second exchange's thinker: the talker comes next.
    assert roles == {"supporter": 2, "thinker": 2, "talker": 3, "evaluator": 1}
    assert made.origins["bot/en-001/0"].node == "thinker"
    assert after[0].supporter == "bot" and after[0].turns == 4


@pytest.mark.parametrize(
    "cut, words",
    [
        (lambda: Cut(turn=9), "no exchange 9 to go on after"),
        (lambda: Cut(step=99), "nothing goes on after step 99"),
        (lambda: Cut(turn=0), "exchange 1 or later"),
        (lambda: Cut(), "name one of the two"),
        (lambda: Cut(turn=1, step=3), "name one of the two"),
    ],
)
def test_a_cut_that_is_none_is_refused(tmp_path: Path, cut: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        branched(tmp_path, cut(), limit=1)


@pytest.mark.parametrize(
    "edits, words",
    [
        ({"talker": "x"}, "thinker.FIELD=VALUE"),
        ({"thinker.emotoin": "x"}, "did you mean 'emotion'"),
        ({"thinker.intensity": 9}, "intensity"),
        ({"thinker": "sad"}, "thinker.FIELD=VALUE"),
        ({"user": ""}, "words are wanted"),
        ({"utterance.wants_to_end": "perhaps"}, "wants_to_end"),
    ],
)
def test_an_edit_is_checked_by_its_type(tmp_path: Path, edits: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        branched(tmp_path, Cut(turn=1), edits=edits, limit=1)


def test_a_branch_whose_beginning_was_lost_is_not_begun_anew(tmp_path: Path) -> None:
    async def go() -> None:
        async with fake_openai(plays_all()) as server:
            suite = small_suite(server.url, turns=3)
            await run_suite(suite, parent_of(tmp_path))
            async with open_for_debugging(parent_of(tmp_path)) as opened:
                made = await cut_all(opened.graph, await _records(opened), Cut(turn=1))
            with pytest.raises(ConfigError, match="fork again"):
                await run_suite(branch_suite(suite, "parent", made, {}), tmp_path / "child")

    asyncio.run(go())


def test_a_suite_without_its_branches_does_not_begin_in_their_folder(tmp_path: Path) -> None:
    async def go() -> None:
        async with fake_openai(plays_all()) as server:
            suite = small_suite(server.url, turns=3)
            await run_suite(suite, parent_of(tmp_path))
            async with open_for_debugging(parent_of(tmp_path)) as opened:
                made = await cut_all(opened.graph, await _records(opened), Cut(turn=1))
            branch = branch_suite(suite, "parent", made, {})
            await run_suite(branch, tmp_path / "child", options=RunOptions(seeds=made.seeds))
            with pytest.raises(ConfigError, match="branched from parent"):
                await run_suite(suite, tmp_path / "child")

    asyncio.run(go())
