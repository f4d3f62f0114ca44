"""Which branches of a dialogue there are: every branch knows its parent, no parent its branches."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import yaml

from emoharbor.runs.reader import in_redis
from emoharbor.runs.store import checked, name_of
from emoharbor.suite import read_yaml


async def branches_of(run: Path, store: str | None, thread: str) -> list[tuple[str, int]]:
    """RUN SUPPORTER/PROFILE/REPEAT of each branch of `thread`, and the step after which it began.

    Looked for beside the run's folder, or in the Redis at `store`.
    """
    found: list[tuple[str, int]] = []
    async for name, values in _plans(run, store):
        branch = values.get("branch") or {}
        if branch.get("run") == name_of(run):
            for dialogue, origin in branch.get("dialogues", {}).items():
                if origin.get("thread") == thread:
                    found.append((f"{name} {dialogue}", int(origin["step"])))
    return sorted(found, key=lambda branch: branch[1])


async def _plans(run: Path, store: str | None) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    if store is None:
        for path in sorted(run.resolve().parent.glob("*/run.yaml")):
            yield str(run.parent / path.parent.name), read_yaml(path)
        return
    from emoharbor.checkpoints.redis_store import runs_at

    for name in await runs_at(checked(store)):
        async with in_redis(store, name) as reader:
            values = yaml.safe_load(await reader.plan() or "")
            if isinstance(values, dict):
                yield name, values
