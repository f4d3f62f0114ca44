"""`leaderboard`: who supports best, and whom a supporter serves badly.

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
    typer.Option(metavar="NAME", help="The marks of a later judge: a folder's name in RUN/judged."),
]
By = Annotated[
    list[str],
    typer.Option(
        metavar="FIELD", help="Means by group of people too: age, topic, mbti, gender …; repeat."
    ),
]
DrawnSeed = Annotated[int, typer.Option("--seed", help="Of the drawing of people for intervals.")]


class PublishedTable(StrEnum):
    """Which published systems are shown."""

    zh = "zh"
    en = "en"


Reference = Annotated[
    PublishedTable | None,
    typer.Option(help="The systems of the paper's Table 3 (zh) or Table 5 (en) below your own."),
]


def leaderboard(
    runs: Runs,
    judging: Judging = None,
    by: By = [],  # noqa: B006
    reference: Reference = None,
    seed: DrawnSeed = 0,
    form: flags.TableFormat = None,
    output: flags.TableOut = None,
    store: flags.Store = None,
) -> None:
    """Supporters by their mean mark, with intervals and letters, by dimension, by group of people.

    Runs of another suite, language, rubric, strategy or judge are listed apart.
    """
    from emoharbor.frames import load
    from emoharbor.reports.leaderboard import leaderboard as sheets_of
    from emoharbor.reports.leaderboard_groups import checked_field
    from emoharbor.terminal.sheets import emit

    fields = [checked_field(field) for field in by]
    sheets = sheets_of(
        load(*runs, store=store, calls=False),
        judging=judging,
        by=fields,
        reference=reference.value if reference else None,
        seed=seed,
    )
    emit(out, sheets, form, output)
