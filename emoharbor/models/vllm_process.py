"""A vLLM server of our own: from its start, through its loading, to its end."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import PIPE, STDOUT, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from emoharbor.errors import ConfigError
from emoharbor.models import vllm_keeper
from emoharbor.models.spec import server_arguments
from emoharbor.models.stopping import Stopping
from emoharbor.models.words import Secrets

# vLLM pins its own torch, so it often lives in an environment of its own.
PYTHON_VARIABLE = "EMOHARBOR_VLLM_PYTHON"
_MODULE = "vllm.entrypoints.openai.api_server"
_HOST = "127.0.0.1"
_MISSING = "No module named 'vllm'"
_POLL, _LOOK, _LATE = 0.5, 5.0, 5.0
_BYTES_READ, _LINES_SHOWN = 65536, 3
# The engine's error stands in the midst of the log, above what the API server says about it.
_TELLING = re.compile(r"(?:\b[\w.]*(?:Error|Exception|Interrupt)|(?:\bValue )?\berror)[:,] \S.*")
_HARMLESS = re.compile(r"\b(?:DEBUG|INFO|WARNING)\b")


@dataclass
class ServerProcess:
    """A server of `model` on a free port of this machine, with a key of its own.

    `shown` names it in messages; `log` is the file that has all it prints.
    """

    shown: str
    model: str
    serve: str | None
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    root: str = ""
    log: Path = Path()
    _process: Process | None = None

    async def start(self) -> str:
        """Starts it and returns its command. Raises ConfigError where its Python is not there."""
        python = os.environ.get(PYTHON_VARIABLE) or sys.executable
        if not (found := shutil.which(python)):
            raise ConfigError(f"{PYTHON_VARIABLE} names {python}, which is no program")
        port = _free_port()
        self.root = f"http://{_HOST}:{port}"
        command = [found, "-m", _MODULE, "--model", self.model, "--host", _HOST]
        command += ["--port", str(port), "--enable-prompt-tokens-details"]
        command += server_arguments(self.serve or "")
        keeper = [sys.executable, "-I", "-S", vllm_keeper.__file__]
        number, name = tempfile.mkstemp(prefix="emoharbor-vllm-", suffix=".log")
        self.log = Path(name)
        with open(number, "wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *keeper,
                *command,
                stdin=PIPE,
                stdout=log,
                stderr=STDOUT,
                env=_environment(self.key),
                # Ctrl-C lets calls in flight finish: it must not reach the server.
                start_new_session=True,
            )
        return shlex.join(command)

    async def ready(self, stopping: Stopping) -> None:
        """Waits until it answers, however long that takes.

        Raises:
            ConfigError: it ended before.
            Stopped: the run is stopping.
        """
        while not await _is_healthy(f"{self.root}/health"):
            if over := self.over():
                raise ConfigError(over)
            await stopping.sleep(_POLL)

    def over(self) -> str:
        """Why it has ended, "" while it runs."""
        code = self._process.returncode if self._process else None
        if code is None:
            return ""
        told = _tail(self.log)
        if _MISSING in told:
            return (
                f"{self.shown}: vLLM is not installed; run: pip install 'emoharbor[vllm]', name "
                f"another Python in {PYTHON_VARIABLE}, or a running server: {self.shown}@http://…"
            )
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        said = f'; it said: "{words}"' if (words := last_words(told)) else ""
        return f"{self.shown}: the vLLM server ended {how}{said}; its log: {self.log}"

    async def close(self) -> None:
        """Ends it and all that it has started: in order where it listens, by force where not."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin
        try:
            # Its keeper does the rest, as it would if we were killed.
            process.stdin.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(vllm_keeper.FAREWELL + _LATE):
                    while vllm_keeper.lives(process.pid):
                        await asyncio.sleep(_POLL / 10)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def last_words(log: str) -> str:
    """The lines of a log that tell what went wrong, or its last ones, as one line."""
    lines = [line for line in log.splitlines() if not _HARMLESS.search(line)]
    telling = [found[0] for line in lines if (found := _TELLING.search(line))]
    # The same error is told by each process that it passes.
    shown = list(dict.fromkeys(filter(None, map(Secrets().shown, telling or lines))))
    return " / ".join(shown[-_LINES_SHOWN:])


def _environment(key: str) -> Mapping[str, str]:
    # By the environment: others on this machine can read a command. Its CORS is open, so any web
    # page could talk to a server without a key.
    given = {"VLLM_NO_USAGE_STATS": "1", **os.environ}
    return {**given, "VLLM_API_KEY": key, "PYTHONUNBUFFERED": "1"}


async def _is_healthy(url: str) -> bool:
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=_LOOK)) as session,
            session.get(url) as answer,
        ):
            return answer.status == 200
    except (aiohttp.ClientError, OSError):
        return False


def _free_port() -> int:
    with socket.socket() as free:
        free.bind((_HOST, 0))
        port: int = free.getsockname()[1]
        return port


def _tail(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _BYTES_READ))
        return file.read().decode(errors="replace")
