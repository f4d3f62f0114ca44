"""`audit`: whether the simulated user is any good.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.console import out


def audit(
    source: Annotated[
        Path, typer.Argument(help="A run; or a file or folder of worst-case, ESConv or chat JSON.")
    ],
    against: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="A second one, to be shown beside it.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Every figure: .csv or .json."),
    ] = None,
    store: flags.Store = None,
) -> None:
    """Is the simulated user any good? Figures beside those of people; no model is asked."""
    from emoharbor.audit import audit as audited
    from emoharbor.audit.export import checked, write
    from emoharbor.audit.reading import read_corpus
    from emoharbor.terminal.audit import audit_view

    if output:
        checked(output)
    corpus = asyncio.run(read_corpus(source, store))
    other = asyncio.run(read_corpus(against, store)) if against else None
    found = audited(corpus, other)
    out.print(audit_view(found))
    if output:
        write(found, output)
        out.print(f"All figures: {output}", markup=False, highlight=False)
