"""`compare`: two runs, two judges or two strategies side by side, paired by person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.reports.comparison_sides import Side

SIDE = "A run's folder; RUN@JUDGING for a later judge of it, kept in RUN/judged/JUDGING."


def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", help=SIDE)],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another, or another judge.")],
    pair: Annotated[
        list[str], typer.Option(help="FIRST=SECOND: which supporters are compared; repeat.")
    ] = [],  # noqa: B006
    dimension: Annotated[
        list[str], typer.Option(help="Only this one, as RA or empathetic; repeat.")
    ] = [],  # noqa: B006
    seed: Annotated[int, typer.Option(help="Of the intervals by drawing people.")] = 0,
    form: flags.TableFormat = None,
    to: flags.TableOut = None,
    store: flags.Store = None,
) -> None:
    """Two runs, judges or strategies over the same people: differences, letters, length, endings.

    The second is set beside the first: average_case first and worst_case second, say.
    """
    from emoharbor.reports.comparison import comparison
    from emoharbor.terminal.sheets import emit

    pairs = _pairs(pair)
    sides = _sides(first, second, store, pairs)
    emit(out, comparison(*sides, pairs, dimensions=dimension, seed=seed), form, to)


def _sides(first: str, second: str, store: str | None, pairs: dict[str, str]) -> tuple[Side, Side]:
    from emoharbor.frames import load
    from emoharbor.reports.comparison_sides import side

    a, b = _split(first, store), _split(second, store)
    if a == b and (not pairs or any(one == other for one, other in pairs.items())):
        raise ConfigError(
            f"{first} and {second} are the same: nothing to compare, unless two of its supporters "
            "with --pair FIRST=SECOND"
        )
    frames = {run: load(run, store=store, calls=False) for run in dict.fromkeys((a[0], b[0]))}
    names = _names(a[0], b[0])
    one, two = (
        side(frames[run], f"{name}@{judging}" if judging else name, judging)
        for (run, judging), name in zip((a, b), names, strict=True)
    )
    return one, two


def _names(first: Path, second: Path) -> tuple[str, str]:
    """What two runs are called: their folders' names, with those above where these are the same."""
    parts, long = (first.absolute().parts, second.absolute().parts), 1
    while parts[0] != parts[1] and parts[0][-long:] == parts[1][-long:]:
        long += 1
    return "/".join(parts[0][-long:]), "/".join(parts[1][-long:])


def _split(text: str, store: str | None) -> tuple[Path, str]:
    """The run and the judging that a side names. A folder's own name may have an @ in it."""
    run, at, judging = text.rpartition("@")
    if not at or (store is None and Path(text).is_dir()):
        return Path(text), ""
    if store is not None:
        raise ConfigError(f"{text}: later judges are kept in a run's folder; leave out --store")
    return Path(run), judging


def _pairs(texts: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in texts:
        first, equals, second = text.partition("=")
        if not (first and equals and second):
            raise ConfigError(f"--pair {text}: FIRST=SECOND is wanted, two supporters' names")
        if first in found:
            raise ConfigError(f"--pair {text}: '{first}' is compared with '{found[first]}' already")
        found[first] = second
    return found
