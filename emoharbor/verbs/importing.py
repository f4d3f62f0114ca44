"""`import`: dialogues that were had elsewhere, as a run that every command reads.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from emoharbor.verbs.console import out


def bring(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="worst-case, esconv or chat.")],
    source: Annotated[Path, typer.Argument(help="A JSON or JSONL file, or a folder of these.")],
    folder: Annotated[Path, typer.Option("--output", "-o", metavar="RUN", help="The run folder.")],
) -> None:
    """Bring dialogues from elsewhere: records without a verdict, in a run folder."""
    from emoharbor.imports import bring as brought_from
    from emoharbor.imports import write_run
    from emoharbor.terminal.audit import left_out_view

    brought = brought_from(source, form)
    asyncio.run(write_run(brought, source, form, folder))
    for line in left_out_view(brought.left_out, f"{folder}/run.yaml names them all"):
        out.print(line)
    out.print(
        f"{len(brought.records)} dialogues in {folder}   (emoharbor audit {folder})",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
