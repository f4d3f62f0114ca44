"""Opening the store of a run's checkpoints by its address."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from emoharbor.checkpoints.redis import RedisSaver
from emoharbor.checkpoints.serde import state_serializer
from emoharbor.errors import CheckpointError, ConfigError

REDIS = ("redis://", "rediss://", "unix://")


def in_redis(address: str) -> bool:
    """True for the address of a Redis or Valkey server."""
    return address.startswith(REDIS)


@asynccontextmanager
async def open_checkpointer(
    address: str, run: str = "", *, ttl: float | None = None
) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The checkpointer at `redis://host:port/db`, `sqlite:///path` or `memory:`, closed at the end.

    One Redis server holds many runs: `run` says which, and with `ttl` a dialogue's checkpoints
    vanish that many seconds after the last of them. Raises ConfigError for another address and
    CheckpointError when the file or the server cannot be used.
    """
    if address == "memory:":
        yield InMemorySaver(serde=state_serializer())
    elif address.startswith("sqlite:///"):
        async with _sqlite(Path(address.removeprefix("sqlite:///"))) as saver:
            yield saver
    elif in_redis(address):
        async with RedisSaver.open(address, run, ttl=ttl) as kept:
            yield kept
    else:
        raise ConfigError(
            f"no store '{address}': redis://HOST:PORT/DB, sqlite:///PATH or memory: is wanted"
        )


@asynccontextmanager
async def _sqlite(path: Path) -> AsyncIterator[AsyncSqliteSaver]:
    async with AsyncExitStack() as opened:
        try:
            # aiosqlite's thread outlives the loop in which it could not connect: try without it.
            sqlite3.connect(path).close()
            connection = await opened.enter_async_context(aiosqlite.connect(path))
            saver = AsyncSqliteSaver(connection, serde=state_serializer())
            await saver.setup()
        except sqlite3.Error as error:
            raise CheckpointError(f"checkpoint file {path}: {error}") from error
        yield saver
