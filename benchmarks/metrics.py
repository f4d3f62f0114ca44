"""The metrics, one function each: what was measured, and what it must reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.harness import Bench, NotMeasured

CPU_MS = 60.0


@dataclass(frozen=True)
class Row:
    """One line of the table. Without a `limit` it is there to compare with."""

    metric: str
    value: float | None
    limit: float | None = None
    sense: str = "<="
    note: str = ""

    @property
    def ok(self) -> bool | None:
        """None where nothing was measured or nothing must be reached."""
        if self.value is None or self.limit is None:
            return None
        if self.sense == "=":
            return self.value == self.limit
        return self.value <= self.limit if self.sense == "<=" else self.value >= self.limit


def requests(bench: Bench) -> Iterator[Row]:
    """Model calls of one dialogue to the cap, probes not counted."""
    found = bench.measure("whole", ["--base-ms", "1"], dialogues=1, turns=15, live=1)
    yield Row("requests for a dialogue of 15 exchanges", found["requests"], 46, "=")


def one_dialogue(bench: Bench) -> Iterator[Row]:
    """What a dialogue takes beyond its calls; they come one after the other."""
    turns = 2 if bench.quick else 5
    found = bench.measure("whole", ["--base-ms", "500"], dialogues=1, turns=turns, live=1)
    ratio = found["wall_s"] / found["service_s"]
    note = f"{turns} exchanges, {found['answered']} calls"
    yield Row("one dialogue, 500 ms calls: wall / service", ratio, 1.03, note=note)


def schedule(bench: Bench) -> Iterator[Row]:
    """Dialogues of very unequal length, 16 slots: are the slots kept busy to the end?"""
    cap, millis, dialogues = 16, 200, 32 if bench.quick else 100
    first, last = ("1", "5") if bench.quick else ("5", "27")
    ends = ["--end-from", first, "--end-to", last]
    mock = ["--base-ms", str(millis), "--cap", str(cap), *ends]
    found = bench.measure("whole", mock, own=True, dialogues=dialogues, turns=27, live=cap)
    _all_finished(found, dialogues)
    longest = (3 * max(found["turns"]) + 1) * found["service_s"] / found["answered"]
    bound = max(found["service_s"] / cap, longest)
    note = f"{dialogues} dialogues of {min(found['turns'])} to {max(found['turns'])} exchanges, "
    note += f"{millis} ms calls, {found['cpu_s'] / found['wall_s']:.0%} of a core"
    ratio = found["wall_s"] / bound
    yield Row("unequal dialogues, cap 16: wall / work bound", ratio, 1.05, note=note)
    busy = found["service_s"] / cap / found["wall_s"]
    yield Row("unequal dialogues, cap 16: slots busy", busy, 0.95, ">=")


def cpu(bench: Bench) -> Iterator[Row]:
    """Client CPU a call, all stores, and what others need for the same requests."""
    for kind, more, name, limit in _clients(bench):
        # Half a minute for LangChain's own way would be too long.
        load = _load(bench, 8 if kind == "chain" else 32)
        label = f"CPU ms a call, {load['live']} live: {name}"
        try:
            found = bench.measure(kind, _mock(), **load, **more)
        except NotMeasured as reason:
            yield Row(label, None, limit, note=str(reason))
            continue
        _all_finished(found, load["dialogues"])
        yield Row(label, _per_call(found), limit, note=_kept(found, load["dialogues"]))


def _clients(bench: Bench) -> Iterator[tuple[str, dict[str, Any], str, float | None]]:
    yield "graph", {"saver": "memory:"}, "no store, checkpoints in memory", 1.5
    if bench.redis_url:
        yield "whole", {"store": bench.redis_url}, "journal and Redis", 2.5
    yield "whole", {}, "journal and run folder", 2.5
    same = {"bodies": bench.bodies}
    yield "bare", same, "bare aiohttp loop (baseline)", None
    yield "chain", same, "LangGraph, ChatOpenAI (baseline)", None
    if not bench.quick:
        saved = {**same, "saver": "sqlite"}
        yield "chain", saved, "LangGraph, ChatOpenAI, its SQLite saver (baseline)", None


def growth(bench: Bench) -> Iterator[Row]:
    """A call must not cost more where more dialogues live or dialogues grow long."""
    usual = _per_call(bench.measure("whole", _mock(), **_load(bench, 32)))
    most = _most(bench)
    many = _per_call(bench.measure("whole", _mock(), **_load(bench, most)))
    label = f"CPU a call: {most} live / 32 live"
    yield Row(label, many / usual, 1.2, note=f"{many:.2f} and {usual:.2f} ms")
    if bench.quick:
        return
    short = _per_call(bench.measure("whole", _mock(), **{**_load(bench, 32), "turns": 8}))
    label = "CPU a call: 15 exchanges / 8 exchanges"
    yield Row(label, usual / short, 1.2, note=f"{usual:.2f} and {short:.2f} ms")


def memory(bench: Bench) -> Iterator[Row]:
    """Peak resident memory of the client, and the sockets it opens."""
    most = _most(bench)
    found = bench.measure("whole", _mock(), **_load(bench, most))
    _all_finished(found, most)
    yield Row(f"RSS at {most} live, MiB", found["rss_mib"], 150)
    ratio = found["connections"] / found["most_in_flight"]
    note = f"{found['connections']} for {found['most_in_flight']} calls in flight at most"
    yield Row("connections / live calls", ratio, 1.05, note=note)


def tokens(bench: Bench) -> Iterator[Row]:
    """Input that a prefix cache cannot spare, one dialogue at a time on a cold cache."""
    for language in ("en",) if bench.quick else ("en", "zh"):
        found = bench.measure("whole", ["--base-ms", "1"], own=True, **bench.one, language=language)
        uncached = found["input_tokens"] - found["cached_tokens"]
        note = f"{found['input_tokens']} in, {uncached} uncached, {found['floor_tokens']} at least"
        label = f"uncached input / append-only minimum, {language}"
        yield Row(label, uncached / found["floor_tokens"], 1.15, note=note)


def faults(bench: Bench) -> Iterator[Row]:
    """One request in ten refused, one in twenty failed: no dialogue lost, no request wasted.

    Retry-After is short, as the client rests the whole endpoint for so long at each refusal.
    """
    dialogues, turns = (16, 5) if bench.quick else (32, 15)
    mock = ["--base-ms", "20", "--p429", "0.1", "--p500", "0.05", "--retry-after", "0.1"]
    found = bench.measure("whole", mock, own=True, dialogues=dialogues, turns=turns, live=32)
    note = "; ".join(found["failures"][:1]) or f"{found['wall_s']:.0f} s"
    finished = found["finished"] / dialogues
    yield Row("10 % 429, 5 % 500: dialogues finished", finished, 1, "=", note=note)
    refused, failed = found["refused_429"], found["failed_500"]
    note = f"{found['answered']} calls, {refused} times 429, {failed} times 500"
    ratio = found["requests"] / found["answered"]
    yield Row("10 % 429, 5 % 500: requests a call", ratio, 1.19, note=note)
    yield Row("10 % 429, 5 % 500: before Retry-After", found["early"], 0, "=")


METRICS: dict[str, Callable[[Bench], Iterator[Row]]] = {
    f.__name__: f for f in (requests, one_dialogue, schedule, cpu, growth, memory, tokens, faults)
}


def _mock() -> list[str]:
    return ["--base-ms", str(CPU_MS)]


def _load(bench: Bench, live: int) -> dict[str, Any]:
    return {"dialogues": live, "turns": bench.turns(), "live": live}


def _most(bench: Bench) -> int:
    return 64 if bench.quick else 256


def _per_call(found: dict[str, Any]) -> float:
    return 1000 * float(found["cpu_s"]) / float(found["answered"])


def _kept(found: dict[str, Any], dialogues: int) -> str:
    kept = found.get("kept_bytes")
    return f"{kept / 1024 / dialogues:.0f} KiB a dialogue in the folder" if kept else ""


def _all_finished(found: dict[str, Any], dialogues: int) -> None:
    if found["finished"] != dialogues:
        raise NotMeasured(f"{dialogues - found['finished']} failed: {found['failures']}")
