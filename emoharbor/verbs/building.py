"""`profiles build`: from seeds to profiles; what `resume` and `show` do with such a run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.console import out
from emoharbor.verbs.profiles import verb

if TYPE_CHECKING:
    from emoharbor.runs.build_plan import Build
    from emoharbor.runs.engine import RunOptions
    from emoharbor.runs.reader import RunReader


Seeds = Annotated[
    Path, typer.Argument(help="Questionnaires, personas or drafts: a YAML list, or JSONL.")
]
Writer = Annotated[str, typer.Option(help="Who writes and criticizes them.")]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The accepted profiles (profiles.jsonl of the run)."),
]
Limit = Annotated[int | None, typer.Option(help="The first so many seeds.")]
Prefix = Annotated[
    str | None, typer.Option(help="Ids are PREFIX-001 and so on (the name of the file).")
]
Out = Annotated[Path | None, typer.Option("--out", help="Run folder (runs/build-SEEDS).")]
Settings = Annotated[
    list[str],
    typer.Option("--set", help="KEY=VALUE, as in model.api_key_env=MY_KEY, temperature=1.0"),
]


@verb(
    "emoharbor profiles build examples/seeds.yaml --model openai:gpt-4o -o people.jsonl",
    "emoharbor profiles build drafts.jsonl --model openai:gpt-4o --language zh --limit 20",
    "emoharbor resume runs/build-seeds",
)
def build(
    seeds: Seeds,
    model: Writer,
    output: Output = None,
    language: flags.LanguageName = None,
    limit: Limit = None,
    prefix: Prefix = None,
    seed: flags.Seed = None,
    concurrency: flags.Concurrency = None,
    folder: Out = None,
    settings: Settings = [],  # noqa: B006
    dry_run: flags.DryRun = False,
    store: flags.Store = None,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Write a profile from each seed, have it criticized, keep what holds."""
    from emoharbor.runs.build_plan import make_build
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.doing import budget_of

    values = _values(seeds, output, prefix)
    values |= _given(language=language, limit=limit, seed=seed)
    values["model"] = {"spec": model, **_given(concurrency=concurrency)}
    wanted = make_build(values, "profiles build", settings)
    if dry_run:
        _print_plan(wanted)
        return
    options = RunOptions(store, budget=budget_of(max_cost, max_calls, max_time))
    do_build(wanted, folder or Path("runs") / wanted.build, options)


def resume_build(values: dict[str, Any], folder: Path, options: RunOptions) -> None:
    """Goes on with the build whose run.yaml holds `values`."""
    from emoharbor.runs.build_plan import make_build

    do_build(make_build(values, str(folder / "run.yaml")), folder, options)


def do_build(wanted: Build, where: Path, options: RunOptions) -> None:
    """Builds and prints; exits with 1 when a seed failed, 3 at a limit, 130 or 143 if stopped."""
    from functools import partial

    from emoharbor.runs.build import run_build
    from emoharbor.runs.drain import Drain
    from emoharbor.terminal.building import LiveBuild, built_view
    from emoharbor.verbs.doing import end, until_signal

    live, drain = LiveBuild(out), Drain()
    work = partial(run_build, wanted, where, live.listener, options, drain)
    built = until_signal(work, where, drain, live.bar)
    out.print(built_view(built))
    out.print(f"Profiles: {built.file}", highlight=False, markup=False)
    out.print(f"Run folder: {where}   (emoharbor show {where})", highlight=False, markup=False)
    end(where, drain, f"{len(built.failed)} seeds" if built.failed else "")


async def show_build(
    reader: RunReader, values: dict[str, Any], name: str | None, role: str | None
) -> None:
    """What came of a build, or of one seed, or the requests and replies of one of its roles."""
    from emoharbor.errors import ConfigError, nearest
    from emoharbor.runs.build_records import file_of, settled, stored_builds
    from emoharbor.runs.find import calls_in
    from emoharbor.terminal.building import built_view, making_view, seeds_table
    from emoharbor.terminal.dialogues import call_view

    ids = values["recorded"]["fingerprint"]["seeds"]
    file = file_of(values.get("file"), Path(reader.where))
    built = settled(ids, await stored_builds(reader.record_lines.all()), file)
    if name is None:
        out.print(seeds_table(built))
        out.print(built_view(built))
        return
    if name not in built.records:
        raise ConfigError(f"{reader.where} has no seed '{name}'{nearest(name, built.records)}")
    record = built.records[name]
    if role is None:
        out.print(making_view(record))
        return
    for entry in await calls_in(reader, (record.thread,), record.usage, role):
        out.print(call_view(entry))


def _print_plan(wanted: Build) -> None:
    from emoharbor.runs.build import plan_build

    plan = plan_build(wanted)
    out.print(
        f"{len(plan.items)} seeds of {wanted.seeds}, {wanted.model.spec}; "
        f"at most {plan.most_calls} calls where no reply needs a repair.",
        highlight=False,
        markup=False,
    )


def _values(seeds: Path, output: Path | None, prefix: str | None) -> dict[str, Any]:
    return {
        "build": _name(f"build-{seeds.stem}")[:64],
        "seeds": str(seeds.absolute()),
        "file": None if output is None else str(output.absolute()),
        "prefix": prefix or _name((output or seeds).stem)[:56],
    }


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def _name(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._") or "people"
