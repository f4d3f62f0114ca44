"""`import`: dialogues that were had elsewhere, and what people marked in them.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.ratings import Rating

FORM = "form"


def bring(
    form: Annotated[
        str,
        typer.Argument(metavar="FORMAT", help="worst-case, esconv, mindeval or chat; or form."),
    ],
    source: Annotated[
        Path, typer.Argument(help="A JSON or JSONL file, or a folder of these; a form's CSV.")
    ],
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="RUN", help="The run folder.")
    ] = None,
    ratings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What people marked, as a table: .csv or .jsonl."),
    ] = None,
) -> None:
    """Bring dialogues from elsewhere: records without a verdict, in a run folder.

    With --ratings also the marks that people gave them (mindeval, esconv), for `agreement`. A
    form is a CSV file with a row a dialogue and rater, a column a dimension.
    """
    from emoharbor.errors import ConfigError
    from emoharbor.ratings import checked

    if ratings is None and (folder is None or form == FORM):
        raise ConfigError("say where to: --ratings FILE for marks, -o RUN for dialogues")
    if ratings is not None:
        checked(ratings)
    if form == FORM:
        _form(source, folder, ratings)
    else:
        _dialogues(form, source, folder, ratings)


def _form(source: Path, folder: Path | None, ratings: Path | None) -> None:
    from emoharbor.errors import ConfigError
    from emoharbor.imports import read_form

    if folder is not None:
        raise ConfigError("a form holds no dialogue: name a --ratings FILE, and no -o")
    found, unread = read_form(source)
    if unread:
        _say(f"Columns not read: {', '.join(unread)}")
    _write(found, ratings)


def _dialogues(form: str, source: Path, folder: Path | None, ratings: Path | None) -> None:
    from emoharbor.errors import ConfigError
    from emoharbor.imports import bring as brought_from
    from emoharbor.imports import write_run
    from emoharbor.terminal.audit import left_out_view

    brought = brought_from(source, form)
    if ratings is not None and not brought.ratings:
        raise ConfigError(f"{source} holds no mark that people gave; leave --ratings out")
    rest = (
        f"{folder}/run.yaml names them all" if folder else "-o RUN names them all in its run.yaml"
    )
    for line in left_out_view(brought.left_out, rest):
        out.print(line)
    if folder is not None:
        asyncio.run(write_run(brought, source, form, folder))
        _say(f"{len(brought.records)} dialogues in {folder}   (emoharbor audit {folder})")
    if brought.ratings and ratings is None:
        _say(f"{len(brought.ratings)} marks of people are there too: --ratings FILE keeps them")
    _write(brought.ratings, ratings)


def _write(found: Iterable[Rating], file: Path | None) -> None:
    from emoharbor.ratings import write_ratings

    if file is None:
        return
    found = tuple(found)
    write_ratings(found, file)
    whys = Counter(r.missing or "left empty" for r in found if r.score is None)
    raters, items = len({r.rater_id for r in found}), len({r.item_id for r in found})
    marks = len(found) - whys.total()
    _say(f"{marks} marks of {items} dialogues by {raters} raters in {file}")
    for why, number in whys.most_common():
        _say(f"  missing: {number} ({why})")
    _say(f"  (emoharbor agreement {file})")


def _say(words: str) -> None:
    out.print(words, markup=False, highlight=False, soft_wrap=True)
