"""What `run` and `resume` do: signals, progress, tables and exit codes."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import typer
from rich.text import Text

from emoharbor.errors import ConfigError, Stopped
from emoharbor.runs.budget import Budget
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import plan_suite, run_suite
from emoharbor.runs.folder import open_run
from emoharbor.suite import Suite
from emoharbor.terminal.bar import Bar
from emoharbor.terminal.live import LiveRun
from emoharbor.terminal.tables import plan_table
from emoharbor.verbs.console import out
from emoharbor.verbs.showing import print_run
from emoharbor.verbs.tracing import spans_sent

SMALL = (
    "A model of this size shows that the machinery works, not how well anybody supports anybody: "
    "do not read its scores as judgement."
)
LIMIT_REACHED = 3
T = TypeVar("T")
Work = Callable[[], Coroutine[Any, Any, T]]


def print_plan(suite: Suite) -> None:
    """What would be run; nobody is called."""
    out.print(plan_table(plan_suite(suite)))


def budget_of(max_cost: float | None, max_calls: int | None, max_time: float | None) -> Budget:
    """The three limits. Raises ConfigError for one that is not above 0."""
    for flag, value in (("cost", max_cost), ("calls", max_calls), ("time", max_time)):
        if value is not None and value <= 0:
            raise ConfigError(f"--max-{flag} {value}: a number above 0 is wanted")
    return Budget(max_cost=max_cost, max_calls=max_calls, max_time=max_time)


def do(suite: Suite, where: Path, options: RunOptions, *, follow: bool) -> None:
    """Runs and prints; exits with 1 when a dialogue failed, 3 at a limit, 130 or 143 if stopped."""
    live, drain = LiveRun(out, follow=follow), Drain()
    work = partial(run_suite, suite, where, live.listener, options, drain)
    until_signal(work, where, drain, live.bar)
    failed = print_run(open_run(where))
    if any(str(c.spec).startswith("local:") for c in suite.models.values()):
        out.print(Text(SMALL, style="yellow"))
    out.print(f"Run folder: {where}   (emoharbor show {where})")
    end(where, drain, f"{failed} dialogues" if failed else "")


def until_signal(work: Work[T], where: Path, drain: Drain, bar: Bar) -> T:
    """What `work` returns; exits with 130 or 143 when a signal stopped it.

    The first signal drains the run, the second one ends it at once.
    """
    # Live dialogues make many small objects; looking for cycles in them costs a third of the CPU.
    gc.set_threshold(20_000, 20, 50)
    got: list[signal.Signals] = []
    try:
        with spans_sent(), bar.progress:
            result = asyncio.run(_with_signals(work, drain, got))
    except Stopped:
        # While an endpoint was being asked whether it is there, or a server started.
        out.print("Stopped before anything was asked; nothing is lost.")
        raise typer.Exit(128 + (got[0] if got else signal.SIGINT)) from None
    except (KeyboardInterrupt, asyncio.CancelledError):
        _stopped(where, got[0] if got else signal.SIGINT)
    if got:
        _stopped(where, got[0])
    return result


def end(where: Path, drain: Drain, failed: str) -> None:
    """Says how to go on; exits with 3 when a limit was reached, 1 when some `failed`."""
    if drain.reason:
        said = f"Stopped at a limit: {drain.reason}. Go on with: emoharbor resume {where}"
        out.print(said, soft_wrap=True)
        raise typer.Exit(LIMIT_REACHED)
    if failed:
        said = f"{failed} failed; try them again with: emoharbor resume {where}"
        out.print(said, soft_wrap=True)
        raise typer.Exit(1)


async def _with_signals(work: Work[T], drain: Drain, got: list[signal.Signals]) -> T:
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
    return await work()


def _stopped(where: Path, number: signal.Signals) -> NoReturn:
    said = f"Stopped; what was finished is kept. Go on with: emoharbor resume {where}"
    out.print(said, soft_wrap=True)
    raise typer.Exit(128 + number) from None
