"""`show`, `runs` and `watch`: reading what a run has left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from emoharbor.errors import ConfigError
from emoharbor.runs.find import calls_of, find_record
from emoharbor.runs.folder import RunFolder, open_run
from emoharbor.runs.listing import RunState, list_runs, state_of
from emoharbor.stats.cost import load_prices
from emoharbor.stats.summary import summarize
from emoharbor.terminal.dialogues import call_view, dialogue_view
from emoharbor.terminal.tables import (
    dialogue_table,
    run_line,
    runs_table,
    score_table,
    usage_table,
)
from emoharbor.verbs.console import out


def show(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    dialogue: Annotated[
        str | None, typer.Argument(help="SUPPORTER/PROFILE/REPEAT, or a part of it.")
    ] = None,
    prompts: Annotated[
        str | None, typer.Option(help="The exact requests and replies of this role.")
    ] = None,
) -> None:
    """The table of a run, or one dialogue with inner states, ending and reasons."""
    folder = open_run(run)
    if dialogue is None:
        if prompts:
            raise ConfigError(
                "--prompts needs a DIALOGUE: emoharbor show RUN DIALOGUE --prompts ROLE"
            )
        print_run(folder)
        out.print(dialogue_table(list(folder.records().values())))
        return
    record = find_record(folder, dialogue)
    if prompts is None:
        out.print(dialogue_view(record))
    for entry in calls_of(folder, record, prompts) if prompts else ():
        out.print(call_view(entry))


def runs(
    folder: Annotated[Path, typer.Argument(help="Where the run folders lie.")] = Path("runs"),
) -> None:
    """The runs in a folder: running, interrupted or finished, how far, at what cost."""
    found = list_runs(folder)
    if not found:
        out.print(f"No run in {folder}.")
        return
    out.print(runs_table(found))


def watch(
    run: Annotated[Path, typer.Argument(help="A run's folder.")],
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 2.0,
) -> None:
    """Follow a live run from another terminal until it ends."""
    last: RunState | None = None
    while True:
        state = state_of(open_run(run))
        if state != last:
            out.print(run_line(state))
        if state.word != "running":
            return
        last = state
        time.sleep(every)


def print_run(folder: RunFolder) -> int:
    """The tables of a run; returns how many of its dialogues failed."""
    summaries = summarize(folder.records().values())
    if not summaries:
        out.print("No dialogue is finished yet.")
        return 0
    prices = load_prices()
    out.print(score_table(summaries))
    for summary in summaries:
        out.print(usage_table(summary, prices))
    return sum(summary.failed for summary in summaries)
