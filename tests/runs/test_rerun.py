"""The same folder again: what goes on, what is refused, what is judged anew."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.errors import ConfigError
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.suite import load_suite
from tests.fake_openai import fake_openai
from tests.served import plays_all, role_of, small_suite


def twice(
    tmp: Path, second: dict[str, Any], first: dict[str, Any] | None = None
) -> tuple[Counter[str], RunFolder]:
    """Runs, then runs again with other settings; returns the roles asked the second time."""

    async def go() -> tuple[Counter[str], RunFolder]:
        async with fake_openai(plays_all()) as server:
            await run_suite(small_suite(server.url, **(first or {})), tmp / "run")
            server.bodies.clear()
            folder = await run_suite(small_suite(server.url, **second), tmp / "run")
            return Counter(map(role_of, server.bodies)), folder

    return asyncio.run(go())


@pytest.mark.parametrize(
    "second, named",
    [
        ({"settings": ["agents.talker.temperature=0.9"]}, "user.talker.temperature: 0.7 -> 0.9"),
        ({"settings": ["agents.talker.top_p=0.9"]}, "user.talker.top_p: (not set) -> 0.9"),
        ({"turns": 3}, "loop.max_turns: 2 -> 3"),
        ({"plain": {"seed": 5}}, "loop.seed: 0 -> 5"),
        ({"plain": {"opening": "user"}}, "loop.opening: supporter -> user"),
        ({"settings": ["supporters.bot.temperature=0.1"]}, "supporters.bot.temperature"),
    ],
)
def test_what_shapes_the_dialogue_is_refused_with_a_diff(
    tmp_path: Path, second: dict[str, Any], named: str
) -> None:
    with pytest.raises(ConfigError) as told:
        twice(tmp_path, second)
    assert named in str(told.value) and "--out" in str(told.value)


def test_a_changed_profile_is_refused(tmp_path: Path) -> None:
    people = tmp_path / "people.jsonl"
    shipped = Path("emoharbor/data/profiles/en.jsonl").read_text(encoding="utf-8").splitlines()
    people.write_text(shipped[0], encoding="utf-8")

    async def go() -> None:
        async with fake_openai(plays_all()) as server:
            suite = small_suite(server.url, plain={"profiles": str(people)})
            await run_suite(suite, tmp_path / "run")
            people.write_text(shipped[0].replace('"hard": false', '"hard": true'), encoding="utf-8")
            with pytest.raises(ConfigError, match="profiles.en-001"):
                await run_suite(suite, tmp_path / "run")

    asyncio.run(go())


def test_more_profiles_and_supporters_only_add_dialogues(tmp_path: Path) -> None:
    roles, folder = twice(tmp_path, {"limit": 2, "supporters": ["bot=openai:x", "two=openai:x"]})
    assert roles["evaluator"] == 3
    assert len(folder.records()) == 4


def test_another_judge_judges_the_finished_dialogues_again(tmp_path: Path) -> None:
    roles, folder = twice(tmp_path, {"settings": ["agents.evaluator.strategy=standard"]})
    assert roles == {"evaluator": 1, "probe": 3}
    (record,) = folder.records().values()
    assert record.verdict and record.verdict.strategy == "standard"
    assert record.usage["supporter"].calls == 2 and record.usage["evaluator"].calls == 1


def test_the_first_judges_verdict_comes_back_without_a_call(tmp_path: Path) -> None:
    async def go(strategies: Sequence[str]) -> list[int]:
        asked = []
        async with fake_openai(plays_all()) as server:
            for strategy in strategies:
                server.bodies.clear()
                settings = [f"agents.evaluator.strategy={strategy}"]
                folder = await run_suite(
                    small_suite(server.url, settings=settings), tmp_path / "run"
                )
                (record,) = folder.records().values()
                assert record.verdict and record.verdict.strategy == strategy
                asked.append(sum(role_of(b) != "probe" for b in server.bodies))
        return asked

    judged = ["internal_state_aware", "standard", "user_aware", "standard", "internal_state_aware"]
    assert asyncio.run(go(judged)) == [7, 1, 1, 0, 0]


def test_run_yaml_is_an_input_that_gives_the_same_dialogues(tmp_path: Path) -> None:
    async def go() -> None:
        async with fake_openai(plays_all()) as server:
            folder = await run_suite(small_suite(server.url), tmp_path / "run")
            again = await run_suite(load_suite(str(folder.plan_file)), tmp_path / "again")
            (a,), (b,) = folder.records().values(), again.records().values()
            assert (a.dialogue_hash, a.verdict_hash) == (b.dialogue_hash, b.verdict_hash)
            recorded = yaml.safe_load(folder.plan_file.read_text(encoding="utf-8"))["recorded"]
            assert recorded["emoharbor"] and recorded["fingerprint"]["user"]["talker"]

    asyncio.run(go())
