"""Ctrl-C in the middle of a run: what was finished is kept, and the same command goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emoharbor.runs.folder import open_run
from tests.fake_openai import Answer, fake_openai
from tests.served import lines_of, plays_all, role_of

ROOT = Path(__file__).parent.parent.parent


async def start(url: str, out: Path) -> Process:
    args = ["run", "emoharbor", "--supporter", f"bot=openai:b@{url}", "--model", f"openai:m@{url}"]
    args += ["--turns", "4", "--limit", "4", "--out", str(out)]
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "emoharbor.cli", *args, cwd=ROOT, stdout=PIPE, stderr=PIPE,
        env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip


def test_ctrl_c_saves_and_the_same_command_goes_on(tmp_path: Path) -> None:
    answered = 0
    hold = asyncio.Event()
    reached = asyncio.Event()
    play = plays_all()

    async def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        nonlocal answered
        answered += role_of(body) != "probe"
        if answered >= 20 and not hold.is_set():
            reached.set()
            await hold.wait()
        return play(body, headers)

    async def go() -> tuple[bytes, bytes, int | None, int | None]:
        async with fake_openai(handler) as server:
            first = await start(server.url, tmp_path / "run")
            await reached.wait()
            first.send_signal(signal.SIGINT)
            out, error = await first.communicate()
            hold.set()
            second = await start(server.url, tmp_path / "run")
            await second.communicate()
            return out, error, first.returncode, second.returncode

    out, error, stopped, went_on = asyncio.run(go())
    assert stopped == 130 and b"The same command goes on" in out
    assert b"Traceback" not in out + error
    assert went_on == 0
    records = open_run(tmp_path / "run").records().values()
    assert len(records) == 4 and all(r.verdict and len(r.h_s) == 8 for r in records)
    calls = [e for e in lines_of(tmp_path / "run" / "calls.jsonl") if e["kind"] == "call"]
    keys = [(e["thread"], e["step"], e["node"], e["ordinal"], e["attempt"]) for e in calls]
    assert len(keys) == len(set(keys)) == 4 * 13
