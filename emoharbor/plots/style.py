"""How figures look: colours that the colour-blind tell apart, and what does without colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import ceil
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, chop_cells

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More than these in one panel cannot be told apart: then each has a panel of its own.
OVERLAID = 5
INK, FAINT, PALE = "#30363d", "#6b7683", "#c9ced4"
# Okabe and Ito's, without the yellow that no line can have on white.
BLUE, VERMILION, GREEN, PURPLE, BLACK = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000"
ORANGE, SKY = "#E69F00", "#56B4E9"
LONGEST_NAME = 26


@dataclass(frozen=True)
class Look:
    """A line's colour, dashes and marker: any one of them tells it from the others."""

    colour: str
    dashes: Any
    marker: str


LOOKS = (
    Look(BLUE, "-", "o"),
    Look(VERMILION, (0, (5, 2)), "s"),
    Look(GREEN, (0, (1, 1.2)), "^"),
    Look(BLACK, (0, (6, 2, 1, 2)), "D"),
    Look(PURPLE, (0, (3, 1, 1, 1, 1, 1)), "v"),
)


def grid(
    panels: int, width: float, height: float, *,
    columns: int, across: float = 0.35, down: float = 0.5,
) -> tuple[Figure, list[Axes]]:  # fmt: skip
    """A figure of `panels` axes, each of `width` by `height` inches, row by row."""
    from matplotlib.figure import Figure

    columns = min(columns, panels)
    rows = ceil(panels / columns)
    whole = (columns * width + (columns - 1) * across, rows * height + (rows - 1) * down)
    figure = Figure(figsize=whole)
    found = []
    for number in range(panels):
        left = (number % columns) * (width + across) / whole[0]
        top = 1 - ((number // columns) * (height + down) + height) / whole[1]
        place = (left, top, width / whole[0], height / whole[1])
        found.append(figure.add_axes(place))
    return figure, found


def looks_of(systems: Iterable[str]) -> dict[str, Look]:
    """The same look for a system in all figures; systems are in the same order for all of them."""
    return dict(zip(systems, cycle(LOOKS), strict=False))


def columns_for(panels: int) -> int:
    """How many stand side by side: rows that are as full as can be, of five at most."""
    return panels if panels <= 3 else min((5, 4, 3), key=lambda c: (-panels % c, -c))


def plain(axes: Axes) -> None:
    """Without a frame, with faint lines to read values by."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(PALE)
    axes.tick_params(length=0, labelsize=8, labelcolor=FAINT)
    axes.grid(axis="y", color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)


def title(figure: Figure, text: str, below: str = "", *, above: float = 0.62) -> None:
    """The figure's title on the left, `above` the panels in inches, and a smaller line under it."""
    tall = figure.get_figheight()
    figure.text(0, 1 + above / tall, text, fontsize=13, va="bottom")
    if below:
        figure.text(0, 1 + (above - 0.06) / tall, below, fontsize=9, va="top", color=FAINT)


def key(figure: Figure, handles: Sequence[Any], labels: Sequence[str], *, under: float) -> None:
    """The legend below all panels, `under` inches below."""
    figure.legend(
        handles, labels, loc="upper left", ncols=min(len(labels), 6), frameon=False, fontsize=9,
        bbox_to_anchor=(0, -under / figure.get_figheight()), borderaxespad=0, handlelength=3.2,
    )  # fmt: skip


def name(system: str) -> str:
    """A system's name, cut where it would not fit above a panel."""
    fits = cell_len(system) <= LONGEST_NAME
    return system if fits else chop_cells(system, LONGEST_NAME - 1)[0] + "…"


def spread(places: Iterable[float], apart: float) -> list[float]:
    """Heights near `places`, each at least `apart` from the others, in the same order."""
    wanted = list(places)
    found = list(wanted)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for _ in range(100):
        moved = False
        for low, high in zip(order, order[1:], strict=False):
            lacking = apart - (found[high] - found[low])
            if lacking > 1e-9:
                found[low] -= lacking / 2
                found[high] += lacking / 2
                moved = True
        if not moved:
            break
    return found
