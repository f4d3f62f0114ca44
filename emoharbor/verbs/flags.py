"""The flags that verbs share, and what each is for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from emoharbor.sheets.write import Format

Run = Annotated[Path, typer.Argument(help="A run's folder; with --store its name there.")]
Dialogue = Annotated[str, typer.Argument(help="SUPPORTER/PROFILE/REPEAT, or a part of it.")]
OneDialogue = Annotated[
    str | None, typer.Argument(help="SUPPORTER/PROFILE/REPEAT, or a part of it.")
]
SuiteName = Annotated[str, typer.Argument(help="A shipped suite, or a suite's YAML file.")]
Supporters = Annotated[
    list[str], typer.Option(help="[NAME=]provider:model[@base_url]; repeat for more columns.")
]
Model = Annotated[str | None, typer.Option(help="The model of user and judge.")]
Judge = Annotated[str | None, typer.Option(help="Another model for the judge.")]
LanguageName = Annotated[str | None, typer.Option(help="en or zh.")]
Profiles = Annotated[str | None, typer.Option(help="en, zh, a file or folder; en?topic=work")]
Limit = Annotated[int | None, typer.Option(help="The first so many profiles.")]
Repeats = Annotated[int | None, typer.Option(help="Dialogues a profile.")]
Turns = Annotated[int | None, typer.Option(help="Exchanges a dialogue, at most.")]
Seed = Annotated[int | None, typer.Option(help="The run's seed.")]
SharedOpenings = Annotated[
    bool | None,
    typer.Option("--shared-openings", help="A user's first words are had once for all columns."),
]
Concurrency = Annotated[int | None, typer.Option(help="Calls in flight an endpoint.")]
Out = Annotated[Path | None, typer.Option("--out", help="Run folder (runs/SUITE).")]
Settings = Annotated[
    list[str], typer.Option("--set", help="KEY=VALUE, as in agents.talker.temperature=0.9")
]
New = Annotated[
    Path | None,
    typer.Option("--as", help="A new run folder that takes over what is still the same."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan; call nobody.")]
Follow = Annotated[bool, typer.Option("--follow", help="Print every dialogue as it unfolds.")]
Store = Annotated[
    str | None,
    typer.Option(help="redis://HOST:PORT/DB for a run that any machine can go on with.",
                 envvar="EMOHARBOR_STORE"),
]  # fmt: skip
MaxCost = Annotated[float | None, typer.Option(help="Stop, resumably, at so many US dollars.")]
MaxCalls = Annotated[int | None, typer.Option(help="Stop, resumably, at so many model calls.")]
MaxTime = Annotated[float | None, typer.Option(help="Stop, resumably, after so many seconds.")]
NoRetry = Annotated[
    bool, typer.Option("--no-retry-failed", help="Leave failed dialogues as they are.")
]
TableFormat = Annotated[
    Format | None, typer.Option("--format", help="How tables are told.", show_default="terminal")
]
TableOut = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", help="A file (.csv .md .tex .html), or a folder: a file a table."
    ),
]
