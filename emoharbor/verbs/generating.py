"""`generate`: from people and a strong supporter to training data in one go.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.verbs import exporting, flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.runs.engine import RunOptions
    from emoharbor.suite import Suite
    from emoharbor.training.data import Asked, Overlap

Suites = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SUITE]…", help="Shipped suites or YAML files; those of the recipe by default."
    ),
]
Form = Annotated[str, typer.Option("--format", help="chat, sharegpt, alpaca or hf.")]
FAILED = 1


def generate(
    output: exporting.Output,
    suites: Suites = None,
    supporter: flags.Supporters = [],  # noqa: B006
    recipe: exporting.Recipe = None,
    count: exporting.Count = None,
    form: Form = "chat",
    model: flags.Model = None,
    judge: flags.Judge = None,
    language: flags.LanguageName = None,
    profiles: flags.Profiles = None,
    limit: flags.Limit = None,
    repeats: flags.Repeats = None,
    turns: flags.Turns = None,
    seed: flags.Seed = None,
    concurrency: flags.Concurrency = None,
    settings: flags.Settings = [],  # noqa: B006
    min_mean: exporting.MinMean = None,
    min_score: exporting.MinScore = [],  # noqa: B006
    ending: exporting.Endings = [],  # noqa: B006
    exchanges: exporting.Exchanges = None,
    validation: exporting.Validation = 0.1,
    against: exporting.Against = [],  # noqa: B006
    drop_overlap: exporting.DropOverlap = False,
    inner_states: exporting.InnerStates = False,
    dry_run: flags.DryRun = False,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
) -> None:
    """Run, filter and export in one: the cost first, and resumable by the same command."""
    from emoharbor.training.data.asked import asked_from_flags, wanted_from_flags

    wanted = wanted_from_flags(min_mean, min_score, ending, exchanges)
    how: Any = {"drop_overlap": drop_overlap, "inner_states": inner_states, "seed": seed or 0}
    asked = asked_from_flags(form, wanted, recipe, count, validation=validation, **how)
    plain = {"language": language, "profiles": profiles, "limit": limit, "repeats": repeats}
    plain |= {"max_turns": turns, "seed": seed, "concurrency": concurrency}
    chosen = _resolved(suites or [], asked, supporter, model, judge, plain, settings)
    _generate(chosen, asked, output, against, (max_cost, max_calls), dry_run=dry_run)


def _resolved(
    names: Sequence[str],
    asked: Asked,
    supporters: Sequence[str],
    model: str | None,
    judge: str | None,
    plain: dict[str, Any],
    settings: Sequence[str],
) -> dict[str, Suite]:
    """The suites with all flags, each under the name of its run folder."""
    from emoharbor.flags import suite_from_flags
    from emoharbor.training.data.generation import suites_for

    return {
        folder: suite_from_flags(
            name,
            supporters=supporters,
            model=model,
            judge=judge,
            plain=plain,
            settings=settings,
        )
        for folder, name in suites_for(names, asked.recipe).items()
    }


def _generate(
    suites: Mapping[str, Suite],
    asked: Asked,
    output: Path,
    against: Sequence[str],
    most: tuple[float | None, int | None],
    *,
    dry_run: bool,
) -> None:
    from emoharbor.runs.engine import RunOptions
    from emoharbor.training.data import export
    from emoharbor.training.data.export import refuse_full
    from emoharbor.verbs.doing import budget_of

    cost, calls = most
    budget_of(cost, calls, None)
    runs = {folder: output / "runs" / folder for folder in suites}
    if not (output / "runs").is_dir():
        refuse_full(output)
    kept, dropped = _kept(suites, asked, against)
    asyncio.run(_print_estimates({runs[folder]: suite for folder, suite in kept.items()}))
    if dry_run:
        return
    each = budget_of(cost and cost / len(runs), calls and max(1, calls // len(runs)), None)
    whole = [_run(kept[folder], where, RunOptions(budget=each)) for folder, where in runs.items()]
    work = export([*runs.values()], asked, output, against, again=True, dropped=dropped)
    exporting.print_exported(asyncio.run(work))
    if not all(whole):
        raise typer.Exit(FAILED)


def _kept(
    suites: Mapping[str, Suite], asked: Asked, against: Sequence[str]
) -> tuple[dict[str, Suite], list[Overlap]]:
    """The suites without the people of the evaluation, before anything is spent on them."""
    from emoharbor.training.data.generation import without_overlap
    from emoharbor.training.data.people import people_of

    there = asyncio.run(people_of(against))
    kept: dict[str, Suite] = {}
    dropped: list[Overlap] = []
    for folder, suite in suites.items():
        kept[folder], found = without_overlap(suite, there, against, drop=asked.drop_overlap)
        dropped += found
    return kept, dropped


async def _print_estimates(suites: Mapping[Path, Suite]) -> None:
    """A table of what each run takes at most, and what is not known of it."""
    from rich.table import Table

    from emoharbor.stats.cost import load_prices
    from emoharbor.training.data.estimate import estimate

    prices = load_prices()
    found = [await estimate(suite, where, prices) for where, suite in suites.items()]
    table = Table(title="At most, when no user leaves early", title_justify="left")
    table.add_column("suite", overflow="fold")
    for head in ("dialogues", "finished", "model calls", "input tokens", "output tokens", "USD"):
        table.add_column(head, justify="right")
    for one in found:
        tokens = (_about(one.input_tokens), _about(one.output_tokens))
        usd = "unknown" if one.usd is None else f"{one.usd:.2f}"
        counts = map(str, (one.dialogues, one.finished, one.calls))
        table.add_row(one.suite, *counts, *tokens, usd)
    out.print(table)
    exporting.say("Tokens are rough: one dialogue was rehearsed with a script, nobody was asked.")
    if unpriced := sorted({spec for one in found for spec in one.unpriced}):
        exporting.say(f"No price is known for {', '.join(unpriced)} (prices.yaml).")


def _about(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"


def _run(suite: Suite, where: Path, options: RunOptions) -> bool:
    """Whether every dialogue of the run is finished; a stop or a limit ends all."""
    from emoharbor.verbs.doing import do

    try:
        do(suite, where, options, follow=False)
    except typer.Exit as end:
        if end.exit_code == FAILED:
            return False
        exporting.say("The same command goes on, and writes the data when the runs are finished.")
        raise
    return True
