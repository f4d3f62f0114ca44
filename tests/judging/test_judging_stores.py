"""A judging in Redis, beside others of other runs by the same judge."""

from __future__ import annotations

import asyncio
from pathlib import Path

from emoharbor.judging.wanted import Asked
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import open_run
from emoharbor.runs.store import name_of
from tests.checkpoints.conftest import redis_url, run
from tests.fake_openai import fake_openai
from tests.here import emoharbor
from tests.imports.foreign_dialogues import write_json
from tests.judging.judged import asked_of, judge
from tests.judging.test_imported_judging import CHATS
from tests.runs.worst import people
from tests.served import plays_all, small_suite

__all__ = ["redis_url", "run"]


def test_runs_by_the_same_judge_keep_apart_in_redis(
    tmp_path: Path, redis_url: str, run: str
) -> None:
    options = RunOptions(store=redis_url)

    async def go() -> list[Path]:
        async with fake_openai(plays_all()) as server:
            asked, folders = Asked(f"openai:other@{server.url}"), []
            for name in (f"{run}-a", f"{run}-b"):
                folder = tmp_path / name
                await run_suite(small_suite(server.url), folder, options=options)
                done = await judge(folder, asked, options=options, repeats=2)
                assert len(done.records) == 2 and done.records[0].judging
                assert done.records[0].judging.run == name
                folders.append(done.work.folder)
                before = len(asked_of(server, "evaluator"))
                again = await judge(folder, asked, options=options, repeats=2)
                assert again.records == done.records
                assert len(asked_of(server, "evaluator")) == before
            return folders

    first, second = asyncio.run(go())
    assert first.name == second.name and name_of(first) == f"{run}-a-judged-{first.name}"
    for folder in (first, second):
        shown = emoharbor("show", str(folder), "--store", redis_url)
        assert shown.returncode == 0 and "dialogues judged" in shown.stdout, shown.stderr
        assert len(open_run(folder).records()) == 2, "written out to the folder too"
        assert emoharbor("delete", str(folder), "--store", redis_url, "--yes").returncode == 0
        run_folder = str(folder.parent.parent)
        assert emoharbor("delete", run_folder, "--store", redis_url, "--yes").returncode == 0


def test_imported_dialogues_lie_in_a_folder_and_their_verdicts_in_redis(
    tmp_path: Path, redis_url: str, run: str
) -> None:
    async def go() -> tuple[Path | None, ...]:
        chats = write_json(tmp_path / "chats.json", CHATS)
        async with fake_openai(plays_all()) as server:
            spec, options = f"openai:other@{server.url}", RunOptions(store=redis_url)
            asked = Asked(spec, "internal_state_aware", thinker=spec)
            out, profiles = tmp_path / run, people(tmp_path, "en", 2)
            for _ in range(2):
                done = await judge(chats, asked, out=out, options=options, profiles=profiles)
                assert len(done.records) == 2 and done.work.states_folder
            assert len(asked_of(server, "thinker")) == 4
            assert len(asked_of(server, "evaluator")) == 2
            return done.work.folder, done.work.states_folder

    for folder in asyncio.run(go()):
        assert emoharbor("delete", str(folder), "--store", redis_url, "--yes").returncode == 0
