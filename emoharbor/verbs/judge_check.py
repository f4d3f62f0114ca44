"""`judge-check`: a judge is tested before it is trusted.

The verb imports what it needs when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.verbs import flags

if TYPE_CHECKING:
    from emoharbor.verbs.inquiring import Prepared


Dialogues = Annotated[int | None, typer.Option(help="The first so many dialogues.")]
Out = Annotated[Path | None, typer.Option("--out", help="Run folder (runs/judge-check-…).")]
Run = Annotated[Path, typer.Argument(help="A run's folder: its dialogues are judged.")]
Samples = Annotated[int, typer.Option(min=2, help="Verdicts on each dialogue as it is.")]
Strategy = Annotated[str, typer.Option(help="standard, user_aware or internal_state_aware.")]


def judge_check(
    run: Run,
    model: Annotated[str, typer.Option(help="The judge that is tested.")],
    strategy: Strategy = "internal_state_aware",
    rubric: Annotated[str, typer.Option(help="A shipped rubric or a .yaml file.")] = "emoharbor-10",
    repeats: Samples = 3,
    limit: Dialogues = None,
    profiles: flags.Profiles = None,
    seed: flags.Seed = None,
    concurrency: flags.Concurrency = None,
    folder: Out = None,
    form: flags.TableFormat = None,
    output: flags.TableOut = None,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """What moves a judge that should not: order, scale, flattery, length; and what should."""
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.doing import budget_of
    from emoharbor.verbs.inquiring import do_inquiry

    values: dict[str, Any] = {
        "inquiry": "judge-check",
        "run": str(run.absolute()),
        "profiles": profiles,
    }
    values |= {"strategy": _known(strategy), "rubric": rubric, "repeats": repeats, "limit": limit}
    values["model"] = {"spec": model, **({"concurrency": concurrency} if concurrency else {})}
    values["seed"] = seed or 0
    where = folder or Path("runs") / f"judge-check-{run.absolute().name}-{strategy}"[:80]
    options = RunOptions(budget=budget_of(max_cost, max_calls, max_time))
    do_inquiry(prepare(values), where, options, form, output)


def _known(strategy: str) -> str:
    from typing import get_args

    from emoharbor.errors import ConfigError, nearest
    from emoharbor.state.verdict import Strategy as Known

    if strategy not in get_args(Known):
        raise ConfigError(f"no strategy '{strategy}'{nearest(strategy, get_args(Known))}")
    return strategy


def prepare(values: dict[str, Any]) -> Prepared:
    """The questions that the values of a run.yaml ask, and their tables."""
    import asyncio
    from functools import partial

    from emoharbor.judging.changes import VARIANTS
    from emoharbor.judging.check import CheckConfig, make_check
    from emoharbor.judging.people import people_of, stranger
    from emoharbor.reports.judge_check import check_sheets
    from emoharbor.runs.answers import Asked
    from emoharbor.runs.reader import open_reader
    from emoharbor.sheets import Sheet

    config = CheckConfig.model_validate(values)

    async def read() -> tuple[list[Any], dict[str, Any]]:
        import yaml

        async with open_reader(Path(config.run)) as reader:
            plan = yaml.safe_load(await reader.plan() or "") or {}
            return list((await reader.records()).values()), plan

    records, plan = asyncio.run(read())
    if config.strategy == "standard":
        people = {record.profile: stranger(record.language) for record in records}
    else:
        people = people_of(records, config.profiles or plan.get("profiles"))
    variants = {one.key: (one.says, str(one.expected)) for one in VARIANTS}
    judge = f"{config.model.spec}, {config.strategy}, {config.rubric}"

    def tables(asked: Asked) -> list[Sheet]:
        return check_sheets(
            asked.answers, len(asked.failed), asked.left, variants, judge, config.seed
        )

    return partial(make_check, config, records, people), tables
