"""A run once more from its journal, without any model: is everything still what it was?"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from emoharbor.agents.replay import ReplaySupporter
from emoharbor.agents.resolve import BUILT_IN
from emoharbor.checkpoints.serde import state_serializer
from emoharbor.errors import ConfigError, EmoHarborError
from emoharbor.graphs.dialogue import build_dialogue
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.journal import CallKey, Request
from emoharbor.models.pool import describe
from emoharbor.models.where import WHERE
from emoharbor.runs.cells import CellRunner
from emoharbor.runs.differences import Difference, Watch, causes, other_request
from emoharbor.runs.drain import Drain
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.fork import plant
from emoharbor.runs.journal import RunJournal, whole
from emoharbor.runs.lines import KeptLines
from emoharbor.runs.plan import Cell, Plan, cell_name, make_plan
from emoharbor.runs.seats import seat_all
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite

Asked = Callable[[CallKey], Awaitable[Sequence[ChatMessage]]]


class Differs(EmoHarborError):
    """A node asks for something else than the journal holds."""


@dataclass
class Replayed:
    """How many dialogues are the same, from how many calls, and where the others differ first."""

    same: int = 0
    calls: int = 0
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True)
class Recorded:
    """A model that answers from the journal alone. `asked` finds what was asked then."""

    described: dict[str, Any]
    journal: RunJournal
    asked: Asked
    served: list[CallKey]

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """The reply of this very call. Raises Differs when there was none, or another request."""
        where = WHERE.get()
        if where is None:
            raise Differs("a model is called outside of a node")
        ordinal = next(where.ordinals)
        key = CallKey(where.thread, where.step, where.node, ordinal, where.attempt)
        kept = await self.journal.find(key)
        if kept is None:
            raise Differs(f"its call {ordinal + 1} is not in the journal")
        request = Request(self.described, tuple(messages), schema, where.call_seed(ordinal))
        if kept[0] != request.hash:
            raise Differs(other_request(await self.asked(key), messages))
        self.served.append(key)
        return kept[1]


@dataclass(frozen=True)
class Unwritten:
    """Lines that are read, while what is appended goes nowhere."""

    lines: KeptLines

    async def append(self, value: dict[str, Any]) -> int:
        """Keeps nothing."""
        return -1

    async def at(self, position: int) -> dict[str, Any]:
        """The line at a position that `all` gave."""
        return await self.lines.at(position)

    def all(self, after: int | None = None) -> AsyncIterator[tuple[int, dict[str, Any]]]:
        """Every line with its position, the oldest first."""
        return self.lines.all(after)


@dataclass(frozen=True)
class Replay:
    """One run, ready to be played again. Made by `replay_of`."""

    plan: Plan
    journal: RunJournal
    recorded: Mapping[str, Any]
    served: list[CallKey]

    async def run(
        self,
        records: Iterable[DialogueRecord],
        beginnings: Mapping[str, Mapping[str, Any]],
        told: Callable[[DialogueRecord], None] = lambda record: None,
    ) -> Replayed:
        """Plays `records` again, each up to its failure if it has one.

        `beginnings` are the states that branched dialogues began with, by their names.
        """
        cells = {cell.key: cell for cell in self.plan.cells}
        result = Replayed()
        for record in records:
            if record.cell not in cells:
                name = cell_name(record.cell)
                raise ConfigError(f"the suite and its profiles hold no dialogue {name} any more")
            found = await self._one(cells[record.cell], record, beginnings)
            result.differences += [found] if found else []
            result.same += not found
            told(record)
        result.calls = len(self.served)
        return result

    async def _one(
        self, cell: Cell, record: DialogueRecord, beginnings: Mapping[str, Mapping[str, Any]]
    ) -> Difference | None:
        watch = Watch(record, beginnings.get(cell.name, {}))
        # The journal is asked under the names of then: what differs is told by its requests.
        then = replace(cell, dialogue_hash=record.dialogue_hash, verdict_hash=record.verdict_hash)
        graph = build_dialogue(
            replace(self.plan.seatings[cell.supporter].agents, **self._mute(record)),
            opening=self.plan.suite.opening,
        ).compile(checkpointer=InMemorySaver(serde=state_serializer()))
        await plant(graph, then, beginnings)
        own_judge = record.thread == record.own_thread
        judge = digest(self.plan.fingerprint["judge"]) if own_judge else ""
        runner = CellRunner(
            self.plan, {cell.supporter: graph}, self.journal, judge, watch.on_visit, Drain()
        )
        again = await runner.run(then)
        if watch.what is None and again is not None and again.failure:
            stopped = again.failure.node or ""
            if record.failure is None or record.failure.node != stopped:
                watch.step, watch.node = watch.step + 1, stopped
                watch.what = again.failure.message
        if watch.what is None:
            return None
        known = self.recorded.get("fingerprint") or {}
        why = causes(known, self.plan.fingerprint, record)
        return Difference(cell.name, watch.step, watch.node, watch.what, why)

    def _mute(self, record: DialogueRecord) -> dict[str, Any]:
        """A foreign supporter may call what we do not see: it says what it said then."""
        seat = self.plan.seatings[record.supporter].supporter
        if seat.model is not None or seat.fingerprint["use"] in BUILT_IN["supporter"]:
            return {}
        return {"supporter": ReplaySupporter(tuple(record.h_s))}


async def replay_of(suite: Suite, recorded: Mapping[str, Any], calls: KeptLines) -> Replay:
    """The run of `suite`, with `recorded` from its run.yaml and its journal `calls`.

    Nothing is written, and no model, key or network is used. Raises ConfigError where the suite
    or its profiles are not usable any more.
    """
    journal, served = RunJournal(Unwritten(calls)), list[CallKey]()
    await journal.load()

    async def asked(key: CallKey) -> Sequence[ChatMessage]:
        entries = [e async for _, e in calls.all() if e["thread"] == key.thread]
        made = [e for e in whole(entries) if e["kind"] == "call"]
        return next(e["messages"] for e in made if key == tuple(e[k] for k in CallKey._fields))

    def make_model(config: ModelConfig, sampling: Sampling) -> Recorded:
        described = {**describe(config), **sampling.model_dump(exclude_none=True)}
        return Recorded(described, journal, asked, served)

    plan = make_plan(suite, {s.name: seat_all(suite, s, make_model) for s in suite.supporters})
    return Replay(plan, journal, recorded, served)
