"""`graph`: the dialogue graph of a suite, or the path of a dialogue, as a picture.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.graphs.picture import GraphPicture


class Format(StrEnum):
    """How a graph is drawn."""

    mermaid = "mermaid"
    ascii = "ascii"
    svg = "svg"
    png = "png"


ENDINGS = {
    ".mmd": Format.mermaid,
    ".mermaid": Format.mermaid,
    ".txt": Format.ascii,
    ".svg": Format.svg,
    ".png": Format.png,
}


Watching = Annotated[bool, typer.Option("--watch", help="Follow a live dialogue to its end.")]
Drawn = Annotated[Format | None, typer.Option(help="How it is drawn (ascii, or as FILE ends).")]
File = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="A .svg, .png, .mmd or .txt file."),
]


def graph(
    suite: Annotated[str, typer.Argument(metavar="SUITE|RUN", help="What is to be drawn.")],
    dialogue: flags.OneDialogue = None,
    supporter: flags.Supporters = [],  # noqa: B006
    model: flags.Model = None,
    judge: flags.Judge = None,
    language: flags.LanguageName = None,
    settings: flags.Settings = [],  # noqa: B006
    format: Drawn = None,
    file: File = None,
    watch: Watching = False,
    store: flags.Store = None,
) -> None:
    """Draw a suite's dialogue graph, or the path that a DIALOGUE of a RUN took through it.

    Each node says who is in it and what it reads and writes; of a dialogue also visits, calls,
    tokens, seconds and errors. Calls nobody.
    """
    how = _format(format, file)
    swaps: dict[str, Any] = {
        "supporters": supporter,
        "model": model,
        "judge": judge,
        "settings": settings,
    }
    if dialogue is not None:
        if language or any(swaps.values()):
            raise ConfigError("a dialogue is drawn as it was had: no flag changes that")
        from emoharbor.verbs.paths import draw_path

        draw_path(Path(suite), dialogue, store, lambda p: _show(p, how, file), watch=watch)
        return
    if watch:
        raise ConfigError("--watch follows a dialogue: emoharbor graph RUN DIALOGUE --watch")
    from emoharbor.flags import suite_from_flags
    from emoharbor.graphs.picture import picture

    resolved = suite_from_flags(suite, plain={"language": language}, **swaps)
    _show(picture(resolved), how, file)


def _show(picture: GraphPicture, how: Format, file: Path | None) -> None:
    drawn = _drawn(picture, how)
    if file:
        _write(drawn, file)
    else:
        _print(drawn, how)


def _format(wanted: Format | None, file: Path | None) -> Format:
    ending = ENDINGS.get(file.suffix.lower()) if file else None
    if file and not (wanted or ending):
        raise ConfigError(
            f"-o {file}: name its format with --format, or end it as {', '.join(ENDINGS)}"
        )
    if wanted and ending and wanted != ending:
        raise ConfigError(f"-o {file} is a name for {ending}, but --format says {wanted}")
    how = wanted or ending or Format.ascii
    if how == Format.png and not file and sys.stdout.isatty():
        raise ConfigError("a terminal shows no PNG; name a file for it, as in -o graph.png")
    return how


def _drawn(picture: GraphPicture, how: Format) -> str | bytes:
    from emoharbor.graphs import draw, svg

    if how == Format.mermaid:
        return draw.as_mermaid(picture)
    if how == Format.ascii:
        return draw.as_ascii(picture)
    return svg.as_svg(picture) if how == Format.svg else svg.as_png(picture)


def _print(drawn: str | bytes, how: Format) -> None:
    """On a console without Unicode boxes are of plain ASCII, and other letters are `?`."""
    if isinstance(drawn, str):
        if how == Format.ascii and out.options.ascii_only:
            from emoharbor.graphs.draw import PLAIN

            drawn = drawn.translate(PLAIN)
        drawn = drawn.encode(out.encoding, "replace").decode(out.encoding)
    typer.echo(drawn, nl=False)


def _write(drawn: str | bytes, file: Path) -> None:
    try:
        file.write_bytes(drawn if isinstance(drawn, bytes) else drawn.encode("utf-8", "replace"))
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error
    out.print(f"Drawn: {file}", soft_wrap=True, markup=False, highlight=False)
