"""A stand-in for vLLM where `python -m vllm.…` finds it, and what was started of it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from emoharbor.models.config import ModelConfig
from emoharbor.models.pool import ModelPool
from tests.models.small_bot import lives, user

T = TypeVar("T")
STAND_IN = Path(__file__).with_name("stand_in_vllm.py")


def install(folder: Path) -> Path:
    """Puts the stand-in into `folder`, for PYTHONPATH; returns the folder of its module."""
    module = folder / "vllm" / "entrypoints" / "openai"
    module.mkdir(parents=True)
    for package in (module, *module.parents[:2]):
        (package / "__init__.py").touch()
    shutil.copy(STAND_IN, module / "api_server.py")
    return module


def starts(module: Path) -> list[Any]:
    file = module / "starts"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def first_start(module: Path) -> Any:
    """Waits for it; the pids of server and engine, and the server's words."""
    until = time.monotonic() + 30
    while not starts(module):
        assert time.monotonic() < until, "no server was started"
        time.sleep(0.02)
    return starts(module)[0]


def with_pool(use: Callable[[ModelPool], Awaitable[T]]) -> T:
    async def run() -> T:
        async with ModelPool() as pool:
            return await use(pool)

    return asyncio.run(run())


def ask(text: str, spec: str, **config: Any) -> str:
    async def use(pool: ModelPool) -> str:
        return (await pool.model(ModelConfig(spec=spec, **config)).complete(user(text))).text

    return with_pool(use)


def gone(*pids: int) -> bool:
    """Whether they all end, within a time that no healthy machine needs."""
    until = time.monotonic() + 20
    while any(lives(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(folder: Path, *flags: str, port: int, **env: str) -> Iterator[str]:
    """A server that somebody else has started in `folder`; its base URL."""
    script = install(folder / "theirs") / "api_server.py"
    words = [sys.executable, "-S", str(script), "--host", "127.0.0.1", "--port", str(port)]
    given = {**os.environ, **env}
    server = subprocess.Popen([*words, *flags], env=given, start_new_session=True)
    try:
        root = f"http://127.0.0.1:{port}"
        for _ in range(400):
            try:
                urllib.request.urlopen(f"{root}/health").close()
                break
            except OSError:
                time.sleep(0.02)
        yield f"{root}/v1"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
