"""`run` and `resume`: their flags.

What they need is imported when they are called, so that help and completion come at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.varying import Vary, resume_grid, vary

if TYPE_CHECKING:
    from emoharbor.runs.engine import RunOptions
    from emoharbor.suite import Suite


def run(
    suite: flags.SuiteName,
    supporter: flags.Supporters = [],  # noqa: B006
    model: flags.Model = None,
    judge: flags.Judge = None,
    language: flags.LanguageName = None,
    profiles: flags.Profiles = None,
    limit: flags.Limit = None,
    repeats: flags.Repeats = None,
    turns: flags.Turns = None,
    seed: flags.Seed = None,
    concurrency: flags.Concurrency = None,
    shared: flags.SharedOpenings = None,
    folder: flags.Out = None,
    settings: flags.Settings = [],  # noqa: B006
    varied: Vary = [],  # noqa: B006
    new: flags.New = None,
    follow: flags.Follow = False,
    dry_run: flags.DryRun = False,
    store: flags.Store = None,
    no_retry_failed: flags.NoRetry = False,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Run a suite, or go on with it where it stopped."""
    from emoharbor.flags import suite_from_flags
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.doing import budget_of

    plain = {"language": language, "profiles": profiles, "limit": limit, "repeats": repeats}
    more = {"max_turns": turns, "seed": seed, "concurrency": concurrency, "shared_openings": shared}
    resolved = suite_from_flags(
        suite, supporters=supporter, model=model, judge=judge, plain=plain | more, settings=settings
    )
    options = RunOptions(store, not no_retry_failed, budget_of(max_cost, max_calls, max_time))
    if varied:
        vary(resolved, varied, folder, new, options, follow=follow, dry_run=dry_run)
    else:
        _run(resolved, folder, new, options, follow=follow, dry_run=dry_run)


def _run(
    suite: Suite,
    folder: Path | None,
    new: Path | None,
    options: RunOptions,
    *,
    follow: bool,
    dry_run: bool,
) -> None:
    from dataclasses import replace

    from emoharbor.verbs.doing import do, print_plan

    if dry_run:
        print_plan(suite)
        return
    where = folder or Path("runs") / suite.name
    do(suite, new or where, replace(options, parent=where if new else None), follow=follow)


def resume(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder.")],
    follow: flags.Follow = False,
    store: flags.Store = None,
    no_retry_failed: flags.NoRetry = False,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Go on with a run, a build or a grid from its folder alone; what failed is tried again."""
    from emoharbor.runs.answers import is_inquiry
    from emoharbor.runs.engine import RunOptions
    from emoharbor.runs.folder import is_build, is_judging, open_run
    from emoharbor.runs.grid import is_grid
    from emoharbor.suite import make_suite, read_yaml
    from emoharbor.verbs.building import resume_build
    from emoharbor.verbs.doing import budget_of, do
    from emoharbor.verbs.inquiring import do_inquiry, prepared
    from emoharbor.verbs.judging import resume_judging

    budget = budget_of(max_cost, max_calls, max_time)
    options = RunOptions(store, not no_retry_failed, budget)
    if is_grid(folder):
        resume_grid(folder, options, follow=follow)
        return
    file = open_run(folder).plan_file
    values = read_yaml(file)
    if is_build(values):
        resume_build(values, folder, options)
        return
    if is_judging(values):
        resume_judging(values, folder, options)
        return
    if is_inquiry(values):
        do_inquiry(prepared(values, str(file)), folder, options)
        return
    do(make_suite(values, str(file)), folder, options, follow=follow)
