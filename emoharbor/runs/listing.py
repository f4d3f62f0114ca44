"""Looking at run folders from outside, without a lock."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from emoharbor.checkpoints.lease import FolderLock
from emoharbor.checkpoints.owner import describe
from emoharbor.errors import CheckpointError
from emoharbor.runs.folder import RunFolder
from emoharbor.runs.store import LOCK
from emoharbor.stats.summary import summarize
from emoharbor.suite import read_yaml


@dataclass(frozen=True)
class RunState:
    """How far a run is: `cells` were planned, `finished` have a verdict, `failed` a failure."""

    path: Path
    word: Literal["running", "interrupted", "finished"]
    cells: int
    finished: int
    failed: int
    calls: int
    owner: str | None


def list_runs(folder: Path) -> list[RunState]:
    """The runs that lie directly in `folder`, by name."""
    if not folder.is_dir():
        return []
    paths = sorted(p for p in folder.iterdir() if (p / "run.yaml").is_file())
    return [state_of(RunFolder(path)) for path in paths]


def state_of(folder: RunFolder) -> RunState:
    """What the folder's files say now. Calls are those of dialogues that have a record."""
    cells = int((read_yaml(folder.plan_file).get("recorded") or {}).get("cells", 0))
    summaries = summarize(folder.records().values())
    finished = sum(s.finished for s in summaries)
    owner = _owner(folder.path / LOCK)
    word: Literal["running", "interrupted", "finished"] = (
        "running" if owner else "finished" if finished >= cells else "interrupted"
    )
    calls = sum(usage.calls for s in summaries for usage in s.usage.values())
    return RunState(
        folder.path, word, cells, finished, sum(s.failed for s in summaries), calls, owner
    )


def _owner(lock: Path) -> str | None:
    """Who holds the run now; only somebody who runs it does, and a lock dies with its owner."""
    if not lock.exists():
        return None
    try:
        with FolderLock(lock).held():
            return None
    except CheckpointError:
        return describe(lock.read_text(encoding="utf-8", errors="replace"))
