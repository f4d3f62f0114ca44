"""One run of a program that answers lines with lines, from its start to its end."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from emoharbor.errors import ConfigError, ModelCause, ModelError
from emoharbor.models.failures import Target
from emoharbor.models.words import Secrets

_LOG = logging.getLogger("emoharbor")
_LONGEST_LINE = 1 << 24
_BYTES_KEPT, _LINES_SHOWN, _PROMPTS_KEPT = 2000, 3, 32
# Seconds that a program has to end by itself after its stdin or stdout is closed.
_FAREWELL, _LATE_WORDS = 5.0, 1.0


async def start(words: Sequence[str], shown: str) -> Life:
    """Starts the program; raises ConfigError where there is none. Call in the loop that asks it."""
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=_LONGEST_LINE,
            # Python keeps what is printed to a pipe for itself until it has 8 KB of it.
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            # Ctrl-C lets calls in flight finish: it must not reach the program.
            start_new_session=True,
        )
    except OSError as error:
        raise ConfigError(f"process:{shown} cannot be started: {error}") from error
    return Life(process, shown)


class Life:
    """A running program and the requests that wait for its replies, told apart by their ids.

    `over` says why it ended, "" while it runs; `answers` counts the replies so far.
    """

    def __init__(self, process: Process, shown: str) -> None:
        self.over = ""
        self.answers = 0
        self._process = process
        self._shown = shown
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._asked: deque[str] = deque(maxlen=_PROMPTS_KEPT)
        self._stderr = b""
        self._overhearing = asyncio.create_task(self._overhear())
        self._hearing = asyncio.create_task(self._hear())

    async def ask(self, body: Mapping[str, Any], timeout: float) -> Mapping[str, Any]:
        """The reply to one request. A program that answers nobody for `timeout` s is stopped."""
        if self.over:
            raise self.failure()
        self._number += 1
        number, before = self._number, self.answers
        line = json.dumps({"id": number, **body})
        # A bot may log the line or the words in it.
        self._asked.append("\n".join([line, *(m["content"] for m in body["messages"])]))
        answer: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        try:
            async with asyncio.timeout(timeout):
                await self._write(line)
                return await answer
        except TimeoutError:
            pass
        finally:
            del self._waiting[number]
        hangs = self.answers == before and not self.over
        what = f"no reply within {timeout:g} seconds"
        if hangs:
            self.end(f"{what} to another request; it was stopped")
            what += "; it was stopped" if self.answers else "; does it flush what it prints?"
        raise self._error(what, "timeout")

    async def settles(self, seconds: float) -> bool:
        """Whether it still runs after so many seconds."""
        await asyncio.wait([self._hearing], timeout=seconds)
        return not self.over

    def failure(self) -> ModelError:
        """That it is over, and why."""
        return self._error(self.over, "unreachable")

    def end(self, why: str) -> None:
        """Ends the program at once; whoever waits is told `why`."""
        self.over = self.over or why
        if self._process.returncode is None:
            _kill(self._process)
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(self.failure())

    async def close(self) -> None:
        """Lets it end by itself at the end of its input, and ends it where it does not."""
        assert self._process.stdin
        self._process.stdin.close()
        if await self.settles(_FAREWELL):
            self.end("the run is over")
        await asyncio.wait([self._hearing, self._overhearing], timeout=_FAREWELL)
        self._hearing.cancel()
        self._overhearing.cancel()

    async def _write(self, line: str) -> None:
        assert self._process.stdin
        try:
            self._process.stdin.write(f"{line}\n".encode())
            await self._process.stdin.drain()
        except ConnectionError:
            # It has ended, or is about to: `_hear` finds out, with its exit code.
            return

    async def _hear(self) -> None:
        assert self._process.stdout
        try:
            async for line in self._process.stdout:
                if line.strip():
                    self._take(line)
        except ValueError:
            self.end(f"it wrote a line of more than {_LONGEST_LINE >> 20} MiB")
        try:
            async with asyncio.timeout(_FAREWELL):
                why = f"it ended {_how(await self._process.wait())}"
        except TimeoutError:
            why = "it closed its stdout; it was stopped"
        # What it said last may still be in the pipe, which a child of it may hold open.
        await asyncio.wait([self._overhearing], timeout=_LATE_WORDS)
        self.end(why + self._last_words())

    async def _overhear(self) -> None:
        assert self._process.stderr
        while more := await self._process.stderr.read(_BYTES_KEPT):
            self._stderr = (self._stderr + more)[-_BYTES_KEPT:]

    def _take(self, line: bytes) -> None:
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        number = reply.get("id") if isinstance(reply, Mapping) else None
        if type(number) is not int or not 0 < number <= self._number:
            return self._refuse(line)
        self.answers += 1
        # Nobody waits for the reply to a request that has timed out.
        answer = self._waiting.get(number)
        if answer and not answer.done():
            answer.set_result(reply)

    def _refuse(self, line: bytes) -> None:
        shown = self._secrets().shown(line[:_BYTES_KEPT].decode(errors="replace"))
        said = f', but "{shown}"' if shown else ""
        what = (
            f"it wrote no reply{said}; a reply is one line of JSON with the id of its request, "
            "all else belongs on stderr"
        )
        if not self._waiting:
            _LOG.warning("%s", self._error(what, "bad_reply"))
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(self._error(what, "bad_reply"))

    def _last_words(self) -> str:
        secrets = self._secrets()
        lines = reversed(self._stderr.decode(errors="replace").splitlines())
        shown = list(islice((w for line in lines if (w := secrets.shown(line))), _LINES_SHOWN))
        return f'; its last words: "{" / ".join(reversed(shown))}"' if shown else ""

    def _secrets(self) -> Secrets:
        return Secrets(prompt=" ".join("\n".join(self._asked).split()))

    def _error(self, what: str, cause: ModelCause) -> ModelError:
        return Target("bot", f"process:{self._shown}", Secrets()).error(what, cause)


def _how(code: int) -> str:
    if code >= 0:
        return f"with exit code {code}"
    names = {number.value: number.name for number in signal.Signals}
    return f"by {names.get(-code, f'signal {-code}')}"


def _kill(process: Process) -> None:
    """The program and what it has started, where the system knows groups of processes."""
    try:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except ProcessLookupError:
        return
