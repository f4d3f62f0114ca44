"""The command line in a process of its own, forked from one that has imported everything already.

What is tested is the same as with a fresh interpreter (signals, exit codes, a kill), without the
seconds that the imports and the reading of prompts take each time.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WIDTH = "200"
# Readline, which pytest loads, sets it behind Python's back, and a console would keep it.
os.unsetenv("COLUMNS")
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        __name__,
        "emoharbor.cli",
        "emoharbor.verbs.doing",
        "emoharbor.checkpoints.redis",
        "emoharbor.checkpoints.sqlite",
        "tests.checkpoints.test_kill",
        "emoharbor.audit.with_model",
        "emoharbor.reports.vary",
        "scipy.stats",
        "tests.prompts_read",
    ]
)


@dataclass(frozen=True)
class Forked:
    """A running process and what it prints; used as one of `asyncio.subprocess`."""

    process: BaseProcess
    stdout: asyncio.StreamReader
    stderr: asyncio.StreamReader

    @property
    def pid(self) -> int:
        assert self.process.pid
        return self.process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, or minus the signal that ended it; None while it runs."""
        return self.process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.process.kill()

    async def communicate(self) -> tuple[bytes, bytes]:
        """All that it prints until it ends."""
        printed = await asyncio.gather(self.stdout.read(), self.stderr.read())
        await asyncio.to_thread(self.process.join)
        return printed[0], printed[1]


async def forked(call: Callable[..., Any], *args: Any, cwd: Path = ROOT, **env: str) -> Forked:
    """`call(*args)` in a process of its own; `call` and `args` must be picklable."""
    out, out_there = FORKS.Pipe(duplex=False)
    error, error_there = FORKS.Pipe(duplex=False)
    given = (out_there, error_there, cwd, {**os.environ, "COLUMNS": WIDTH, **env}, call, args)
    process = FORKS.Process(target=_called, args=given)
    process.start()
    out_there.close()
    error_there.close()
    return Forked(process, await _reader(out), await _reader(error))


def run_forked(
    call: Callable[..., Any], *args: Any, cwd: Path = ROOT, **env: str
) -> subprocess.CompletedProcess[bytes]:
    """What came of `call(*args)` in a process of its own, when it has ended."""

    async def whole() -> subprocess.CompletedProcess[bytes]:
        process = await forked(call, *args, cwd=cwd, **env)
        out, error = await process.communicate()
        assert process.returncode is not None
        return subprocess.CompletedProcess(args, process.returncode, out, error)

    return asyncio.run(whole())


async def emoharbor(*args: str, cwd: Path = ROOT, **env: str) -> Forked:
    """`emoharbor ARGS`."""
    return await forked(command_line, *args, cwd=cwd, **env)


async def _reader(pipe: Connection) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    return reader


def _called(
    out: Connection,
    error: Connection,
    cwd: Path,
    env: dict[str, str],
    call: Callable[..., Any],
    args: tuple[Any, ...],
) -> None:
    os.dup2(out.fileno(), 1)
    os.dup2(error.fileno(), 2)
    out.close()
    error.close()
    # To collect what was imported would copy all its memory.
    gc.freeze()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    # As in an interpreter that was started in a terminal; one behind a shell's & ignores Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    encoding = env.get("PYTHONIOENCODING", "utf-8")
    sys.stdout = open(1, "w", encoding=encoding, closefd=False)
    sys.stderr = open(2, "w", 1, encoding, "backslashreplace", closefd=False)
    call(*args)


def command_line(*args: str) -> None:
    """`emoharbor ARGS`, in this process."""
    from emoharbor.cli import main

    sys.argv = ["emoharbor", *args]
    main()
