"""`train`: from dialogues to an adapter, and from an adapter to a whole model.

Each verb imports what it needs when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from emoharbor.verbs.console import out

app = typer.Typer(
    name="train",
    help="Make a better supporter of a small model: a LoRA adapter, trained on dialogues.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FOLDER", help="For the adapter (the file's `output`)."),
]


def verb(*examples: str) -> Callable[..., Any]:
    """A command of this app, with examples below its help."""
    return app.command(epilog="Examples:\n\n" + "\n\n".join(examples))


@verb(
    "emoharbor train sft mix.yaml -o adapters/mix",
    "emoharbor train sft mix.yaml -o adapters/mix --resume",
)
def sft(
    config: Annotated[Path, typer.Argument(help="YAML: base, data, and how to train.")],
    output: Output = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on after the last checkpoint.")
    ] = False,
) -> None:
    """Train a LoRA adapter on the supporter's lines; Ctrl-C keeps what was learnt so far."""
    from emoharbor.errors import ConfigError
    from emoharbor.training.sft.config import load_config
    from emoharbor.training.sft.training import train

    wanted = load_config(config)
    where = output or wanted.output
    if where is None:
        raise ConfigError(f"{config} has no 'output': name the adapter's folder with -o FOLDER")
    again = f"emoharbor train sft {config} -o {where} --resume"
    try:
        with _steps() as on_step:
            trained = train(wanted, where, _say, on_step, resume=resume)
    except KeyboardInterrupt:
        _stopped(f"Stopped at once. Go on after the last checkpoint with: {again}", 2)
    if trained.stopped is not None:
        said = f"Stopped; step {trained.step} of {trained.steps} is kept. Go on with: {again}"
        _stopped(said, trained.stopped)
    losses = ", ".join(f"{name} {value:.4f}" for name, value in trained.losses.items())
    _say(f"{trained.steps} steps; loss: {losses}")
    _say(f"Adapter: {where}   (--supporter lora:{where}; its card: {where / 'README.md'})")


@verb("emoharbor train merge adapters/mix -o models/mix")
def merge(
    adapter: Annotated[Path, typer.Argument(help="The folder of an adapter.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="New or empty.")],
) -> None:
    """Make one model of an adapter and its base, for servers that take no adapters."""
    from emoharbor.training.sft.merging import merge as work

    work(adapter, output)
    _say(f"Model: {output}   (--supporter hf:{output})")


@contextmanager
def _steps() -> Iterator[Callable[[int, int, float], None]]:
    """A bar that grows with the steps, and shows the newest loss."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("step"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[at]}"),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task("", total=None, at="")

        def on_step(step: int, steps: int, loss: float) -> None:
            bar.update(task, completed=step, total=steps, at=f"loss {loss:.3f}")

        yield on_step


def _say(line: str) -> None:
    out.print(line, highlight=False, markup=False, soft_wrap=True)


def _stopped(line: str, number: int) -> NoReturn:
    _say(line)
    raise typer.Exit(128 + number) from None
