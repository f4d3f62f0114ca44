"""How far runs are and what they have cost, seen from outside."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from emoharbor.errors import CheckpointError
from emoharbor.models.spec import ModelSpec
from emoharbor.runs.answers import answer_record
from emoharbor.runs.build_records import build_record
from emoharbor.runs.folder import record_of
from emoharbor.runs.journal import add_usage
from emoharbor.runs.reader import RunReader, in_folder, in_redis
from emoharbor.runs.store import checked
from emoharbor.state.answer import FORMAT as ANSWER
from emoharbor.state.building import FORMAT as BUILD
from emoharbor.state.record import RoleUsage
from emoharbor.stats.cost import Prices, cost_of, load_prices, total_cost

Word = Literal["running", "interrupted", "finished"]


@dataclass(frozen=True)
class RunState:
    """How far a run is: `cells` were planned, `failed` have a failure, `finished` none.

    `calls` are the answered ones, of live dialogues too; `cost` is theirs in US dollars, None
    where a part of it is unknown. `owner` is the process that runs it.
    """

    name: str
    place: Literal["folder", "Redis"]
    where: str
    word: Word
    cells: int
    finished: int
    failed: int
    calls: int
    cost: float | None
    owner: str | None


class Progress:
    """Adds up a run; a second look reads only what was added since the first."""

    def __init__(self, run: RunReader, prices: Prices) -> None:
        self._run = run
        self._prices = prices
        self._plan: tuple[str | None, int] = (None, 0)
        self._judged: dict[Any, bool] = {}
        self._records = 0
        self._usage: dict[str, RoleUsage] = {}
        self._last_record: int | None = None
        self._last_call: int | None = None

    async def look(self) -> RunState:
        """What the run's records and journal say now."""
        # Asked first: who ends between two questions is told as running, and not as interrupted.
        owner = await self._run.owner()
        await self._read_plan()
        async for position, line in self._run.record_lines.all(self._last_record):
            self._records += 1
            key, done = _outcome(line, self._records)
            self._judged[key] = done
            self._last_record = position
        async for position, entry in self._run.call_lines.all(self._last_call):
            if entry["kind"] == "call":
                self._count(entry)
            self._last_call = position
        return self._state(owner)

    def _state(self, owner: str | None) -> RunState:
        cells, finished = self._plan[1], sum(self._judged.values())
        whole: Word = "finished" if 0 < cells <= finished else "interrupted"
        costs = [cost_of(usage, spec, self._prices) for spec, usage in self._usage.items()]
        return RunState(
            name=self._run.name,
            place=self._run.place,
            where=self._run.where,
            word="running" if owner else whole,
            cells=cells,
            finished=finished,
            failed=len(self._judged) - finished,
            calls=sum(usage.calls for usage in self._usage.values()),
            cost=total_cost(costs).total,
            owner=owner,
        )

    def _count(self, entry: dict[str, Any]) -> None:
        asked = entry["model_asked"]
        spec = str(ModelSpec(asked["provider"], asked["model"], asked["base_url"]))
        so_far = self._usage.get(spec, RoleUsage())
        self._usage[spec] = add_usage(so_far, entry["usage"], entry["seconds"])

    async def _read_plan(self) -> None:
        text = await self._run.plan()
        if text != self._plan[0]:
            self._plan = (text, _cells(text, self._run.where))


async def list_runs(folder: Path, store: str | None = None) -> list[RunState]:
    """The runs that lie directly in `folder`, then those in the Redis at `store`, by name."""
    prices = load_prices()
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    runs = [in_folder(path) for path in paths if (path / "run.yaml").is_file()]
    states = [await Progress(run, prices).look() for run in runs]
    if store is not None:
        from emoharbor.checkpoints.redis_store import runs_at

        for name in await runs_at(checked(store)):
            async with in_redis(store, name) as run:
                states.append(await Progress(run, prices).look())
    return states


async def follow(run: RunReader, every: float) -> AsyncIterator[RunState]:
    """What has changed, looked at every so many seconds, until nobody runs it any more."""
    progress, last = Progress(run, load_prices()), None
    while last is None or last.word == "running":
        if last is not None:
            await asyncio.sleep(every)
        state = await progress.look()
        if state != last:
            yield state
        last = state


def _outcome(line: dict[str, Any], number: int) -> tuple[Any, bool]:
    """What a record is of, a dialogue, a person or a question, and whether that is finished."""
    if line.get("format") == BUILD:
        made = build_record(line, number)
        return made.id, made.failure is None
    if line.get("format") == ANSWER:
        answer = answer_record(line, number)
        return answer.key, answer.failure is None
    record = record_of(line, number)
    return record.key, record.failure is None


def _cells(text: str | None, where: str) -> int:
    try:
        values = yaml.safe_load(text or "")
    except yaml.YAMLError as error:
        raise CheckpointError(f"{where}: its plan is not YAML: {error}") from error
    recorded = values.get("recorded") if isinstance(values, dict) else None
    return int((recorded or {}).get("cells", 0))
