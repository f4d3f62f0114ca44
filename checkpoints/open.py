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

from emoharbor.checkpoints.serde import state_serializer
from emoharbor.errors import CheckpointError, ConfigError


@asynccontextmanager
async def open_checkpointer(address: str) -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """The checkpointer at `sqlite:///path` or `memory:`, closed at the end.

    Raises ConfigError for another address and CheckpointError when the file cannot be used.
    """
    if address == "memory:":
        yield InMemorySaver(serde=state_serializer())
    elif address.startswith("sqlite:///"):
        async with _sqlite(Path(address.removeprefix("sqlite:///"))) as saver:
            yield saver
    else:
        raise ConfigError(f"no store '{address}': sqlite:///PATH or memory: is wanted")


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
