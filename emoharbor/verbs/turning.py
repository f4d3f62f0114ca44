"""`turns`: what happens over the exchanges of dialogues.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.console import out

Runs = Annotated[list[Path], typer.Argument(help="Runs' folders; with --store their names there.")]
Judging = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Whose judged prefixes: a folder's name in RUN/judged."),
]
Event = Annotated[
    list[str],
    typer.Option(metavar="ENDING", help="What counts as leaving: left, gave_up, satisfied …"),
]


class Censor(StrEnum):
    """Where dialogues are censored that the user ended otherwise."""

    end = "end"
    cap = "cap"


Censored = Annotated[
    Censor,
    typer.Option(help="Other endings by the user leave the count there, or stay in it to the cap."),
]
DrawnSeed = Annotated[int, typer.Option("--seed", help="Of the drawing of people for intervals.")]


def turns(
    runs: Runs,
    judging: Judging = None,
    event: Event = ["gave_up", "left"],  # noqa: B006
    censor: Censored = Censor.end,
    top: Annotated[int, typer.Option(min=0, help="Turning points of each supporter.")] = 3,
    seed: DrawnSeed = 0,
    form: flags.TableFormat = None,
    output: flags.TableOut = None,
    store: flags.Store = None,
) -> None:
    """How long users stay, marks and inner states by exchange, and where these turn."""
    from emoharbor.frames import load
    from emoharbor.reports.turns import Choices, turns_sheets
    from emoharbor.terminal.sheets import emit

    frames = load(*runs, store=store, calls=False)
    choices = Choices(tuple(event), censor.value, judging, top, seed)
    emit(out, turns_sheets(frames, choices), form, output)
