"""Looking at a run from outside, wherever it is kept: nothing is taken, nothing is changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from emoharbor.checkpoints.lease import FolderLock, RedisLease
from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.errors import ConfigError
from emoharbor.runs.folder import Records, open_run, stored_records
from emoharbor.runs.lines import FileReading, KeptLines, RedisLines
from emoharbor.runs.store import CHECKPOINTS, LOCK, FilePlan, RedisPlan, checked, name_of

# Looking at a run's records does without LangGraph.
if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver


@dataclass(frozen=True)
class RunReader:
    """What a run has kept so far, while it may go on.

    `where` names it in a sentence. `plan` is the text of run.yaml, None where there is none yet;
    `owner` says who runs it, None if nobody does; `checkpoints` opens its saver. All raise
    CheckpointError when what is kept cannot be read.
    """

    name: str
    place: Literal["folder", "Redis"]
    where: str
    plan: Callable[[], Awaitable[str | None]]
    owner: Callable[[], Awaitable[str | None]]
    record_lines: KeptLines
    call_lines: KeptLines
    checkpoints: Callable[[], AbstractAsyncContextManager[BaseCheckpointSaver[Any]]]

    async def records(self) -> Records:
        """The newest record of every cell."""
        return await stored_records(self.record_lines.all())


@asynccontextmanager
async def open_reader(folder: Path, store: str | None = None) -> AsyncIterator[RunReader]:
    """The run in `folder`, or the one that the Redis at `store` keeps under the folder's name.

    Raises ConfigError where there is none, or for an address that is none.
    """
    if store is None:
        yield in_folder(folder)
    else:
        async with in_redis(checked(store), name_of(folder)) as reader:
            yield reader


def in_folder(path: Path) -> RunReader:
    """The run in a folder. Raises ConfigError where there is no run.yaml."""
    folder = open_run(path)

    async def plan() -> str | None:
        return await FilePlan(open_run(path).plan_file).read()

    async def owner() -> str | None:
        return FolderLock(path / LOCK).holder()

    def checkpoints() -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
        file = path / CHECKPOINTS
        if not file.is_file():
            raise ConfigError(f"{path} has no checkpoints: {CHECKPOINTS} is missing")
        return open_checkpointer(f"sqlite:///{file}")

    records, calls = FileReading(folder.records_file), FileReading(folder.calls_file)
    return RunReader(name_of(path), "folder", str(path), plan, owner, records, calls, checkpoints)


@asynccontextmanager
async def in_redis(url: str, name: str) -> AsyncIterator[RunReader]:
    """A run in Redis by its name there. Raises ConfigError where there is none."""
    from emoharbor.checkpoints.redis_store import RedisStore

    def checkpoints() -> AbstractAsyncContextManager[BaseCheckpointSaver[Any]]:
        from emoharbor.checkpoints.redis import RedisSaver

        return RedisSaver(store).closing()

    async with RedisStore.open(url, name, begin=False) as store:
        yield RunReader(
            name,
            "Redis",
            f"run '{name}' at {store.where}",
            RedisPlan(store).read,
            RedisLease(store).holder,
            RedisLines(store, "records"),
            RedisLines(store, "calls"),
            checkpoints,
        )
