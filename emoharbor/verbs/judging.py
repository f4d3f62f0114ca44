"""`judge`: recorded dialogues judged again; what `resume` and `show` do with a judging.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.judging.run import Judged
    from emoharbor.judging.wanted import Work
    from emoharbor.runs.drain import Drain
    from emoharbor.runs.engine import RunOptions
    from emoharbor.runs.reader import RunReader
    from emoharbor.state.record import DialogueRecord


class StrategyName(StrEnum):
    """How much of the user a judge knows."""

    standard = "standard"
    user_aware = "user_aware"
    internal_state_aware = "internal_state_aware"


Dialogues = Annotated[
    Path,
    typer.Argument(
        metavar="RUN|FILE|FOLDER",
        help="A run; or a file or folder of worst-case, ESConv or chat JSON.",
    ),
]
Judges = Annotated[list[str], typer.Option("--model", help="A judge; repeat for several.")]
Strategies = Annotated[
    list[StrategyName], typer.Option("--strategy", help="What the judge knows; repeatable.")
]
RubricName = Annotated[str | None, typer.Option(help="A shipped rubric, or a YAML file of one.")]
Repeats = Annotated[int, typer.Option(min=1, help="Verdicts a dialogue.")]
Every = Annotated[
    int | None, typer.Option(min=1, help="Judge what was said up to exchange N, 2N, … too.")
]
Limit = Annotated[int | None, typer.Option(min=1, help="The first so many dialogues.")]
Thinker = Annotated[
    str | None, typer.Option(help="Who simulates inner states that are missing (the judge).")
]
Profiles = Annotated[
    str | None, typer.Option(help="Who the users are: a set, a file or a folder (the run's).")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="In which folder judged/ lies (RUN; runs/NAME of a file)."),
]


def judge(
    dialogues: Dialogues,
    model: Judges,
    strategy: Strategies = [],  # noqa: B006
    rubric: RubricName = None,
    repeats: Repeats = 1,
    every: Every = None,
    limit: Limit = None,
    thinker: Thinker = None,
    profiles: Profiles = None,
    concurrency: flags.Concurrency = None,
    folder: Out = None,
    settings: flags.Settings = [],  # noqa: B006
    store: flags.Store = None,
    no_retry_failed: flags.NoRetry = False,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Judge recorded dialogues again without having them again."""
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.doing import budget_of

    budget = budget_of(max_cost, max_calls, max_time)
    wanted = {"repeats": repeats, "every": every, "limit": limit, "profiles": profiles}
    asked = {"rubric": rubric, "concurrency": concurrency, "settings": settings}
    strategies: list[str | None] = [one.value for one in dict.fromkeys(strategy)]
    who = [(spec, one) for spec in dict.fromkeys(model) for one in strategies or [None]]
    works = _works(dialogues, folder, store, wanted, asked, who, thinker)
    do_judgings(works, RunOptions(store, not no_retry_failed, budget))


def resume_judging(values: dict[str, Any], folder: Path, options: RunOptions) -> None:
    """Goes on with the judging whose run.yaml holds `values`."""
    from emoharbor.judging.wanted import kept_work

    do_judgings([kept_work(values, folder)], options)


def do_judgings(works: list[Work], options: RunOptions) -> None:
    """Judges and prints; exits with 1 when something failed, 3 at a limit, 130 or 143 if stopped.

    Missing inner states are simulated first, once for all judgings that have them in common.
    """
    from emoharbor.judging.wanted import states_work
    from emoharbor.runs.drain import Drain
    from emoharbor.terminal.judging import judged_sheet, things_of
    from emoharbor.terminal.sheets import emit
    from emoharbor.verbs.doing import end

    first = {states.folder: states for work in works if (states := states_work(work))}
    done: list[Judged] = []
    todo = [*first.values(), *works]
    for work in todo:
        drain = Drain()
        try:
            done.append(_do(work, options, drain))
        except typer.Exit:
            _say_rest(todo)
            raise
        if drain.reason:
            _say_rest(todo)
            break
    sheets = [judged_sheet(one.work, one.records) for one in done if one.work.role == "evaluator"]
    emit(out, sheets, None, None)
    for one in done:
        words = f"{one.work.folder}   (emoharbor show {one.work.folder})"
        out.print(words, markup=False, highlight=False, soft_wrap=True)
    for one in done[:-1]:
        if one.failed:
            out.print(f"{one.failed} failed in {one.work.folder}", markup=False, highlight=False)
    last = done[-1]
    end(last.work.folder, drain, f"{last.failed} {things_of(last.work)}" if last.failed else "")
    if any(one.failed for one in done):
        raise typer.Exit(1)


def show_judging(records: list[DialogueRecord], values: dict[str, Any], reader: RunReader) -> None:
    """What came of a judging, by dimension and by dialogue."""
    from emoharbor.judging.wanted import kept_work
    from emoharbor.terminal.judging import judged_sheet
    from emoharbor.terminal.sheets import emit
    from emoharbor.terminal.tables import dialogue_table

    work = kept_work(values, Path(reader.where))
    if work.role == "evaluator":
        emit(out, [judged_sheet(work, records)], None, None)
    out.print(dialogue_table(records))


def _works(
    dialogues: Path,
    folder: Path | None,
    store: str | None,
    wanted: dict[str, Any],
    asked: dict[str, Any],
    who: list[tuple[str, str | None]],
    thinker: str | None,
) -> list[Work]:
    import os

    from emoharbor.judging.source import at_hand
    from emoharbor.judging.wanted import Asked, Wanted, work_of
    from emoharbor.runs.store import name_of
    from emoharbor.terminal.audit import left_out_view

    run = asyncio.run(at_hand(dialogues, folder, store))
    if run.brought:
        for line in left_out_view(run.brought.left_out, f"{run.folder}/run.yaml names them all"):
            out.print(line)
    base = folder or run.folder
    what = Wanted(run=name_of(run.folder), source=os.path.relpath(run.folder, base), **wanted)
    return [
        work_of(
            what,
            run.values,
            Asked(spec, strategy, thinker=(thinker or spec) if run.stateless else None, **asked),
            base,
            stateless=run.stateless,
        )
        for spec, strategy in who
    ]


def _say_rest(todo: list[Work]) -> None:
    if len(todo) > 1:
        out.print("The same command goes on with all that was asked for.")


def _do(work: Work, options: RunOptions, drain: Drain) -> Judged:
    from functools import partial

    from emoharbor.judging.run import run_judging
    from emoharbor.terminal.judging import LiveJudging
    from emoharbor.verbs.doing import until_signal

    live = LiveJudging(out, work)
    ask = partial(run_judging, work, live.listener, options, drain)
    return until_signal(ask, work.folder, drain, live.bar)
