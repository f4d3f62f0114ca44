"""`discriminate`: does the benchmark tell supporters apart.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.console import out

Runs = Annotated[list[Path], typer.Argument(help="Runs' folders; with --store their names there.")]
Judging = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The marks of a later judge: a folder's name in RUN/judged."),
]
Reference = Annotated[
    bool, typer.Option("--reference", help="The paper's published figures (Table 2) beside.")
]
DrawnSeed = Annotated[int, typer.Option("--seed", help="Of shuffles and of drawing people.")]


def discriminate(
    runs: Runs,
    judging: Judging = None,
    reference: Reference = False,
    seed: DrawnSeed = 0,
    form: flags.TableFormat = None,
    output: flags.TableOut = None,
    store: flags.Store = None,
) -> None:
    """How well supporters are told apart: MSR, MAC, F and P as printed, and standard statistics.

    Also how many people are needed to see a difference, and whether others would rank alike.
    """
    from emoharbor.frames import load
    from emoharbor.reports.discrimination import discrimination
    from emoharbor.terminal.sheets import emit

    frames = load(*runs, store=store, calls=False)
    sheets = discrimination(frames, judging=judging, reference=reference, seed=seed)
    emit(out, sheets, form, output)
