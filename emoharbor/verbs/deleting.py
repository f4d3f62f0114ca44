"""`delete`: taking a run away for good."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags
from emoharbor.verbs.console import out


def delete(
    run: Annotated[Path, typer.Argument(help="A run's folder; with --store its name there.")],
    store: flags.Store = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a run for good: its files, or with --store all that Redis keeps of it."""
    import asyncio

    from emoharbor.runs.deleting import deletable, delete_run

    if not yes:
        where = asyncio.run(deletable(run, store))
        if not sys.stdin.isatty():
            raise ConfigError(f"to delete {where} without being asked, add --yes")
        typer.confirm(f"Delete {where} with all its dialogues, for good?", abort=True)
    out.print(Text(asyncio.run(delete_run(run, store))))
