"""A recorded run opened for looking into: suite, states, calls; nothing is changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from emoharbor.errors import ConfigError
from emoharbor.graphs.picture import GraphPicture, picture
from emoharbor.runs.history import Step, steps_of, topology
from emoharbor.runs.journal import whole
from emoharbor.runs.path import with_path
from emoharbor.runs.reader import RunReader, open_reader
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite, make_suite


@dataclass(frozen=True)
class OpenedRun:
    """`values` is what run.yaml holds, `graph` reads the states of its threads."""

    reader: RunReader
    values: Mapping[str, Any]
    suite: Suite
    graph: Any

    @property
    def recorded(self) -> Mapping[str, Any]:
        """What the run noted beside the suite: versions, hashes, fingerprint."""
        return self.values.get("recorded") or {}

    async def history(self, thread: str) -> list[Step]:
        """Every checkpoint of a thread, with the calls that led to it."""
        return await steps_of(self.graph, thread, await self.calls(thread))

    async def calls(self, thread: str) -> list[dict[str, Any]]:
        """The journal's entries of a thread, each with its request whole."""
        entries = [e async for _, e in self.reader.call_lines.all() if e["thread"] == thread]
        return list(whole(entries))

    async def path(self, thread: str) -> GraphPicture:
        """The run's graph with what each node did in this dialogue so far."""
        entries = await self.calls(thread)
        steps = await steps_of(self.graph, thread, entries)
        supporter = thread.partition("/")[0]
        mine = [s for s in self.suite.supporters if s.name == supporter]
        suite = self.suite.model_copy(update={"supporters": tuple(mine)})
        return with_path(picture(suite), thread, steps, entries)

    async def beginnings(self, records: Sequence[DialogueRecord]) -> dict[str, dict[str, Any]]:
        """The states that branched dialogues began with, by SUPPORTER/PROFILE/REPEAT."""
        if self.suite.branch is None:
            return {}
        first = {r.own_thread: (await steps_of(self.graph, r.own_thread))[0] for r in records}
        return {"/".join(map(str, r.cell)): first[r.own_thread].values for r in records}


@asynccontextmanager
async def open_for_debugging(folder: Path, store: str | None = None) -> AsyncIterator[OpenedRun]:
    """The run in `folder`, or under its name in the Redis at `store`. Raises ConfigError."""
    async with open_reader(folder, store) as reader:
        values = yaml.safe_load(await reader.plan() or "")
        if not isinstance(values, dict):
            raise ConfigError(f"{reader.where} holds no plan")
        suite = make_suite(values, reader.where)
        async with reader.checkpoints() as saver:
            yield OpenedRun(reader, values, suite, topology(saver, suite.opening))
