"""Append-only lists of JSON objects: a run's records and its journal, in a file or in Redis."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

import pydantic_core

from emoharbor.checkpoints.redis_store import RedisStore
from emoharbor.errors import CheckpointError
from emoharbor.runs.jsonl import Appender, one_line, read_at, read_lines

CHUNK = 1000


class Lines(Protocol):
    """What is appended stays, in order. A position finds a line again."""

    async def append(self, value: dict[str, Any]) -> int:
        """Keeps `value`; returns its position once this process cannot lose it any more."""
        ...

    async def at(self, position: int) -> dict[str, Any]:
        """The line at a position that `append` or `all` gave."""
        ...

    def all(self) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Every line with its position, the oldest first."""
        ...


class FileLines:
    """Lines of a JSONL file; a position is a byte."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = Appender(path)

    async def append(self, value: dict[str, Any]) -> int:
        """Written at once, on the disk within 100 ms. Raises CheckpointError, keeping nothing."""
        return self._file.append(value)

    async def at(self, position: int) -> dict[str, Any]:
        """One read of the file."""
        return read_at(self.path, position)

    async def all(self) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Raises CheckpointError for a broken line."""
        for found in read_lines(self.path):
            yield found

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

    async def all(self) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Read in chunks of a thousand."""
        start = 0
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
