"""`run` and `resume`: signals, progress, tables and exit codes."""

from __future__ import annotations

import asyncio
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
from emoharbor.verbs.console import out
from emoharbor.verbs.showing import print_run

SMALL = (
    "A model of this size shows that the machinery works, not how well anybody supports anybody: "
    "do not read its scores as judgement."
)
LIMIT_REACHED = 3

Follow = Annotated[bool, typer.Option("--follow", help="Print every dialogue as it unfolds.")]
Store = Annotated[
    str | None,
    typer.Option(help="redis://HOST:PORT/DB for a run that any machine can go on with.",
                 envvar="EMOHARBOR_STORE"),
]  # fmt: skip
MaxCost = Annotated[float | None, typer.Option(help="Stop, resumably, at so many US dollars.")]
MaxCalls = Annotated[int | None, typer.Option(help="Stop, resumably, at so many model calls.")]
MaxTime = Annotated[float | None, typer.Option(help="Stop, resumably, after so many seconds.")]
NoRetry = Annotated[
    bool, typer.Option("--no-retry-failed", help="Leave failed dialogues as they are.")
]


def run(
    suite: Annotated[str, typer.Argument(help="A shipped suite, or a suite's YAML file.")],
    supporter: Annotated[
        list[str], typer.Option(help="[NAME=]provider:model[@base_url]; repeat for more columns.")
    ] = [],  # noqa: B006
    model: Annotated[str | None, typer.Option(help="The model of user and judge.")] = None,
    judge: Annotated[str | None, typer.Option(help="Another model for the judge.")] = None,
    language: Annotated[str | None, typer.Option(help="en or zh.")] = None,
    profiles: Annotated[
        str | None, typer.Option(help="en, zh, a file or folder; en?topic=work")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="The first so many profiles.")] = None,
    repeats: Annotated[int | None, typer.Option(help="Dialogues a profile.")] = None,
    turns: Annotated[int | None, typer.Option(help="Exchanges a dialogue, at most.")] = None,
    seed: Annotated[int | None, typer.Option(help="The run's seed.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Calls in flight an endpoint.")] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Run folder (runs/SUITE).")] = None,
    settings: Annotated[
        list[str], typer.Option("--set", help="KEY=VALUE, as in agents.talker.temperature=0.9")
    ] = [],  # noqa: B006
    new: Annotated[
        Path | None,
        typer.Option("--as", help="A new run folder that takes over what is still the same."),
    ] = None,
    follow: Follow = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan; call nobody.")
    ] = False,
    store: Store = None,
    no_retry_failed: NoRetry = False,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    max_time: MaxTime = None,
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
    follow: Follow = False,
    store: Store = None,
    no_retry_failed: NoRetry = False,
    max_cost: MaxCost = None,
    max_calls: MaxCalls = None,
    max_time: MaxTime = None,
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
