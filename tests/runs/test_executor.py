"""A whole run over real HTTP: how many requests, what is kept, what a failure leaves."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from emoharbor.errors import ConfigError, ModelError
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.stats.summary import summarize
from emoharbor.suite import Suite
from tests.fake_openai import FakeOpenAI, fake_openai, refusal
from tests.served import lines_of, plays_all, role_of, small_suite


def run(tmp: Path, change: Any = None, **how: Any) -> tuple[FakeOpenAI, RunFolder]:
    async def go() -> tuple[FakeOpenAI, RunFolder]:
        handler = plays_all(change) if change else plays_all()
        async with fake_openai(handler) as server:
            return server, await run_suite(small_suite(server.url, **how), tmp / "run")

    return asyncio.run(go())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fifteen_exchanges_are_forty_six_requests(tmp_path: Path, language: str) -> None:
    server, folder = run(tmp_path, turns=15, plain={"language": language})
    roles = Counter(role_of(body) for body in server.bodies)
    assert roles == {"supporter": 15, "thinker": 15, "talker": 15, "evaluator": 1, "probe": 3}
    (record,) = folder.records().values()
    assert record.verdict and len(record.verdict.scores) == 10
    assert all(mark.kind == "score" for mark in record.verdict.scores.values())
    assert record.ending and record.ending.reason == "max_turns"
    assert (len(record.h_s), len(record.h_u), record.turns) == (30, 45, 15)
    assert {role: usage.calls for role, usage in record.usage.items()} == {
        "supporter": 15,
        "thinker": 15,
        "talker": 15,
        "evaluator": 1,
    }


def test_the_supporter_speaks_first_to_a_neutral_line(tmp_path: Path) -> None:
    server, _ = run(tmp_path, turns=1)
    first = next(b for b in server.bodies if role_of(b) == "supporter")
    assert [m["role"] for m in first["messages"]] == ["system", "user"]
    assert first["messages"][1]["content"] == "Hello."


def test_temperatures_are_the_papers(tmp_path: Path) -> None:
    server, _ = run(tmp_path, turns=1)
    found = {role_of(b): b.get("temperature") for b in server.bodies if role_of(b) != "probe"}
    assert found == {"supporter": 0.7, "thinker": 0.1, "talker": 0.7, "evaluator": 0.0}


def test_records_and_journal_read_as_tables(tmp_path: Path) -> None:
    _, folder = run(tmp_path, limit=3)
    table = pd.read_json(folder.records_file, lines=True)
    assert list(table.profile) == ["en-001", "en-002", "en-003"]
    assert set(table.format) == {"emoharbor-record-1"}
    calls = pd.read_json(folder.calls_file, lines=True)
    assert len(calls) == 3 * 7
    assert set(calls.node) == {"supporter", "thinker", "talker", "evaluator"}


def test_one_failed_dialogue_takes_no_other_down_and_is_no_number(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return "  \n" if role == "supporter" and nth in (3, 4) else None

    how = {"limit": 3, "plain": {"concurrency": 1}}
    _, folder = run(tmp_path, change, turns=1, **how)
    records = list(folder.records().values())
    failed = [r for r in records if r.failure]
    assert len(records) == 3 and len(failed) == 1
    assert failed[0].failure and failed[0].failure.error == "SupporterFailed"
    assert failed[0].failure.node == "supporter" and failed[0].verdict is None
    (summary,) = summarize(records)
    assert (summary.finished, summary.failed) == (2, 1)
    assert {mean.scored for mean in summary.dimensions.values()} == {2}


def test_a_failed_cell_is_done_again_from_its_open_node(tmp_path: Path) -> None:
    down = {"on": True}

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        if role == "talker" and down["on"] and nth == 2:
            return refusal(400, "This model's maximum context length is 4096 tokens.")
        return None

    async def go() -> tuple[RunFolder, list[dict[str, Any]]]:
        async with fake_openai(plays_all(change)) as server:
            suite = small_suite(server.url)
            folder = await run_suite(suite, tmp_path / "run")
            (record,) = folder.records().values()
            assert record.failure and record.failure.cause == "context_too_long"
            assert record.failure.node == "talker" and record.failure.turn == 2
            down["on"] = False
            before = len(server.bodies)
            return await run_suite(suite, tmp_path / "run"), server.bodies[before:]

    folder, again = asyncio.run(go())
    assert [role_of(b) for b in again if role_of(b) != "probe"] == ["talker", "evaluator"]
    (record,) = folder.records().values()
    assert record.verdict and not record.failure and len(record.h_s) == 4
    kinds = Counter(entry["kind"] for entry in lines_of(folder.calls_file))
    assert kinds == {"call": 7, "error": 1, "failure": 1}
    talker = [e for e in lines_of(folder.calls_file) if e["node"] == "talker"]
    assert [e.get("attempt") for e in talker] == [1, 1, None, 2]


def test_a_finished_run_asks_nobody_again(tmp_path: Path) -> None:
    async def go() -> tuple[int, bytes, bytes]:
        async with fake_openai(plays_all()) as server:
            suite = small_suite(server.url)
            folder = await run_suite(suite, tmp_path / "run")
            before = folder.records_file.read_bytes()
            server.bodies.clear()
            await run_suite(suite, tmp_path / "run")
            asked = [b for b in server.bodies if role_of(b) != "probe"]
            return len(asked), before, folder.records_file.read_bytes()

    asked, before, after = asyncio.run(go())
    assert asked == 0 and before == after


def test_a_lost_record_line_is_written_again_from_the_checkpoints(tmp_path: Path) -> None:
    async def go() -> None:
        async with fake_openai(plays_all()) as server:
            suite = small_suite(server.url)
            folder = await run_suite(suite, tmp_path / "run")
            (first,) = folder.records().values()
            folder.records_file.write_bytes(b'{"format": "emoharbor-rec')
            server.bodies.clear()
            await run_suite(suite, tmp_path / "run")
            (again,) = folder.records().values()
            assert not [b for b in server.bodies if role_of(b) != "probe"]
            for field in ("h_u", "verdict", "ending", "usage", "thread"):
                assert getattr(first, field) == getattr(again, field)

    asyncio.run(go())


@pytest.mark.parametrize(
    "answer, words",
    [
        (refusal(401, "Incorrect API key provided"), "auth"),
        (refusal(404, "The model does not exist"), "model_not_found"),
    ],
)
def test_what_does_not_answer_is_told_before_any_dialogue(
    tmp_path: Path, answer: Any, words: str
) -> None:
    with pytest.raises((ModelError, ConfigError)) as told:
        run(tmp_path, lambda role, body, nth: answer)
    lines = str(told.value).splitlines()
    assert len(lines) == 3 and all("127.0.0.1" in line for line in lines)
    assert not (tmp_path / "run").exists()


def test_a_dead_endpoint_is_one_line(tmp_path: Path) -> None:
    suite: Suite = small_suite("http://127.0.0.1:9/v1")
    with pytest.raises(ConfigError) as told:
        asyncio.run(run_suite(suite, tmp_path / "run"))
    assert "refused" in str(told.value)


def test_wild_text_stays_valid_json(tmp_path: Path) -> None:
    wild = "\ud800 שלום 👩‍👩‍👧 ４５６ \u2028 \x00 " + "long " * 6000

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return wild if role == "supporter" else None

    _, folder = run(tmp_path, change, turns=1)
    (record,) = folder.records().values()
    assert record.verdict and record.h_s[0].text.startswith("\ufffd שלום 👩‍👩‍👧")
    assert len(record.h_s[0].text) > 30_000
    for file in (folder.records_file, folder.calls_file):
        assert lines_of(file)


def test_no_key_is_ever_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-sentinel-0123456789abcdef")

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return refusal(400, "bad key sk-sentinel-0123456789abcdef") if role == "talker" else None

    server, folder = run(tmp_path, change)
    assert any("sentinel" in h.get("Authorization", "") for h in server.headers)
    files = [f for f in folder.path.rglob("*") if f.is_file()]
    assert len(files) >= 4
    assert not [f for f in files if b"sentinel" in f.read_bytes()]
