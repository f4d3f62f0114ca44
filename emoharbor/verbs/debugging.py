"""`history` and `replay`: looking into recorded dialogues.

Each verb imports what it needs when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.runs.history import Step


def history(
    run: flags.Run,
    dialogue: flags.Dialogue,
    step: Annotated[int | None, typer.Option(help="The whole state after this step.")] = None,
    call: Annotated[int | None, typer.Option(help="Raw request and reply of this call.")] = None,
    store: flags.Store = None,
) -> None:
    """Every checkpoint of a dialogue: its node, what it changed, its calls, and its branches."""
    asyncio.run(_history(run, dialogue, step, call, store))


async def _history(
    run: Path, dialogue: str, step: int | None, call: int | None, store: str | None
) -> None:
    from emoharbor.runs.find import find_thread
    from emoharbor.runs.opened import open_for_debugging
    from emoharbor.runs.tree import branches_of
    from emoharbor.terminal.dialogues import call_view
    from emoharbor.terminal.steps import state_view, steps_view

    async with open_for_debugging(run, store) as opened:
        own = await find_thread(opened.reader, dialogue)
        records = (await opened.reader.records()).values()
        record = next((r for r in records if r.own_thread == own), None)
        # What was changed by hand while stepping went on in another thread each time.
        by_hand = opened.suite.branch.by_hand if opened.suite.branch else ()
        before = [done.thread for done in by_hand]
        threads = dict.fromkeys((*before, own, record.thread if record else own))
        found = {thread: await opened.history(thread) for thread in threads}
        steps = [s for steps in found.values() for s in steps]
        if call is not None:
            out.print(call_view(_call(steps, call)))
        elif step is not None:
            out.print(state_view(_step(steps, step)))
        else:
            if record and record.branched:
                out.print(f"branch of {record.branched}", highlight=False)
            first = 1
            for thread, its in found.items():
                out.print(steps_view(thread, its, first))
                first += sum(len(s.calls) for s in its)
            for name, number in await branches_of(run, store, own):
                out.print(f"branched after step {number}: {name}", highlight=False)


def _call(steps: list[Step], number: int) -> dict[str, Any]:
    calls = [call for step in steps for call in step.calls]
    if not 1 <= number <= len(calls):
        raise ConfigError(f"--call {number}: the dialogue has calls 1 to {len(calls)}")
    return calls[number - 1]


def _step(steps: list[Step], number: int) -> Step:
    found = next((step for step in steps if step.number == number), None)
    if found is None:
        last = max((step.number for step in steps), default=0)
        raise ConfigError(f"--step {number}: the dialogue has steps up to {last}")
    return found


def replay(
    run: flags.Run,
    dialogue: flags.OneDialogue = None,
    store: flags.Store = None,
) -> None:
    """Play a run again from its journal, without a model; exits with 1 where something differs."""
    result = asyncio.run(_replay(run, dialogue, store))
    for difference in result.differences:
        out.print(str(difference), style="red", highlight=False, markup=False)
    out.print(
        f"{result.same} dialogues are what was recorded, {len(result.differences)} differ; "
        f"{result.calls} calls read from the journal, no model asked"
    )
    if result.differences:
        raise typer.Exit(1)


async def _replay(run: Path, dialogue: str | None, store: str | None) -> Any:
    from emoharbor.runs.find import find_record
    from emoharbor.runs.opened import open_for_debugging
    from emoharbor.runs.replay import replay_of

    async with open_for_debugging(run, store) as opened:
        records = list((await opened.reader.records()).values())
        if dialogue is not None:
            records = [await find_record(opened.reader, dialogue)]
        ready = await replay_of(opened.suite, opened.recorded, opened.reader.call_lines)
        return await ready.run(records, await opened.beginnings(records))
