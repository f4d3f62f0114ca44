"""A radar a system: its mean mark in each facet, over that of all systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, cos, pi, sin
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from emoharbor.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEWEST_AXES = 3
# More panels than these are too small for their facets' titles: these then stand below, by letter.
NAMED = 6
LOW, HIGH = 1, 5
NAN = float("nan")
Point = tuple[float, float]


@dataclass(frozen=True)
class Web:
    """Where a radar stands, in inches. All share one panel: polar ones take ten times as long."""

    across: float
    up: float
    radius: float
    facets: Sequence[str]

    def at(self, number: int, mark: float) -> Point:
        """The place of a mark on the axis of a facet, the first one upwards."""
        angle = 2 * pi * number / len(self.facets)
        out = self.radius * (mark - LOW) / (HIGH - LOW)
        return self.across + out * sin(angle), self.up + out * cos(angle)

    def ring(self, means: Mapping[str, float]) -> list[Point]:
        """The outline of means, closed, with a gap where a facet has none."""
        found = [self.at(n, means.get(facet, NAN)) for n, facet in enumerate(self.facets)]
        return [*found, found[0]]


def draw_radar(means: Mapping[str, Mapping[str, float]], words: Mapping[str, str]) -> Figure:
    """`means` by system and facet; a facet that a system lacks leaves a gap in its outline."""
    facets = list(dict.fromkeys(facet for its in means.values() for facet in its))
    few = len(means) <= NAMED
    letters = [chr(ord("A") + number) for number in range(len(facets))]
    labels = ["\n".join(_wrapped(facet)) for facet in facets] if few else letters
    all_of = {f: _mean([its[f] for its in means.values() if f in its]) for f in facets}
    columns = min(3, len(means)) if few else style.columns_for(len(means))
    wide, tall, radius = (4.4, 3.2, 1.1) if few else (2.05, 2.25, 0.8)
    rows = ceil(len(means) / columns)
    figure, (axes,) = style.grid(1, columns * wide, rows * tall, columns=1)
    axes.set_axis_off()
    axes.set_xlim(0, columns * wide)
    axes.set_ylim(0, rows * tall)
    for number, (system, its) in enumerate(means.items()):
        right, down = number % columns, number // columns
        web = Web((right + 0.5) * wide, (rows - down - 0.5) * tall - 0.1, radius, facets)
        _web(axes, web, labels, numbered=few)
        _marks(axes, web, its, all_of)
        top = web.up + radius + (0.6 if few else 0.36)
        axes.text(web.across, top, style.name(system), ha="center", fontsize=10 if few else 9)
    style.title(figure, words["radar"], above=0.35)
    (reference,) = axes.plot([], [], color=style.FAINT, linewidth=1, linestyle=(0, (3, 2)))
    style.key(figure, [reference], [words["all"]], under=0.2)
    if not few:
        told = "    ".join(f"{a}  {b}" for a, b in zip(letters, facets, strict=True))
        figure.text(0, -0.5 / figure.get_figheight(), told, fontsize=9, va="top")
    return figure


def _web(axes: Axes, web: Web, labels: Sequence[str], *, numbered: bool) -> None:
    from matplotlib.collections import LineCollection

    rings = [web.ring(dict.fromkeys(web.facets, mark)) for mark in range(LOW + 1, HIGH + 1)]
    spokes = [[web.at(n, LOW), web.at(n, HIGH)] for n in range(len(labels))]
    axes.add_collection(LineCollection([*rings, *spokes], colors=style.PALE, linewidths=0.6))
    for number, label in enumerate(labels):
        x, y = web.at(number, HIGH + 0.35)
        side, height = _aligned(x - web.across, y - web.up)
        axes.text(x, y, label, ha=side, va=height, fontsize=8.5)
    for mark in range(LOW + 1, HIGH) if numbered else ():
        x, y = web.at(0, mark)
        axes.text(x + 0.04, y, str(mark), fontsize=7, color=style.FAINT, va="bottom")


def _aligned(
    aside: float, above: float
) -> tuple[Literal["left", "center", "right"], Literal["top", "center", "bottom"]]:
    """Text that goes away from the web's middle."""
    if abs(aside) < 0.05:
        return "center", "bottom" if above > 0 else "top"
    return "left" if aside > 0 else "right", "center" if above > -0.5 else "top"


def _marks(axes: Axes, web: Web, its: Mapping[str, float], all_of: Mapping[str, float]) -> None:
    x, y = zip(*web.ring(all_of), strict=True)
    axes.plot(x, y, color=style.FAINT, linewidth=1, linestyle=(0, (3, 2)))
    x, y = zip(*web.ring(its), strict=True)
    if len(its) == len(web.facets):
        axes.fill(x, y, color=style.BLUE, alpha=0.1, linewidth=0)
    axes.plot(x, y, color=style.BLUE, linewidth=1.8, marker="o", markersize=3)


def _wrapped(text: str) -> list[str]:
    return wrap(text, 16 if text.isascii() else 7)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
