"""`agreement`: whether judges mark as people do, and whether people agree at all.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.console import out


def agreement(
    ratings: Annotated[
        Path,
        typer.Argument(help="People's marks: the long table (.csv, .jsonl), MindEval or ESConv."),
    ],
    judgements: Annotated[
        list[Path] | None,
        typer.Argument(help="Judged runs, or tables with rater_kind judge; none: people alone."),
    ] = None,
    within_rater: Annotated[
        bool, typer.Option("--within-rater", help="Correlate marks less each rater's own mean.")
    ] = False,
    reference: Annotated[
        bool, typer.Option("--reference", help="Put the published Table 1 beside.")
    ] = False,
    seed: Annotated[int, typer.Option(help="The seed of the draws.")] = 0,
    draws: Annotated[int, typer.Option(help="Draws of people, for intervals.")] = 2000,
    form: flags.TableFormat = None,
    output: flags.TableOut = None,
) -> None:
    """Do judges mark as people do? Whether people agree among themselves stands first.

    Correlations by dimension with intervals, the ceiling that people set, bias and spread,
    strategies compared, and a judge's repeats. No model is asked.
    """
    from emoharbor.reports.agreement import agreement_sheets
    from emoharbor.reports.agreement_reading import read_marks
    from emoharbor.terminal.sheets import emit

    marks, notes = read_marks([ratings, *(judgements or [])])
    sheets = agreement_sheets(
        marks,
        within_rater=within_rater,
        seed=seed,
        draws=draws,
        reference=reference,
        notes=notes,
    )
    emit(out, sheets, form, output)
