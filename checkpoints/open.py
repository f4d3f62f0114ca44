"""Opening the store of a run's checkpoints by its address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emoharbor.errors import ConfigError

# Each store's libraries are imported when it is opened: a file does without Redis.
if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

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
        from langgraph.checkpoint.memory import InMemorySaver

        from emoharbor.checkpoints.serde import state_serializer

        yield InMemorySaver(serde=state_serializer())
    elif address.startswith("sqlite:///"):
        from emoharbor.checkpoints.sqlite import SqliteSaver

        async with SqliteSaver.open(Path(address.removeprefix("sqlite:///"))) as saver:
            yield saver
    elif in_redis(address):
        from emoharbor.checkpoints.redis import RedisSaver

        async with RedisSaver.open(address, run, ttl=ttl) as kept:
            yield kept
    else:
        raise ConfigError(
            f"no store '{address}': redis://HOST:PORT/DB, sqlite:///PATH or memory: is wanted"
        )
