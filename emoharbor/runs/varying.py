"""Running a grid: one run after the other, in a folder of its own each, within one budget."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from emoharbor.runs.budget import Budget
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import Listener, run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.runs.grid import Grid, folder_of, keep_grid
from emoharbor.runs.listing import list_runs


async def run_grid(
    grid: Grid,
    out: Path,
    begins: Callable[[str], None],
    listener: Listener,
    options: RunOptions,
    drain: Drain,
) -> None:
    """Runs what is not finished of every combination; `begins` is told which one is next.

    The limits of `options` hold for all of them together. Raises as `run_suite` does.
    """
    await keep_grid(grid, out)
    started = time.monotonic()
    # Those that have begun come first: what no longer fits them is refused before more begin.
    names = {folder_of(one): one for one in grid.combinations}
    for name in sorted(names, key=lambda name: not RunFolder(out / name).plan_file.exists()):
        budget = await _left(options.budget, out, name, time.monotonic() - started, drain)
        if drain.reason is not None:
            return
        begins(name)
        suite, mine = grid.suite_of(names[name]), replace(options, budget=budget)
        await run_suite(suite, out / name, listener, mine, drain)


async def _left(budget: Budget, out: Path, name: str, seconds: float, drain: Drain) -> Budget:
    """What the other combinations have left for this one; where nothing is, all is stopped."""
    if budget == Budget():
        return budget
    others = [state for state in await list_runs(out) if state.name != name]
    spent = {
        "max_calls": sum(state.calls for state in others),
        "max_cost": sum(state.cost or 0.0 for state in others),
        "max_time": seconds,
    }
    limits = {key: limit for key in spent if (limit := getattr(budget, key)) is not None}
    left = {key: limit - spent[key] for key, limit in limits.items()}
    for key, value in left.items():
        if value <= 0:
            drain.request(f"--{key.replace('_', '-')} {limits[key]:g} is reached")
            return budget
    return Budget.model_validate(left)
