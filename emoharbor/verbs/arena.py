"""`arena`: dialogues of several runs against each other, pair by pair.

The verb imports what it needs when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.verbs import flags

if TYPE_CHECKING:
    from emoharbor.verbs.inquiring import Prepared


def arena(
    runs: Annotated[list[Path], typer.Argument(help="Run folders, one or more.")],
    model: Annotated[str, typer.Option(help="Who judges the pairs.")],
    question: Annotated[
        str, typer.Option(help="humanlike (the users) or helpful (the supporters).")
    ] = "humanlike",
    limit: flags.Limit = None,
    seed: flags.Seed = None,
    concurrency: flags.Concurrency = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Run folder (runs/arena-…).")] = None,
    form: flags.TableFormat = None,
    output: flags.TableOut = None,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Which of two dialogues is better: every pair of runs on the same people, in both orders."""
    from emoharbor.judging.arena import ArenaConfig
    from emoharbor.models.config import ModelConfig
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.doing import budget_of
    from emoharbor.verbs.inquiring import do_inquiry

    named = _named(runs)
    more = {"concurrency": concurrency} if concurrency else {}
    config = ArenaConfig(
        runs={name: str(path.absolute()) for name, path in named.items()},
        question=question,
        model=ModelConfig.model_validate({"spec": model, **more}),
        seed=seed or 0,
        limit=limit,
    )
    where = folder or Path("runs") / f"arena-{question}-{'-'.join(named)}"[:80]
    options = RunOptions(budget=budget_of(max_cost, max_calls, max_time))
    do_inquiry(prepare(config.values), where, options, form, output)


def prepare(values: dict[str, Any]) -> Prepared:
    """The matches that the values of a run.yaml ask for, and their tables."""
    import asyncio
    from functools import partial

    from emoharbor.judging.arena import ArenaConfig, asked_about, make_arena
    from emoharbor.reports.arena import arena_sheets
    from emoharbor.runs.answers import Asked
    from emoharbor.runs.reader import open_reader
    from emoharbor.sheets import Sheet

    config = ArenaConfig.model_validate(values)
    text = asked_about(config.question)["en"].strip()

    async def read() -> dict[str, list[Any]]:
        found = {}
        for name, path in config.runs.items():
            async with open_reader(Path(path)) as reader:
                found[name] = list((await reader.records()).values())
        return found

    def tables(asked: Asked) -> list[Sheet]:
        return arena_sheets(asked.answers, len(asked.failed), asked.left, text, config.seed)

    return partial(make_arena, config, asyncio.run(read())), tables


def _named(runs: list[Path]) -> dict[str, Path]:
    from emoharbor.errors import ConfigError

    named = {path.absolute().name: path for path in runs}
    if len(named) < len(runs):
        raise ConfigError("two of the runs have the same name: a contestant is named by its folder")
    return named
