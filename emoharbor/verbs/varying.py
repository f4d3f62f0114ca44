"""`run --vary` and `controls`: a grid of a seeker's controls, and whether it obeyed them.

What they need is imported when they are called, so that help and completion come at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.runs.engine import RunOptions
    from emoharbor.runs.grid import Grid
    from emoharbor.sheets import Format
    from emoharbor.suite import Suite

IN_FOLDERS = "a grid keeps its runs in folders: leave --store (EMOHARBOR_STORE) out"
Vary = Annotated[
    list[str],
    typer.Option(
        "--vary", help="CONTROL=LEVEL,LEVEL of the seeker: a run a level; repeat for a grid."
    ),
]


def vary(
    suite: Suite,
    texts: Sequence[str],
    folder: Path | None,
    new: Path | None,
    options: RunOptions,
    *,
    follow: bool,
    dry_run: bool,
) -> None:
    """Runs the grid of these `--vary` texts (in runs/SUITE-vary by default), or prints its plan."""
    from emoharbor.runs.grid import make_grid

    grid = make_grid(suite, texts)
    if options.store:
        raise ConfigError(IN_FOLDERS)
    if new:
        raise ConfigError("--vary makes new runs: leave --as out")
    if dry_run:
        _print_plan(grid)
        return
    do_grid(grid, folder or Path("runs") / f"{suite.name}-vary", options, follow=follow)


def resume_grid(where: Path, options: RunOptions, *, follow: bool) -> None:
    """Goes on with the grid in a folder."""
    from emoharbor.runs.grid import open_grid

    if options.store:
        raise ConfigError(IN_FOLDERS)
    do_grid(open_grid(where), where, options, follow=follow)


def do_grid(grid: Grid, where: Path, options: RunOptions, *, follow: bool) -> None:
    """Runs and reports; exits with 1 if a dialogue failed, 3 at a limit, 130 or 143 if stopped."""
    from functools import partial

    from emoharbor.runs.drain import Drain
    from emoharbor.runs.folder import RunFolder
    from emoharbor.runs.grid import folder_of
    from emoharbor.runs.varying import run_grid
    from emoharbor.terminal.live import LiveRun
    from emoharbor.verbs.doing import end, until_signal

    names = [folder_of(one) for one in grid.combinations]
    live, drain = LiveRun(out, follow=follow), Drain()

    def begins(name: str) -> None:
        words = f"{name} ({names.index(name) + 1} of {len(names)})"
        out.print(Text(words, style="bold"))

    work = partial(run_grid, grid, where, begins, live.listener, options, drain)
    until_signal(work, where, drain, live.bar)
    records = [record for name in names for record in RunFolder(where / name).records().values()]
    failed = sum(record.failure is not None for record in records)
    if failed < len(records):
        _report(where, seed=0)
    out.print(Text(f"Grid: {where}   (emoharbor controls {where})"), soft_wrap=True)
    end(where, drain, f"{failed} dialogues" if failed else "")


def controls(
    folder: Annotated[
        Path, typer.Argument(metavar="GRID", help="The --out folder of a run with --vary.")
    ],
    seed: Annotated[int, typer.Option(help="The seed of the intervals.")] = 0,
    form: flags.TableFormat = None,
    output: flags.TableOut = None,
) -> None:
    """Did the seeker obey? What each control of a `run --vary` changed, person by person."""
    _report(folder, seed, form, output)


def _report(
    folder: Path, seed: int, form: Format | None = None, output: Path | None = None
) -> None:
    from emoharbor.reports.vary import vary_sheets
    from emoharbor.terminal.sheets import emit

    emit(out, vary_sheets(folder, seed=seed), form, output)


def _print_plan(grid: Grid) -> None:
    from emoharbor.runs.executor import plan_suite
    from emoharbor.runs.grid import folder_of
    from emoharbor.terminal.tables import plan_table

    plans = {folder_of(one): plan_suite(grid.suite_of(one)) for one in grid.combinations}
    out.print(plan_table(next(iter(plans.values()))))
    cells, calls = (
        sum(len(plan.cells) for plan in plans.values()),
        sum(plan.most_calls for plan in plans.values()),
    )
    out.print(
        f"The same {len(plans)} times, with {'; '.join(plans)}: "
        f"{cells} dialogues and at most {calls} calls in all.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
