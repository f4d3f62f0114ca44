"""Append-only JSON lines that survive a kill: a torn last line is no loss."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pydantic_core

from emoharbor.errors import CheckpointError

SYNC_AFTER = 0.1


class Appender:
    """Appends lines to a file. A line is with the system at once and on the disk within 100 ms."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            mend(path)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise CheckpointError(f"cannot write {path}: {error.strerror}") from error
        self._pending: asyncio.TimerHandle | None = None
        self._syncing: Future[None] | None = None
        # A disk may take its time, and the event loop must not wait for it.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sync")

    def append(self, value: dict[str, Any]) -> int:
        """Writes one line; returns the byte at which it starts. Raises CheckpointError."""
        self._raise_failed_sync()
        data = one_line(pydantic_core.to_json(value))
        start = self._file.seek(0, os.SEEK_END)
        try:
            written = self._file.write(data)
        except OSError as error:
            self._file.truncate(start)
            raise CheckpointError(f"cannot write {self.path}: {error.strerror}") from error
        if written != len(data):
            self._file.truncate(start)
            raise CheckpointError(f"cannot write {self.path}: the disk is full")
        if self._pending is None:
            self._pending = asyncio.get_running_loop().call_later(SYNC_AFTER, self._sync)
        return start

    def _sync(self) -> None:
        self._pending = None
        self._syncing = self._thread.submit(os.fsync, self._file.fileno())

    def _raise_failed_sync(self) -> None:
        if self._syncing is None or not self._syncing.done():
            return
        done, self._syncing = self._syncing, None
        if error := done.exception():
            raise CheckpointError(f"{self.path} did not reach the disk: {error}") from error

    def close(self) -> None:
        """Puts everything on the disk and lets go of the file. Raises CheckpointError."""
        if self._pending is not None:
            self._pending.cancel()
        self._thread.shutdown()
        try:
            self._raise_failed_sync()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()


def one_line(data: bytes) -> bytes:
    """JSON as one line for every reader, for those too that split at Unicode's line ends."""
    for char in ("\u0085", "\u2028", "\u2029"):
        data = data.replace(char.encode(), f"\\u{ord(char):04x}".encode())
    return data + b"\n"


def mend(path: Path) -> None:
    """Takes away a last line that was cut off while it was written; it was never acknowledged."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        start = 0
        last = b""
        for line in file:
            start, last = start + len(last), line
        if last and not last.endswith(b"\n"):
            whole = _parsed(path, start, last) is not None
            file.seek(0, os.SEEK_END)
            file.write(b"\n") if whole else file.truncate(start)


def read_lines(path: Path, after: int | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each whole line with the byte at which it starts. A torn last line is left out.

    `after` is where a line starts that is passed over with all before it. Raises CheckpointError
    for any other line that is not a JSON object.
    """
    if not path.exists():
        return
    with path.open("rb") as file:
        start = file.seek(after or 0)
        if after is not None:
            start += len(file.readline())
        for line in file:
            if line.strip():
                value = _parsed(path, start, line)
                if value is not None:
                    yield start, value
            start += len(line)


def read_at(path: Path, start: int) -> dict[str, Any]:
    """The line that starts at byte `start`."""
    with path.open("rb") as file:
        file.seek(start)
        value: dict[str, Any] = pydantic_core.from_json(file.readline())
        return value


def _parsed(path: Path, start: int, line: bytes) -> dict[str, Any] | None:
    try:
        value = pydantic_core.from_json(line)
    except ValueError as error:
        if not line.endswith(b"\n"):
            return None
        raise CheckpointError(f"{_place(path, start)}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise CheckpointError(f"{_place(path, start)}: an object is wanted")
    return value


def _place(path: Path, start: int) -> str:
    with path.open("rb") as file:
        before = file.read(start).count(b"\n")
    return f"{path}, line {before + 1}"
