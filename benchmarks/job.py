"""One measured process: `python -m benchmarks.job JSON` runs a load and prints what it cost.

Every job warms up with a few short dialogues first, so that imports and caches are not measured;
then it counts its own CPU time from the first dialogue's start to the last one's end.
"""

from __future__ import annotations

import asyncio
import cProfile
import json
import resource
import sys
import time
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

Load = Callable[[Mapping[str, Any], "Meter"], Awaitable[None]]


class Meter:
    """CPU and wall between `start` and `stop`; the server's counts begin at `start`."""

    def __init__(self, url: str, profile: str | None = None) -> None:
        self.root = url.removesuffix("/v1")
        self.profile = profile
        self.found: dict[str, Any] = {}
        self._profiler: cProfile.Profile | None = None

    def start(self) -> None:
        """Call it right before the first dialogue, with nothing of this process in flight."""
        urllib.request.urlopen(urllib.request.Request(f"{self.root}/reset", method="POST")).read()
        if self.profile:
            self._profiler = cProfile.Profile()
            self._profiler.enable()
        self._wall, self._cpu = time.monotonic(), cpu_seconds()

    def stop(self, **more: Any) -> None:
        """Keeps what was used since `start`, and `more`."""
        self.found = {
            "cpu_s": cpu_seconds() - self._cpu,
            "wall_s": time.monotonic() - self._wall,
            "rss_mib": peak_mib(),
            **more,
        }
        if self._profiler:
            self._profiler.disable()
            self._profiler.dump_stats(str(self.profile))


def cpu_seconds() -> float:
    """User and system time of this process, all its threads."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_mib() -> float:
    """Peak resident memory. ru_maxrss would still hold that of the process that started us."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def load_named(kind: str) -> Load:
    """The load, imported alone: a baseline must not carry the weight of what it is held against."""
    if kind == "bare":
        from benchmarks.baselines import bare

        return bare
    if kind == "chain":
        from benchmarks.baselines_langgraph import chain

        return chain
    from benchmarks import loads

    return loads.whole if kind == "whole" else loads.graph_alone


async def run(job: Mapping[str, Any]) -> dict[str, Any]:
    """Warms up, then measures, both in one event loop: some clients are kept between the two."""
    load = load_named(job["kind"])
    short = {**job, "dialogues": 2, "turns": min(2, job["turns"])}
    await load(short, Meter(job["url"]))
    meter = Meter(job["url"], job.get("profile"))
    await load(job, meter)
    return meter.found


def main() -> None:
    """Runs the job given as JSON and prints its findings as one line of JSON."""
    found = asyncio.run(run(json.loads(sys.argv[1])))
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
