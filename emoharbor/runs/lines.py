"""Append-only lists of JSON objects: a run's records and its journal, in a file or in Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pydantic_core

from emoharbor.errors import CheckpointError
from emoharbor.runs.jsonl import Appender, one_line, read_at, read_lines

# A file's lines do without Redis.
if TYPE_CHECKING:
    from emoharbor.checkpoints.redis_store import RedisStore

CHUNK = 1000


class KeptLines(Protocol):
    """Lines that one may only read. A position finds a line again."""

    async def at(self, position: int) -> dict[str, Any]:
        """The line at a position that `append` or `all` gave."""
        ...

    def all(self, after: int | None = None) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Every line with its position, the oldest first; those after a position if one is given.

        Raises CheckpointError for a broken line, and when the store cannot be reached.
        """
        ...


class Lines(KeptLines, Protocol):
    """What is appended stays, in order."""

    async def append(self, value: dict[str, Any]) -> int:
        """Keeps `value`; returns its position once this process cannot lose it any more."""
        ...


@dataclass(frozen=True)
class FileReading:
    """Lines of a JSONL file, which another process may be writing; a position is a byte."""

    path: Path

    async def at(self, position: int) -> dict[str, Any]:
        """One read of the file."""
        return read_at(self.path, position)

    async def all(self, after: int | None = None) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """A last line that is not whole yet is left out."""
        for found in read_lines(self.path, after):
            yield found


class FileLines:
    """Lines of a JSONL file that this process appends to; a position is a byte."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = Appender(path)

    async def append(self, value: dict[str, Any]) -> int:
        """Written at once, on the disk within 100 ms. Raises CheckpointError, keeping nothing."""
        return self._file.append(value)

    async def at(self, position: int) -> dict[str, Any]:
        """One read of the file."""
        return read_at(self.path, position)

    def all(self, after: int | None = None) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """What is in the file now."""
        return FileReading(self.path).all(after)

    def close(self) -> None:
        """Puts everything on the disk."""
        self._file.close()


class RedisLines:
    """Lines of a Redis list; a position is an index. One process appends: the lease's holder."""

    def __init__(self, store: RedisStore, name: str) -> None:
        self._store = store
        self._key = store.key(name)
        self._length: int | None = None
        self._reading = asyncio.Lock()

    async def append(self, value: dict[str, Any]) -> int:
        """In the server when it returns. Raises CheckpointError."""
        position = await self._next()
        try:
            await self._store.commit([("RPUSH", self._key, pydantic_core.to_json(value))])
        except CheckpointError:
            self._length = None
            raise
        return position

    async def _next(self) -> int:
        async with self._reading:
            if self._length is None:
                self._length = int(await self._store.read("LLEN", self._key))
            self._length += 1
            return self._length - 1

    async def at(self, position: int) -> dict[str, Any]:
        """One read of the server."""
        line = await self._store.read("LINDEX", self._key, position)
        if line is None:
            raise CheckpointError(f"{self._key} in Redis has no line {position}")
        value: dict[str, Any] = pydantic_core.from_json(line)
        return value

    async def all(self, after: int | None = None) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Read in chunks of a thousand."""
        start = 0 if after is None else after + 1
        while lines := await self._store.read("LRANGE", self._key, start, start + CHUNK - 1):
            for position, line in enumerate(lines, start=start):
                yield position, pydantic_core.from_json(line)
            start += len(lines)

    async def export(self, path: Path) -> None:
        """Writes all lines to a file, which is replaced as a whole."""
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            async for _, value in self.all():
                file.write(one_line(pydantic_core.to_json(value)))
        part.replace(path)
