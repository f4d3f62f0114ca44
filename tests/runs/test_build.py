"""Building profiles against a served model: what is accepted, mended, set aside, or fails."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from emoharbor.errors import ConfigError
from emoharbor.profiles import load_profiles
from emoharbor.profiles.checks import check
from emoharbor.runs.build import run_build
from emoharbor.runs.build_plan import draw_lots
from tests.building import (
    PARTS,
    asked,
    built,
    good,
    kinds,
    role_of,
    seeds_file,
    small_build,
    words,
    writes,
)
from tests.fake_openai import fake_openai, refusal


@pytest.mark.parametrize("language", ["en", "zh"])
def test_good_people_are_accepted_and_pass_the_check(tmp_path: Path, language: Any) -> None:
    result, server = built(tmp_path, count=5, language=language)
    assert [len(result.accepted), len(result.set_aside), len(result.failed)] == [5, 0, 0]
    assert sorted(asked(server)) == sorted([*PARTS, "critic"] * 5)
    people = load_profiles(str(result.file))
    assert [p.id for p in people] == [f"p-00{n}" for n in range(1, 6)]
    assert {p.language for p in people} == {language}
    assert check(str(result.file)).findings == []
    assert (tmp_path / "run" / "set_aside.jsonl").read_text() == ""


def test_the_writers_are_in_one_conversation_that_only_grows(tmp_path: Path) -> None:
    _, server = built(tmp_path)
    sent = {role_of(body): body["messages"] for body in server.bodies}
    for before, after in zip(PARTS, PARTS[1:], strict=False):
        assert sent[after][: len(sent[before])] == sent[before]
        assert json.loads(sent[after][-2]["content"]).keys() >= {before}
    assert "mark1" in sent["critic"][-1]["content"] and len(sent["critic"]) == 2


def test_of_two_people_alike_the_later_one_is_set_aside(tmp_path: Path) -> None:
    def change(role: str, data: Any, nth: int, key: str) -> Any:
        if role in PARTS and key == "3":
            return {**data, role: good(role, "1")}
        return None

    result, _ = built(tmp_path, change, count=3)
    assert [r.id for r in result.accepted] == ["p-001", "p-002"]
    assert set(kinds(result)) == {"too similar"} and "p-001" in result.set_aside[0].faults[0].says


def test_a_failure_is_typed_and_tried_again(tmp_path: Path) -> None:
    down = {"2"}

    def change(role: str, data: Any, nth: int, key: str) -> Any:
        return refusal(500, "out of order") if role == "scenario" and key in down else None

    seeds = seeds_file(tmp_path, 3)

    async def go() -> None:
        async with fake_openai(writes(change)) as server:
            build = small_build(server.url, seeds)
            first = await run_build(build, tmp_path / "run")
            assert first.causes == {"ModelError (server_error)": 1} and len(first.accepted) == 2
            assert (first.failed[0].failure.node if first.failed[0].failure else "") == "scenario"
            assert len(load_profiles(str(first.file))) == 2
            down.clear()
            server.bodies.clear()
            second = await run_build(build, tmp_path / "run")
            assert [r.id for r in second.accepted] == ["p-001", "p-002", "p-003"]
            assert asked(server) == ["scenario", "critic"]

    asyncio.run(go())


def test_a_changed_build_is_refused_with_a_diff(tmp_path: Path) -> None:
    built(tmp_path)
    with pytest.raises(ConfigError, match=r"writer\.temperature: 0\.9 -> 0\.1"):
        built(tmp_path, temperature=0.1)
    with pytest.raises(ConfigError, match=r"seeds\.p-001: \w+ -> \w+"):
        built(tmp_path, stated={"age": 30})


def test_more_seeds_of_the_same_file_are_gone_on_with(tmp_path: Path) -> None:
    seeds, out = seeds_file(tmp_path, 3), tmp_path / "run"

    async def go() -> None:
        async with fake_openai(writes()) as server:
            first = await run_build(small_build(server.url, seeds, limit=2), out)
            assert len(first.accepted) == 2
            server.bodies.clear()
            second = await run_build(small_build(server.url, seeds), out)
            assert len(second.accepted) == 3 and asked(server) == [*PARTS, "critic"]

    asyncio.run(go())


def test_a_file_that_is_there_already_is_not_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / "mine.jsonl"
    mine.write_text("mine")
    with pytest.raises(ConfigError, match="is there already"):
        built(tmp_path, file=str(mine))
    assert mine.read_text() == "mine"
    result, _ = built(tmp_path, file=str(tmp_path / "new.jsonl"))
    assert len(load_profiles(str(result.file))) == 1


def test_what_a_draft_has_whole_is_kept_and_costs_no_call(tmp_path: Path) -> None:
    data = {part: good(part, "draft") for part in ("demographics", "counselling")}
    data["demographics"]["age"] = 16
    data["counselling"]["problem"] = "He held the blade and I kept still. " + words("more", 80)
    draft = {
        "id": "d-1",
        "language": "en",
        "source": "elsewhere",
        "lacks": ["preferences", "scenario"],
        "notes": {"told": "mark1"},
        "risk": ["self_harm"],
        "hard": True,
        **data,
    }
    file = tmp_path / "drafts.jsonl"
    file.write_text(json.dumps(draft), encoding="utf-8")
    result, server = built(tmp_path, seeds=file)
    assert asked(server) == ["preferences", "scenario", "critic"]
    (profile,) = (record.profile for record in result.accepted)
    assert profile and profile.model_dump(mode="json")["counselling"] == data["counselling"]
    assert profile.minor and profile.risk == ("self_harm",) and profile.id == "p-001"
    assert profile.hard == draw_lots(0, 1).hard


@pytest.mark.parametrize("risk", [[], ["abuse"]])
def test_the_risks_that_the_writer_names_are_the_profiles(tmp_path: Path, risk: list[str]) -> None:
    def change(role: str, data: Any, nth: int, key: str) -> Any:
        if "counselling" in data:
            data["risk"] = risk
            data["counselling"]["problem"] += " He abused me." if risk else ""
        return data

    result, _ = built(tmp_path, change)
    (profile,) = (record.profile for record in result.accepted)
    assert profile and list(profile.risk) == risk
