"""`show`, `runs` and `watch`: reading what a run has left.

Each verb imports what it needs when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.runs.folder import RunFolder
    from emoharbor.state.record import DialogueRecord

Run = Annotated[Path, typer.Argument(help="A run's folder; with --store its name there.")]


def show(
    run: Run,
    dialogue: Annotated[
        str | None, typer.Argument(help="SUPPORTER/PROFILE/REPEAT, or a part of it.")
    ] = None,
    prompts: Annotated[
        str | None, typer.Option(help="The exact requests and replies of this role.")
    ] = None,
    store: flags.Store = None,
) -> None:
    """The table of a run, or one dialogue with inner states, ending and reasons."""
    import asyncio

    if prompts and dialogue is None:
        raise ConfigError("--prompts needs a DIALOGUE: emoharbor show RUN DIALOGUE --prompts ROLE")
    asyncio.run(_show(run, store, dialogue, prompts))


async def _show(run: Path, store: str | None, dialogue: str | None, prompts: str | None) -> None:
    import yaml

    from emoharbor.runs.answers import is_inquiry
    from emoharbor.runs.find import calls_of, find_record
    from emoharbor.runs.folder import is_build, is_judging
    from emoharbor.runs.reader import open_reader
    from emoharbor.terminal.dialogues import call_view, dialogue_view
    from emoharbor.terminal.tables import dialogue_table
    from emoharbor.verbs.building import show_build
    from emoharbor.verbs.inquiring import show_inquiry
    from emoharbor.verbs.judging import show_judging

    async with open_reader(run, store) as reader:
        if is_build(values := yaml.safe_load(await reader.plan() or "") or {}):
            await show_build(reader, values, dialogue, prompts)
            return
        if is_inquiry(values):
            await show_inquiry(reader, values, dialogue, prompts)
            return
        if dialogue is None:
            records = in_order((await reader.records()).values(), values)
            if is_judging(values):
                show_judging(records, values, reader)
                return
            print_records(records)
            out.print(dialogue_table(records))
            return
        record = await find_record(reader, dialogue)
        if prompts is None:
            out.print(dialogue_view(record))
        for entry in await calls_of(reader, record, prompts) if prompts else ():
            out.print(call_view(entry))


def runs(
    folder: Annotated[Path, typer.Argument(help="Where the run folders lie.")] = Path("runs"),
    store: flags.Store = None,
) -> None:
    """The runs in a folder and a store: how far, at what cost, and who runs them."""
    import asyncio

    from emoharbor.runs.listing import list_runs
    from emoharbor.terminal.tables import runs_table

    found = asyncio.run(list_runs(folder, store))
    if not found:
        out.print(f"No run in {folder}{' and none in the store' if store else ''}.")
        return
    out.print(runs_table(found))


def watch(
    run: Run,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 2.0,
    store: flags.Store = None,
) -> None:
    """Follow a live run from another terminal until it ends."""
    import asyncio

    asyncio.run(_watch(run, store, every))


async def _watch(run: Path, store: str | None, every: float) -> None:
    from emoharbor.runs.listing import follow
    from emoharbor.runs.reader import open_reader
    from emoharbor.terminal.tables import run_line

    async with open_reader(run, store) as reader:
        async for state in follow(reader, every):
            out.print(run_line(state))


def print_run(folder: RunFolder) -> int:
    """The tables of a run; returns how many of its dialogues failed."""
    import yaml

    values = yaml.safe_load(folder.plan_file.read_text(encoding="utf-8")) or {}
    return print_records(in_order(folder.records().values(), values))


def in_order(records: Iterable[DialogueRecord], values: Mapping[str, Any]) -> list[DialogueRecord]:
    """As the suite in run.yaml has them, and not as they happened to finish."""
    names = [supporter["name"] for supporter in values.get("supporters") or ()]
    place = {name: number for number, name in enumerate(names)}
    return sorted(records, key=lambda r: (place.get(r.supporter, len(place)), *r.cell))


def print_records(records: Iterable[DialogueRecord]) -> int:
    """The tables of these dialogues; returns how many of them failed."""
    from emoharbor.stats.cost import load_prices
    from emoharbor.stats.summary import summarize
    from emoharbor.terminal.tables import score_table, usage_table

    summaries = summarize(records)
    if not summaries:
        out.print("No dialogue is finished yet.")
        return 0
    prices = load_prices()
    out.print(score_table(summaries))
    for summary in summaries:
        if summary.usage:
            out.print(usage_table(summary, prices))
    return sum(summary.failed for summary in summaries)
