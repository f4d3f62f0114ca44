"""A radar a system: its mean mark in each facet, over that of all systems."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi, sin
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from emoharbor.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEWEST_AXES = 3
# More panels than these are too small for their facets' titles: these then stand below, by letter.
NAMED = 6


def draw_radar(means: Mapping[str, Mapping[str, float]], words: Mapping[str, str]) -> Figure:
    """`means` by system and facet; a facet that a system lacks leaves a gap in its outline."""
    facets = list(dict.fromkeys(facet for its in means.values() for facet in its))
    few = len(means) <= NAMED
    letters = [chr(ord("A") + number) for number in range(len(facets))]
    labels = ["\n".join(_wrapped(facet)) for facet in facets] if few else letters
    all_of = {f: _mean([its[f] for its in means.values() if f in its]) for f in facets}
    columns = min(3, len(means)) if few else style.columns_for(len(means))
    size, gap = (2.2, 2.45) if few else (1.6, 0.45)
    figure, panels = style.grid(
        len(means), size, size, columns=columns, across=gap, down=1.05 if few else 0.7, polar=True
    )
    for axes, (system, its) in zip(panels, means.items(), strict=True):
        _axes(axes, labels, few=few)
        reference = _outline(
            axes, all_of, facets, color=style.FAINT, linewidth=1, linestyle=(0, (3, 2))
        )
        _outline(axes, its, facets, color=style.BLUE, linewidth=1.8, marker="o", markersize=3)
        axes.fill(*_closed(its, facets), color=style.BLUE, alpha=0.1, linewidth=0)
        axes.set_title(style.name(system), fontsize=10 if few else 9, pad=34 if few else 14)
    style.title(figure, words["radar"], above=0.95 if few else 0.62)
    under = 0.55 if few else 0.35
    style.key(figure, [reference], [words["all"]], under=under)
    if not few:
        told = "    ".join(f"{a}  {b}" for a, b in zip(letters, facets, strict=True))
        low = -(under + 0.35) / figure.get_figheight()
        figure.text(0, low, told, fontsize=9, va="top")
    return figure


def _axes(axes: Axes, labels: list[str], *, few: bool) -> None:
    polar: Any = axes
    polar.set_theta_offset(pi / 2)
    polar.set_theta_direction(-1)
    axes.set_xticks([2 * pi * number / len(labels) for number in range(len(labels))], labels)
    axes.set_ylim(1, 5)
    axes.set_yticks([1, 2, 3, 4, 5], ["", "2", "3", "4", "5"] if few else [""] * 5)
    polar.set_rlabel_position(180 / len(labels))
    axes.tick_params(axis="y", labelsize=7, labelcolor=style.FAINT)
    axes.tick_params(axis="x", labelsize=8.5, pad=3 if few else 0)
    for number, label in enumerate(axes.get_xticklabels()):
        aside = sin(2 * pi * number / len(labels))
        label.set_horizontalalignment("center" if abs(aside) < 0.1 else _side(aside))
    axes.grid(color=style.PALE, linewidth=0.5)
    axes.spines["polar"].set_color(style.PALE)


def _side(aside: float) -> Literal["left", "right"]:
    return "left" if aside > 0 else "right"


def _outline(axes: Axes, means: Mapping[str, float], facets: list[str], **look: Any) -> Any:
    (line,) = axes.plot(*_closed(means, facets), **look)
    return line


def _closed(means: Mapping[str, float], facets: list[str]) -> tuple[list[float], list[float]]:
    angles = [2 * pi * number / len(facets) for number in range(len(facets))]
    values = [means.get(facet, float("nan")) for facet in facets]
    return [*angles, angles[0]], [*values, values[0]]


def _wrapped(text: str) -> list[str]:
    return wrap(text, 16 if text.isascii() else 7)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
