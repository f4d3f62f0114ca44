"""`plot`: the figures of runs.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.verbs import flags
from emoharbor.verbs.console import out
from emoharbor.verbs.turning import Censor, Censored, DrawnSeed, Event, Judging, Runs

if TYPE_CHECKING:
    from emoharbor.state.profile import Language


def plot(
    runs: Runs,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where PNG and SVG are put.")
    ],
    judging: Judging = None,
    event: Event = ["gave_up", "left"],  # noqa: B006
    censor: Censored = Censor.end,
    language: Annotated[
        str | None, typer.Option(help="Of the words in the figures: en or zh (the dialogues').")
    ] = None,
    seed: DrawnSeed = 0,
    store: flags.Store = None,
) -> None:
    """Draw radar, endings, survival, marks and inner states by exchange, as PNG and SVG."""
    from emoharbor.frames import load
    from emoharbor.plots.draw import Wanted, draw
    from emoharbor.stats.survival import events_of

    chosen = _language(language)
    wanted = Wanted(chosen, judging, events_of(event), censor.value, seed)
    drawn = draw(load(*runs, store=store, calls=False), output, wanted)
    for file in drawn.files:
        out.print(str(file), highlight=False, markup=False)
    for name, why in drawn.missing.items():
        out.print(f"{name}: not drawn, {why}", highlight=False, markup=False, style="dim")


def _language(given: str | None) -> Language | None:
    from emoharbor.errors import ConfigError

    known: dict[str | None, Language | None] = {None: None, "en": "en", "zh": "zh"}
    if given not in known:
        raise ConfigError(f"--language {given}: en or zh is wanted")
    return known[given]
