"""The call journal of a run: an index of it, and what it adds up to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.journal import CallKey, Request
from emoharbor.models.where import Where
from emoharbor.runs.lines import Lines
from emoharbor.state.record import RoleUsage
from emoharbor.state.verdict import Usage


class RunJournal:
    """Calls by key, failures by node visit, usage by thread and role, over a run's Lines.

    Only keys and positions are held in memory. A request is stored as what it adds to the
    request before it of the same role in the same dialogue, so the journal grows with the
    dialogue and not with its square.
    """

    def __init__(self, lines: Lines) -> None:
        self.calls = 0
        self.tokens = 0
        self._lines = lines
        self._starts: dict[CallKey, int] = {}
        self._failures: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._usage: defaultdict[str, dict[str, RoleUsage]] = defaultdict(dict)
        self._last: dict[tuple[str, str], Sequence[ChatMessage]] = {}

    async def load(self) -> None:
        """Takes in what the run's earlier processes have kept."""
        async for position, entry in self._lines.all():
            self._count(position, entry)

    async def find(self, key: CallKey) -> tuple[str, Completion] | None:
        """The request hash and the reply kept under `key`."""
        start = self._starts.get(key)
        if start is None:
            return None
        entry = await self._lines.at(start)
        return entry["hash"], completion_of(entry)

    async def write_call(self, key: CallKey, request: Request, completion: Completion) -> None:
        """Keeps an answered call."""
        answer = vars(completion) | {"usage": completion.usage.model_dump()}
        asked = self._asked(key.thread, key.node, request)
        await self._write({"kind": "call", **key._asdict(), **asked, **answer})
        self._last[key.thread, key.node] = request.messages

    async def write_error(self, where: Where, request: Request, error: ModelError) -> None:
        """Keeps a call that failed for good: without ordinal, never served."""
        place = {"thread": where.thread, "step": where.step, "node": where.node}
        what = {"error": str(error), "cause": error.cause, "attempt": where.attempt}
        asked = self._asked(where.thread, where.node, request)
        await self._write({"kind": "error", **place, **what, **asked})
        self._last[where.thread, where.node] = request.messages

    async def write_failure(self, thread: str, step: int, node: str, message: str) -> None:
        """Keeps that a visit of a node failed: the next one is another attempt."""
        await self._write(
            {"kind": "failure", "thread": thread, "step": step, "node": node, "error": message}
        )

    def failures(self, thread: str) -> dict[str, int]:
        """How often each node visit of a dialogue has failed, by "step/node"."""
        return dict(self._failures.get(thread, {}))

    def forget(self, thread: str) -> None:
        """Lets go of the last requests of a dialogue that is over."""
        for place in [place for place in self._last if place[0] == thread]:
            del self._last[place]

    def threads(self) -> list[str]:
        """The dialogues that have made a call."""
        return list(self._usage)

    def usage(self, thread: str) -> dict[str, RoleUsage]:
        """What each role of a dialogue has cost so far."""
        return dict(self._usage.get(thread, {}))

    def _asked(self, thread: str, node: str, request: Request) -> dict[str, Any]:
        now = request.messages
        same = _shared(self._last.get((thread, node), ()), now)
        return {
            "hash": request.hash,
            "model_asked": request.model,
            "seed": request.seed,
            "schema": request.schema is not None,
            "same": same,
            "messages": now[same:],
            "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }

    async def _write(self, entry: dict[str, Any]) -> None:
        self._count(await self._lines.append(entry), entry)

    def _count(self, start: int, entry: dict[str, Any]) -> None:
        thread, node = entry["thread"], entry["node"]
        if entry["kind"] == "failure":
            place = f"{entry['step']}/{node}"
            self._failures[thread][place] = self._failures[thread].get(place, 0) + 1
        elif entry["kind"] == "call":
            key = CallKey(thread, entry["step"], node, entry["ordinal"], entry["attempt"])
            self._starts[key] = start
            self.calls += 1
            usage = entry["usage"]
            self.tokens += (usage["input_tokens"] or 0) + (usage["output_tokens"] or 0)
            so_far = self._usage[thread].get(node, RoleUsage())
            self._usage[thread][node] = add_usage(so_far, entry["usage"], entry["seconds"])


def whole(entries: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """All of a dialogue's entries in order, each with its request's messages whole."""
    last: dict[tuple[str, str], list[ChatMessage]] = {}
    for entry in entries:
        if entry["kind"] != "failure":
            place = (entry["thread"], entry["node"])
            messages = [*last.get(place, [])[: entry.pop("same")], *entry["messages"]]
            last[place] = entry["messages"] = messages
        yield entry


def completion_of(entry: dict[str, Any]) -> Completion:
    """The reply in a journal entry."""
    names = ("text", "data", "raw", "reasoning", "finish_reason", "seconds", "model")
    return Completion(usage=Usage(**entry["usage"]), **{name: entry[name] for name in names})


def add_usage(so_far: RoleUsage, usage: dict[str, int | None], seconds: float) -> RoleUsage:
    """One more call. A sum that a call left unsaid is unknown; `unknown` says how many did."""
    names = ("input_tokens", "output_tokens", "cached_tokens")
    sums = {name: _sum(getattr(so_far, name), usage[name], so_far.calls) for name in names}
    unsaid = usage["input_tokens"] is None or usage["output_tokens"] is None
    return RoleUsage(
        **sums,
        calls=so_far.calls + 1,
        unknown=so_far.unknown + int(unsaid),
        seconds=round(so_far.seconds + seconds, 3),
    )


def _sum(before: int | None, now: int | None, calls: int) -> int | None:
    if now is None or (before is None and calls):
        return None
    return (before or 0) + now


def _shared(before: Sequence[ChatMessage], now: Sequence[ChatMessage]) -> int:
    pairs = zip(before, now, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(before), len(now)))
