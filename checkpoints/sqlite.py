"""Threads in one SQLite file, the run folder's store: many dialogues' changes, one transaction."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

from langgraph.checkpoint.serde.base import SerializerProtocol

from emoharbor.checkpoints.saver import ThreadSaver
from emoharbor.checkpoints.storage import FORMAT, Change, Found, Place
from emoharbor.errors import CheckpointError

# Write-ahead log, synced at its checkpoints: a kill loses nothing, a power cut at most the last
# changes, whose calls the journal still has.
SETUP = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA busy_timeout = 10000;
"""
# With a row id: values of a kilobyte in the index itself would cost a third more.
TABLE = "CREATE TABLE fields (thread TEXT, field TEXT, value BLOB, UNIQUE (thread, field))"
PUT = "INSERT OR REPLACE INTO fields VALUES (?, ?, ?)"
FIRST = "INSERT OR IGNORE INTO fields VALUES (?, ?, ?)"
DROP = "DELETE FROM fields WHERE thread = ? AND field = ?"
CLEAR = "DELETE FROM fields WHERE thread = ?"
GET = "SELECT value FROM fields WHERE thread = ? AND field = ?"
WRITES = "SELECT field, value FROM fields WHERE thread = ? AND field >= ? AND field < ?"
WHOLE = "SELECT field, value FROM fields WHERE thread = ?"
NAMES = "SELECT DISTINCT thread FROM fields ORDER BY thread"

Work = Callable[[sqlite3.Connection], Any]


class SqliteThreads:
    """A Storage in one file, on a thread of its own; made by `SqliteThreads.open`."""

    def __init__(self, path: Path, connection: sqlite3.Connection, worker: ThreadPoolExecutor):
        self._path = path
        self.connection = connection
        self._worker = worker
        self._queue: list[tuple[Work, asyncio.Future[Any]]] = []
        self._trip: asyncio.Task[None] | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncIterator[Self]:
        """The threads in the file at `path`, which is made if need be.

        Raises CheckpointError when it cannot be used or is of an unknown format.
        """
        connection = _connect(path)
        worker = ThreadPoolExecutor(1, "checkpoints")
        threads = cls(path, connection, worker)
        try:
            yield threads
        finally:
            if threads._trip is not None:
                await threads._trip
            worker.shutdown()
            connection.close()

    async def change(self, thread: str, change: Change) -> None:
        """Applies a change; those of one tick are one transaction."""
        await self._send(lambda connection: _apply(connection, thread, change))

    async def find(self, thread: str, place: Place) -> Found | None:
        """One checkpoint, or the newest of its namespace."""
        found: Found | None = await self._send(lambda connection: _find(connection, thread, place))
        return found

    async def fields(self, thread: str) -> dict[str, bytes]:
        """All of a thread."""
        return dict(await self._send(lambda c: c.execute(WHOLE, (thread,)).fetchall()))

    async def names(self) -> list[str]:
        """The threads that are there."""
        return [name for (name,) in await self._send(lambda c: c.execute(NAMES).fetchall())]

    def _send(self, work: Work) -> asyncio.Future[Any]:
        answer = asyncio.get_running_loop().create_future()
        self._queue.append((work, answer))
        if self._trip is None:
            self._trip = asyncio.create_task(self._run())
        return answer

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._queue:
                batch, self._queue = self._queue, []
                works = [work for work, _ in batch]
                results = await loop.run_in_executor(self._worker, self._transact, works)
                for (_, answer), result in zip(batch, results, strict=True):
                    if answer.done():
                        continue
                    if isinstance(result, Exception):
                        answer.set_exception(result)
                    else:
                        answer.set_result(result)
        finally:
            self._trip = None

    def _transact(self, works: list[Work]) -> list[Any]:
        """One transaction; a refused change is refused alone, a failing disk fails them all."""
        try:
            with self.connection:
                self.connection.execute("BEGIN IMMEDIATE")
                return [_refused(work, self.connection) for work in works]
        except Exception as error:
            failed = CheckpointError(f"checkpoint file {self._path}: {error}")
            failed.__cause__ = error
            return [failed for _ in works]


class SqliteSaver(ThreadSaver):
    """Checkpoints of one run in a file."""

    @classmethod
    @asynccontextmanager
    async def open(
        cls, path: Path, *, serde: SerializerProtocol | None = None
    ) -> AsyncIterator[Self]:
        """A saver on the file at `path`, closed at the end."""
        async with SqliteThreads.open(path) as threads:
            async with cls(threads, serde=serde).closing() as saver:
                yield saver


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        try:
            connection.executescript(SETUP)
            _check_format(path, connection)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise CheckpointError(f"checkpoint file {path}: {error}") from error
    return connection


def _check_format(path: Path, connection: sqlite3.Connection) -> None:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not tables:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(TABLE)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    elif str(found) != FORMAT:
        raise CheckpointError(
            f"checkpoint file {path} is kept in format {found}, this version of EmoHarbor knows "
            f"{FORMAT}: use the version that began the run, or a new run"
        )


def _refused(work: Work, connection: sqlite3.Connection) -> Any:
    try:
        return work(connection)
    except CheckpointError as error:
        return error


def _apply(connection: sqlite3.Connection, thread: str, change: Change) -> None:
    if change.expect is not None:
        name, value = change.expect
        if connection.execute(GET, (thread, name)).fetchone() != (value,):
            raise CheckpointError(change.conflict)
    if change.clear:
        connection.execute(CLEAR, (thread,))
    connection.executemany(DROP, [(thread, name) for name in change.drop])
    connection.executemany(PUT, [(thread, name, value) for name, value in change.put.items()])
    connection.executemany(FIRST, [(thread, name, value) for name, value in change.first.items()])


def _find(connection: sqlite3.Connection, thread: str, place: Place) -> Found | None:
    if not place.checkpoint:
        head = connection.execute(GET, (thread, place.head_field)).fetchone()
        if head is None:
            return None
        found = _find(connection, thread, Place(place.namespace, head[0].decode()))
        if found is None:
            raise CheckpointError(f"thread {thread}: its newest checkpoint {head[0]!r} is missing")
        return found
    record = connection.execute(GET, (thread, place.field)).fetchone()
    if record is None:
        return None
    start = f"w|{place.checkpoint}|"
    rows = connection.execute(WRITES, (thread, start, start[:-1] + "}")).fetchall()
    ends = f"|{place.namespace}"
    return Found(place, record[0], {name: value for name, value in rows if name.endswith(ends)})
