"""`fork`: going on from inside recorded dialogues with something else.

What it needs is imported when it is called, so that help and completion come at once.
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
    from emoharbor.runs.fork import Branches, Cut
    from emoharbor.suite import Suite

Every = Annotated[bool, typer.Option("--all", help="Every dialogue of the run.")]
AtTurn = Annotated[int | None, typer.Option(help="Keep the first so many exchanges.")]
AtStep = Annotated[int | None, typer.Option(help="Keep all up to this step (see history).")]
Of = Annotated[str | None, typer.Option(help="Only the dialogues of this supporter.")]
Edits = Annotated[
    list[str],
    typer.Option(help="supporter=TEXT, user=TEXT or thinker.FIELD=VALUE: the last kept one."),
]


def fork(
    run: flags.Run,
    dialogue: flags.OneDialogue = None,
    every: Every = False,
    at_turn: AtTurn = None,
    at_step: AtStep = None,
    supporter: flags.Supporters = [],  # noqa: B006
    of: Of = None,
    model: flags.Model = None,
    judge: flags.Judge = None,
    settings: flags.Settings = [],  # noqa: B006
    edit: Edits = [],  # noqa: B006
    folder: flags.Out = None,
    store: flags.Store = None,
    follow: flags.Follow = False,
    dry_run: flags.DryRun = False,
) -> None:
    """Go on from inside recorded dialogues with another agent, model, prompt or line: a new run."""
    from emoharbor.runs.edits import parse_edit
    from emoharbor.runs.fork import Cut

    if (dialogue is None) == (not every):
        raise ConfigError("name one DIALOGUE to fork, or --all")
    edits = dict(map(parse_edit, edit))
    cut = Cut(at_turn, at_step)
    swaps = {"supporters": supporter, "model": model, "judge": judge, "settings": settings}
    suite, made = asyncio.run(_cut(run, dialogue, store, cut, of, edits, swaps))
    for name, why in made.left_out.items():
        out.print(f"left out: {name}: {why}", highlight=False)
    if dry_run:
        from emoharbor.verbs.doing import print_plan

        print_plan(suite)
        return
    _go_on(suite, made, run, folder or _unused(run, cut), store, follow=follow)


def _go_on(
    suite: Suite, made: Branches, run: Path, where: Path, store: str | None, *, follow: bool
) -> None:
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.doing import do

    if (where / "run.yaml").exists():
        raise ConfigError(f"{where} holds a run already: name another folder with --out")
    out.print(f"{len(made.origins)} dialogues go on from {run} in {where}", highlight=False)
    do(suite, where, RunOptions(store, seeds=made.seeds), follow=follow)


async def _cut(
    run: Path,
    dialogue: str | None,
    store: str | None,
    cut: Cut,
    of: str | None,
    edits: dict[str, Any],
    swaps: dict[str, Any],
) -> tuple[Suite, Branches]:
    from emoharbor.flags import changed_suite
    from emoharbor.runs.find import find_record
    from emoharbor.runs.fork import branch_suite, cut_all
    from emoharbor.runs.opened import open_for_debugging

    async with open_for_debugging(run, store) as opened:
        suite = changed_suite({**opened.values, "branch": None}, str(run), **swaps)
        if dialogue is None:
            records = list((await opened.reader.records()).values())
        else:
            records = [await find_record(opened.reader, dialogue)]
        records = [r for r in records if of in (None, r.supporter)]
        others = [s.name for s in suite.supporters] if swaps["supporters"] else []
        made = await cut_all(opened.graph, records, cut, supporters=others, edits=edits)
        return branch_suite(suite, run.resolve().name, made, edits), made


def _unused(run: Path, cut: Cut) -> Path:
    """runs/PARENT-turn-4, or with -2, -3 … behind it."""
    at = f"turn-{cut.turn}" if cut.turn is not None else f"step-{cut.step}"
    base = run.parent / f"{run.resolve().name}-{at}"
    names = (base if n == 1 else base.with_name(f"{base.name}-{n}") for n in range(1, 1000))
    return next(path for path in names if not path.exists())
