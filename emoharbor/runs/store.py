"""Where a run is kept: in its folder, or in Redis, where any machine can go on with it."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from emoharbor.checkpoints.lease import FolderLock, RedisLease
from emoharbor.checkpoints.open import in_redis, open_checkpointer
from emoharbor.errors import CheckpointError, ConfigError
from emoharbor.runs.lines import FileLines, Lines, RedisLines

# A run in a folder does without Redis, and looking at one without LangGraph too.
if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

    from emoharbor.checkpoints.redis_store import RedisStore

LOCK = "lock"
CHECKPOINTS = "checkpoints.sqlite"
# The folders in a run's own that hold the runs made of it: by later judges, and of inner states.
JUDGED, STATES = "judged", "inner-states"
# What a run keeps in Redis beside its checkpoints.
KEYS = ("plan", "records", "calls")


class PlanText(Protocol):
    """The run's plan as YAML text, kept beside its records."""

    async def read(self) -> str | None:
        """The text, or None where the run is new."""
        ...

    async def write(self, text: str) -> None:
        """Puts the text in place of the one before."""
        ...


@dataclass(frozen=True)
class RunStore:
    """Everything that a run keeps. Held by one process at a time."""

    plan: PlanText
    records: Lines
    calls: Lines
    saver: BaseCheckpointSaver[Any]


@asynccontextmanager
async def open_store(address: str | None, folder: Path) -> AsyncIterator[RunStore]:
    """The store of the run in `folder`: the folder itself, or `redis://…` under the folder's name.

    Raises CheckpointError that names the owner when another process holds the run, and
    ConfigError for an address that is none. A run in Redis is written out to the folder at the end.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror}") from error
    if address is None:
        async with _in_folder(folder) as store:
            yield store
    else:
        async with _in_redis(checked(address), folder) as store:
            yield store


def name_of(folder: Path) -> str:
    """What a run is called in Redis; one made of another is called after that one too."""
    path = folder.resolve()
    kind = path.parent.name
    return (
        f"{path.parent.parent.name}-{kind}-{path.name}" if kind in (JUDGED, STATES) else path.name
    )


def checked(address: str) -> str:
    """The address, which must be one of a Redis server. Raises ConfigError."""
    if not in_redis(address):
        raise ConfigError(f"no store '{address}': redis://HOST:PORT/DB is wanted, or none at all")
    return address


@asynccontextmanager
async def _in_folder(folder: Path) -> AsyncIterator[RunStore]:
    with FolderLock(folder / LOCK).held():
        records, calls = FileLines(folder / "records.jsonl"), FileLines(folder / "calls.jsonl")
        try:
            async with open_checkpointer(f"sqlite:///{folder / CHECKPOINTS}") as saver:
                yield RunStore(FilePlan(folder / "run.yaml"), records, calls, saver)
        finally:
            records.close()
            calls.close()


@asynccontextmanager
async def _in_redis(address: str, folder: Path) -> AsyncIterator[RunStore]:
    from emoharbor.checkpoints.redis import RedisSaver
    from emoharbor.checkpoints.redis_store import RedisStore

    async with RedisStore.open(address, name_of(folder)) as store:
        async with RedisLease(store).held():
            records, calls = RedisLines(store, "records"), RedisLines(store, "calls")
            plan = RedisPlan(store)
            try:
                async with RedisSaver(store).closing() as saver:
                    yield RunStore(plan, records, calls, saver)
            finally:
                folder.mkdir(parents=True, exist_ok=True)
                await records.export(folder / "records.jsonl")
                await calls.export(folder / "calls.jsonl")
                if text := await plan.read():
                    await FilePlan(folder / "run.yaml").write(text)


class FilePlan:
    """run.yaml."""

    def __init__(self, path: Path) -> None:
        self.path = path

    async def read(self) -> str | None:
        """Raises CheckpointError when the file is there and cannot be read."""
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise CheckpointError(f"cannot read {self.path}: {error}") from error

    async def write(self, text: str) -> None:
        """The file is replaced as a whole. Raises CheckpointError."""
        part = self.path.with_suffix(".part")
        try:
            part.write_text(text, encoding="utf-8")
            os.replace(part, self.path)
        except OSError as error:
            raise CheckpointError(f"cannot write {self.path}: {error.strerror}") from error


class RedisPlan:
    """The plan under a key of the run's."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store
        self._key = store.key("plan")

    async def read(self) -> str | None:
        """Raises CheckpointError when the server cannot be reached."""
        text = await self._store.read("GET", self._key)
        return None if text is None else str(text.decode())

    async def write(self, text: str) -> None:
        """One atomic commit."""
        await self._store.commit([("SET", self._key, text)])
