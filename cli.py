"""The command line: parses, calls one function, prints."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Annotated

import typer
import yaml
from rich.console import Console
from rich.logging import RichHandler
from rich.text import Text

from emoharbor import __version__
from emoharbor import doctor as doctor_room
from emoharbor.errors import ConfigError, EmoHarborError
from emoharbor.flags import suite_from_flags
from emoharbor.runs.executor import plan_suite, run_suite
from emoharbor.runs.find import calls_of, find_record
from emoharbor.runs.folder import RunFolder, open_run
from emoharbor.stats.summary import summarize
from emoharbor.suite import Suite, load_suite, shipped_suites
from emoharbor.terminal.dialogues import call_view, dialogue_view
from emoharbor.terminal.live import LiveRun
from emoharbor.terminal.tables import dialogue_table, plan_table, score_table, usage_table

app = typer.Typer(
    name="emoharbor",
    help="Is this chatbot's emotional support right for this person?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
out = Console()
SMALL = (
    "A model of this size shows that the machinery works, not how well anybody supports anybody: "
    "do not read its scores as judgement."
)


@app.callback(invoke_without_command=True)
def common(version: Annotated[bool, typer.Option("--version", help="Print it.")] = False) -> None:
    """Evaluate emotional support as the person who seeks it."""
    handler = RichHandler(console=Console(stderr=True), show_time=False, show_path=False)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
    if version:
        out.print(__version__)
        raise typer.Exit


@app.command(
    epilog="Examples:\n\n"
    "emoharbor run emoharbor --supporter openai:gpt-4o --model openai:gpt-4o --limit 10\n\n"
    "emoharbor run emoharbor --supporter bot=openai:my-bot@http://127.0.0.1:8000/v1 "
    "--model openai:gpt-4o --language zh --out runs/zh\n\n"
    "emoharbor run runs/zh/run.yaml --out runs/again"
)
def run(
    suite: Annotated[str, typer.Argument(help="A shipped suite, or a suite's YAML file.")],
    supporter: Annotated[
        list[str], typer.Option(help="[NAME=]provider:model[@base_url]; repeat for more columns.")
    ] = [],  # noqa: B006
    model: Annotated[str | None, typer.Option(help="The model of user and judge.")] = None,
    judge: Annotated[str | None, typer.Option(help="Another model for the judge.")] = None,
    language: Annotated[str | None, typer.Option(help="en or zh.")] = None,
    profiles: Annotated[
        str | None, typer.Option(help="en, zh, a file or folder; en?topic=work")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="The first so many profiles.")] = None,
    repeats: Annotated[int | None, typer.Option(help="Dialogues a profile.")] = None,
    turns: Annotated[int | None, typer.Option(help="Exchanges a dialogue, at most.")] = None,
    seed: Annotated[int | None, typer.Option(help="The run's seed.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Calls in flight an endpoint.")] = None,
    folder: Annotated[Path | None, typer.Option("--out", help="Run folder (runs/SUITE).")] = None,
    settings: Annotated[
        list[str], typer.Option("--set", help="KEY=VALUE, as in agents.talker.temperature=0.9")
    ] = [],  # noqa: B006
    follow: Annotated[bool, typer.Option(help="Print every dialogue as it unfolds.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan; call nobody.")
    ] = False,
) -> None:
    """Run a suite, or go on with it where it stopped."""
    plain = {"language": language, "profiles": profiles, "limit": limit, "repeats": repeats}
    plain |= {"max_turns": turns, "seed": seed, "concurrency": concurrency}
    resolved = suite_from_flags(
        suite, supporters=supporter, model=model, judge=judge, plain=plain, settings=settings
    )
    if dry_run:
        out.print(plan_table(plan_suite(resolved)))
        return
    _run(resolved, folder or Path("runs") / resolved.name, follow=follow)


@app.command(
    epilog="Examples:\n\nemoharbor show runs/first\n\nemoharbor show runs/first en-001\n\n"
    "emoharbor show runs/first gpt-4o/en-001/0 --prompts talker"
)
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
        _print_run(folder)
        out.print(dialogue_table(list(folder.records().values())))
        return
    record = find_record(folder, dialogue)
    if prompts is None:
        out.print(dialogue_view(record))
    for entry in calls_of(folder, record, prompts) if prompts else ():
        out.print(call_view(entry))


@app.command(epilog="Examples:\n\nemoharbor suites\n\nemoharbor suites emoharbor")
def suites(
    name: Annotated[str | None, typer.Argument(help="Print this one, resolved.")] = None,
) -> None:
    """The suites that ship, or one of them resolved."""
    if name:
        values = load_suite(name).model_dump(mode="json")
        out.print(Text(yaml.safe_dump(values, allow_unicode=True, sort_keys=False).rstrip()))
        return
    for shipped in shipped_suites():
        out.print(Text.assemble((f"{shipped:24}", "bold"), load_suite(shipped).description))


@app.command(epilog="Examples:\n\nemoharbor doctor\n\nemoharbor doctor --model openai:gpt-4o")
def doctor(
    model: Annotated[list[str], typer.Option(help="Call this model once; repeatable.")] = [],  # noqa: B006
    install_model: Annotated[bool, typer.Option(help="Install the small local model.")] = False,
) -> None:
    """What is installed, which endpoints answer, and what to do about what does not."""
    if install_model:
        doctor_room.install_model()
    findings = doctor_room.installed() + asyncio.run(doctor_room.endpoints(model))
    signs = {True: ("ok  ", "green"), False: ("FAIL", "red"), None: ("-   ", "dim")}
    for finding in findings:
        out.print(Text.assemble(signs[finding.ok], f" {finding.what:20} {finding.says}"))
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)


def _run(suite: Suite, where: Path, *, follow: bool) -> None:
    """Runs, prints the tables, and exits with 1 when a dialogue failed, 130 when stopped."""
    live = LiveRun(out, follow=follow)
    try:
        with live.progress:
            done = asyncio.run(run_suite(suite, where, live.listener))
    except KeyboardInterrupt:
        out.print(f"\nStopped; what was finished is kept in {where}. The same command goes on.")
        raise typer.Exit(130) from None
    failed = _print_run(done)
    if any(str(c.spec).startswith("local:") for c in suite.models.values()):
        out.print(Text(SMALL, style="yellow"))
    out.print(f"Run folder: {where}   (emoharbor show {where})")
    if failed:
        out.print(f"{failed} dialogues failed; the same command tries them again.")
        raise typer.Exit(1)


def _print_run(folder: RunFolder) -> int:
    """The tables of a run; returns how many of its dialogues failed."""
    summaries = summarize(folder.records().values())
    if not summaries:
        out.print("No dialogue is finished yet.")
        return 0
    out.print(score_table(summaries))
    for summary in summaries:
        out.print(usage_table(summary))
    return sum(summary.failed for summary in summaries)


def main() -> None:
    """The entry point: an error that a user is meant to read is one message, not a traceback."""
    try:
        app()
    except EmoHarborError as error:
        Console(stderr=True).print(Text.assemble(("error: ", "bold red"), str(error)))
        sys.exit(2)


if __name__ == "__main__":
    main()
