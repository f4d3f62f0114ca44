"""`run` and `resume`: signals, progress, tables and exit codes."""

from __future__ import annotations

import asyncio
import gc
import signal
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.text import Text

from emoharbor.errors import ConfigError
from emoharbor.flags import suite_from_flags
from emoharbor.runs.budget import Budget
from emoharbor.runs.drain import Drain
from emoharbor.runs.executor import RunOptions, plan_suite, run_suite
from emoharbor.runs.folder import open_run
from emoharbor.suite import Suite, load_suite
from emoharbor.terminal.live import LiveRun
from emoharbor.terminal.tables import plan_table
from emoharbor.verbs import flags
from emoharbor.verbs.console import out
from emoharbor.verbs.showing import print_run

SMALL = (
    "A model of this size shows that the machinery works, not how well anybody supports anybody: "
    "do not read its scores as judgement."
)
LIMIT_REACHED = 3


def run(
    suite: flags.SuiteName,
    supporter: flags.Supporters = [],  # noqa: B006
    model: flags.Model = None,
    judge: flags.Judge = None,
    language: flags.LanguageName = None,
    profiles: flags.Profiles = None,
    limit: flags.Limit = None,
    repeats: flags.Repeats = None,
    turns: flags.Turns = None,
    seed: flags.Seed = None,
    concurrency: flags.Concurrency = None,
    folder: flags.Out = None,
    settings: flags.Settings = [],  # noqa: B006
    new: flags.New = None,
    follow: flags.Follow = False,
    dry_run: flags.DryRun = False,
    store: flags.Store = None,
    no_retry_failed: flags.NoRetry = False,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Run a suite, or go on with it where it stopped."""
    plain = {"language": language, "profiles": profiles, "limit": limit, "repeats": repeats}
    plain |= {"max_turns": turns, "seed": seed, "concurrency": concurrency}
    resolved = suite_from_flags(
        suite, supporters=supporter, model=model, judge=judge, plain=plain, settings=settings
    )
    if dry_run:
        out.print(plan_table(plan_suite(resolved)))
        return
    where = folder or Path("runs") / resolved.name
    budget = _budget(max_cost, max_calls, max_time)
    options = RunOptions(store, not no_retry_failed, budget, where if new else None)
    _run(resolved, new or where, options, follow=follow)


def resume(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    follow: flags.Follow = False,
    store: flags.Store = None,
    no_retry_failed: flags.NoRetry = False,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Go on with a run from its folder alone; failed dialogues are tried again."""
    suite = load_suite(str(open_run(folder).plan_file))
    options = RunOptions(store, not no_retry_failed, _budget(max_cost, max_calls, max_time))
    _run(suite, folder, options, follow=follow)


def _budget(max_cost: float | None, max_calls: int | None, max_time: float | None) -> Budget:
    for flag, value in (("cost", max_cost), ("calls", max_calls), ("time", max_time)):
        if value is not None and value <= 0:
            raise ConfigError(f"--max-{flag} {value}: a number above 0 is wanted")
    return Budget(max_cost=max_cost, max_calls=max_calls, max_time=max_time)


def _run(suite: Suite, where: Path, options: RunOptions, *, follow: bool) -> None:
    """Runs and prints; exits with 1 when a dialogue failed, 3 at a limit, 130 or 143 if stopped."""
    # Live dialogues make many small objects; looking for cycles in them costs a third of the CPU.
    gc.set_threshold(20_000, 20, 50)
    live, drain, got = LiveRun(out, follow=follow), Drain(), []  # type: ignore[var-annotated]
    try:
        with live.progress:
            asyncio.run(_until_signal(suite, where, options, live, drain, got))
    except (KeyboardInterrupt, asyncio.CancelledError):
        _stopped(where, got[0] if got else signal.SIGINT)
    if got:
        _stopped(where, got[0])
    failed = print_run(open_run(where))
    if any(str(c.spec).startswith("local:") for c in suite.models.values()):
        out.print(Text(SMALL, style="yellow"))
    out.print(f"Run folder: {where}   (emoharbor show {where})")
    if drain.reason:
        out.print(f"Stopped at a limit: {drain.reason}. Go on with: emoharbor resume {where}")
        raise typer.Exit(LIMIT_REACHED)
    if failed:
        out.print(f"{failed} dialogues failed; try them again with: emoharbor resume {where}")
        raise typer.Exit(1)


async def _until_signal(
    suite: Suite,
    where: Path,
    options: RunOptions,
    live: LiveRun,
    drain: Drain,
    got: list[signal.Signals],
) -> None:
    """The first signal drains the run, the second one ends it at once."""
    task = asyncio.current_task()
    assert task is not None

    def on_signal(number: signal.Signals) -> None:
        got.append(number)
        if len(got) > 1:
            task.cancel()
            return
        out.print("Stopping: calls in flight are finished and kept. Once more stops at once.")
        drain.request(number.name)

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows has no such handlers; there Ctrl-C stops at once, and nothing is lost either.
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, on_signal, number)
    await run_suite(suite, where, live.listener, options, drain)


def _stopped(where: Path, number: signal.Signals) -> NoReturn:
    out.print(f"Stopped; what was finished is kept. Go on with: emoharbor resume {where}")
    raise typer.Exit(128 + number) from None
