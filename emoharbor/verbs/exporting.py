"""`export`: the dialogues of runs in a form that others read.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.errors import ConfigError, nearest
from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.training.data import Exported

Runs = Annotated[list[Path], typer.Argument(help="Run folders; with --store their names there.")]
Form = Annotated[
    str,
    typer.Option(
        "--format",
        help="To learn from: chat, sharegpt, alpaca or hf. To compute with: csv, parquet or jsonl.",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files are written.")
]
Recipe = Annotated[str | None, typer.Option(help="average, worst or mix.")]
Count = Annotated[
    str | None, typer.Option(help="Dialogues in all, or of a mix average=60,worst=40.")
]
MinMean = Annotated[float | None, typer.Option(help="The least mean of the marks, 1 to 5.")]
MinScore = Annotated[
    list[str], typer.Option(metavar="DIMENSION=MARK", help="As in empathetic=4; repeat.")
]
Endings = Annotated[
    list[str], typer.Option("--ending", help="As in user_satisfied; repeat for more.")
]
Exchanges = Annotated[str | None, typer.Option(help="A number or a range: 4-20, 4-, -20.")]
Language = Annotated[str | None, typer.Option(help="en or zh alone.")]
Risk = Annotated[str | None, typer.Option(help="Of the profiles: none, or as self_harm,abuse.")]
Names = Annotated[list[str], typer.Option("--supporter", help="These alone; repeat.")]
Validation = Annotated[float, typer.Option(help="The share of profiles kept for validation.")]
Seed = Annotated[int, typer.Option(help="What is drawn, and who is kept for validation.")]
Against = Annotated[
    list[str],
    typer.Option(metavar="PROFILES|RUN", help="Nobody of this evaluation may be in it; repeat."),
]
DropOverlap = Annotated[
    bool, typer.Option("--drop-overlap", help="Leave out who is in the evaluation too.")
]
InnerStates = Annotated[
    bool, typer.Option("--inner-states", help="What the user felt, in the metadata.")
]


TABLES = ("csv", "parquet", "jsonl")


def export(
    runs: Runs,
    form: Form,
    output: Output,
    recipe: Recipe = None,
    count: Count = None,
    min_mean: MinMean = None,
    min_score: MinScore = [],  # noqa: B006
    ending: Endings = [],  # noqa: B006
    exchanges: Exchanges = None,
    language: Language = None,
    risk: Risk = None,
    supporter: Names = [],  # noqa: B006
    validation: Validation = 0.1,
    seed: Seed = 0,
    against: Against = [],  # noqa: B006
    drop_overlap: DropOverlap = False,
    inner_states: InnerStates = False,
    store: flags.Store = None,
) -> None:
    """Write runs as training data, split by profile, with a data card; or as tidy tables."""
    if form in TABLES:
        _export_tables(runs, form, output, store)
        return
    from emoharbor.training.data import export as exported
    from emoharbor.training.data.asked import asked_from_flags, wanted_from_flags

    asked = asked_from_flags(
        _known(form),
        wanted_from_flags(min_mean, min_score, ending, exchanges, language, risk, supporter),
        recipe,
        count,
        validation=validation,
        seed=seed,
        drop_overlap=drop_overlap,
        inner_states=inner_states,
    )
    print_exported(asyncio.run(exported(runs, asked, output, against, store)))


def _known(form: str) -> str:
    from emoharbor.training.data import FORMATS

    if form not in FORMATS:
        raise ConfigError(f"no format '{form}'{nearest(form, [*FORMATS, *TABLES])}")
    return form


def _export_tables(runs: list[Path], form: str, output: Path, store: str | None) -> None:
    """What `emoharbor.load` gives: a file for dialogues, messages, scores and so on."""
    from emoharbor.frames import load
    from emoharbor.frames.files import FrameFormat, write_frames

    frames = load(*runs, store=store)
    for file in write_frames(frames, output, FrameFormat(form)):
        out.print(f"written: {file}", highlight=False, markup=False)
    for note in frames.notes:
        out.print(note, highlight=False, markup=False)


def print_exported(done: Exported) -> None:
    """How many dialogues stand in which file, what was left out, and who is in an evaluation."""
    removed = [f"{why}: {number}" for why, number in done.card["removed"].items() if number]
    if removed:
        say(f"Left out: {'; '.join(removed)}")
    for pair in done.card["overlap"]["pairs"]:
        say(f"Overlap: {pair['training']} and {pair['evaluation']}: {', '.join(pair['why'])}")
    for note in done.card["overlap"]["notes"]:
        say(f"Not compared as it was: {note}")
    if not done.card["overlap"]["checked_against"]:
        say("Not checked for people of an evaluation: name it with --against.")
    for name, size in done.card["splits"].items():
        counts = (size["dialogues"], size["profiles"], size["supporter_lines"])
        say("{}: dialogues {}, profiles {}, lines of a supporter {}".format(name, *counts))
    say(f"Files: {', '.join(map(str, done.files))}")


def say(text: str) -> None:
    """A line as it is, however long."""
    out.print(text, markup=False, highlight=False, soft_wrap=True)
