"""`delete`: a run goes for good, alone, and only when nobody runs it and somebody wants it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkpoints.test_deletion import everything
from tests.fake_openai import fake_openai
from tests.processes import emoharbor
from tests.runs.steady import Steady, run_args
from tests.runs.test_listing import echo, gone, refused, said


def asked(answer: str, *args: str, cwd: Path) -> tuple[int, str]:
    """A command with a terminal in front of it, at which `answer` is typed."""
    terminal, stdin = os.openpty()
    command = [sys.executable, "-m", "emoharbor.cli", *args]
    try:
        os.write(terminal, f"{answer}\n".encode())
        done = subprocess.run(
            command, cwd=cwd, stdin=stdin, capture_output=True, text=True, timeout=60
        )
    finally:
        os.close(terminal)
        os.close(stdin)
    return done.returncode, done.stdout + done.stderr


def test_a_folder_goes_when_somebody_says_so(tmp_path: Path) -> None:
    out = echo(tmp_path / "run")
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    told = asyncio.run(refused("delete", "run", cwd=tmp_path))
    assert "to delete run without being asked, add --yes" in told
    code, words = asked("n", "delete", "run", cwd=tmp_path)
    assert code == 1 and "Delete run with all its dialogues, for good? [y/N]" in words
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    code, words = asked("y", "delete", "run", cwd=tmp_path)
    assert code == 0 and "Deleted the run in run." in words
    assert not list(tmp_path.iterdir())


def test_what_emoharbor_did_not_write_is_left(tmp_path: Path) -> None:
    out = echo(tmp_path / "run")
    (out / "notes.txt").write_text("mine")
    (tmp_path / "link").symlink_to(echo(tmp_path / "linked"), target_is_directory=True)

    async def go() -> None:
        told = await said("delete", "run", "--yes", cwd=tmp_path)
        assert "The folder itself is left, with what else is in it." in told
        assert "is left" in await said("delete", "link", "--yes", cwd=tmp_path)
        assert [path.name for path in out.iterdir()] == ["notes.txt"]
        assert not list((tmp_path / "linked").iterdir())
        told = await refused("delete", "run", "--yes", cwd=tmp_path)
        assert "run holds no run: there is no run.yaml in it" in told
        (out / "records.jsonl").write_text("not a run's")
        assert "holds no run" in await refused("delete", "run", "--yes", cwd=tmp_path)
        assert len(list(out.iterdir())) == 2

    asyncio.run(go())


@pytest.mark.parametrize("where", ["folder", "redis"])
def test_a_run_that_is_held_is_not_deleted_and_names_its_owner(
    tmp_path: Path, where: str, redis_url: str, run: str
) -> None:
    more = ("--store", redis_url) if where == "redis" else ()
    nothing = everything(redis_url)

    async def go() -> None:
        steady = Steady(at=20, hold=asyncio.Event())
        async with fake_openai(steady) as server:
            args = run_args(server.url, tmp_path / run, *more, repeats=1)
            first = await emoharbor(*args)
            await steady.reached_by(first)
            for yes in ((), ("--yes",)):
                told = await refused("delete", run, *more, *yes, cwd=tmp_path)
                assert f"is being run by process {first.pid} on host" in told
            first.kill()
            await first.communicate()
            if more:
                gone(redis_url, run)
            told = await said("delete", run, *more, "--yes", cwd=tmp_path)
            assert "Deleted" in told and ("is left as it is" in told) == bool(more)
            assert everything(redis_url) == nothing
            assert (tmp_path / run).is_dir() == bool(more)

    asyncio.run(go())


def test_a_process_that_slept_while_its_run_was_deleted_says_so(
    tmp_path: Path, redis_url: str, run: str
) -> None:
    nothing = everything(redis_url)

    async def go() -> str:
        steady = Steady(at=20, hold=asyncio.Event())
        async with fake_openai(steady) as server:
            args = run_args(server.url, tmp_path / run, "--store", redis_url, repeats=1)
            late = await emoharbor(*args)
            await steady.reached_by(late)
            late.send_signal(signal.SIGSTOP)
            gone(redis_url, run)
            await said("delete", run, "--store", redis_url, "--yes", cwd=tmp_path)
            assert everything(redis_url) == nothing
            assert steady.hold
            steady.hold.set()
            late.send_signal(signal.SIGCONT)
            _, error = await late.communicate()
            assert late.returncode == 2, error
            return " ".join(error.decode().split())

    told = asyncio.run(go())
    assert f"run '{run}' has vanished from Redis" in told
    assert "Traceback" not in told
    assert everything(redis_url) == nothing
