"""Starts a mock and a measured process beside it, and reads both when the load is over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LONGEST = 240.0


class NotMeasured(Exception):
    """Why there is no figure."""


@dataclass
class Bench:
    """How this run of the benchmarks goes, and what it has measured so far."""

    quick: bool = False
    mock_file: str | None = None
    redis_url: str | None = None
    profile: str | None = None
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="emoharbor-bench-")))
    _done: dict[str, dict[str, Any]] = field(default_factory=dict)

    def turns(self, whole: int = 15) -> int:
        """The exchanges of a dialogue."""
        return max(1, whole // 5) if self.quick else whole

    def measure(self, kind: str, mock: list[str], own: bool = False, **job: Any) -> dict[str, Any]:
        """What the job found and the server counted; the same job is measured once.

        `mock` are the server's options; `own` insists on this folder's server, for what only it
        counts.
        """
        key = json.dumps([kind, mock, own, job], sort_keys=True)
        if key not in self._done:
            with self.server(mock, own) as url:
                found = self._job(kind, {"kind": kind, "url": url, **job})
                self._done[key] = {**found, **stats(url)}
        return self._done[key]

    def _job(self, kind: str, job: dict[str, Any]) -> dict[str, Any]:
        if self.profile:
            name = "-".join(str(job.get(k, "")) for k in ("kind", "live", "turns", "saver"))
            job["profile"] = str(Path(self.profile) / f"{name.replace(':', '')}.prof")
        command = [sys.executable, "-m", "benchmarks.job", json.dumps(job)]
        env = {k: v for k, v in os.environ.items() if not k.startswith(("OPENAI_", "LANG"))}
        try:
            done = subprocess.run(
                command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=LONGEST
            )
        except subprocess.TimeoutExpired:
            raise NotMeasured(f"not done after {LONGEST:g} s") from None
        if done.returncode:
            raise NotMeasured((done.stderr.strip() or "no output").splitlines()[-1])
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    @contextmanager
    def server(self, options: list[str], own: bool = False) -> Iterator[str]:
        """A fresh mock on a free port; its base URL."""
        other = self.mock_file if not own else None
        command = [other, "--port", "0"] if other else ["-m", "benchmarks.mock_server"]
        server = subprocess.Popen(
            [sys.executable, *command, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split(" on ")[-1].strip()
        finally:
            server.kill()
            server.wait()
            server.stdout.close()

    @property
    def bodies(self) -> str:
        """A file with the requests of one dialogue, for baselines that send the same."""
        file = self.folder / "bodies.json"
        if not file.exists():
            with self.server(["--base-ms", "1", "--keep"], own=True) as url:
                self._job("whole", {"kind": "whole", "url": url, **self.one})
                file.write_bytes(read(url, "/bodies"))
        return str(file)

    @property
    def one(self) -> dict[str, Any]:
        """The job of one dialogue."""
        return {"dialogues": 1, "turns": self.turns(), "live": 1}


def read(url: str, path: str) -> bytes:
    """A page beside the mock's /v1."""
    with urllib.request.urlopen(url.removesuffix("/v1") + path) as answer:
        data: bytes = answer.read()
    return data


def stats(url: str) -> dict[str, Any]:
    """The server's counts under our mock's names; the other mock has most of them."""
    found: dict[str, Any] = json.loads(read(url, "/stats"))
    if "total" not in found:
        return found
    total = found["total"]
    return {
        "requests": total["requests"],
        "answered": total["ok"],
        "service_s": total["service_s"],
        "connections": found["connections"],
        "most_in_flight": found["in_flight"]["peak"],
        "span_s": found["slots"]["span_s"],
    }
