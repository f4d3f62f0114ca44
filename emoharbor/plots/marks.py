"""Marks by exchange: a panel a dimension, of lines for few systems and of cells for many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from emoharbor.plots import style
from emoharbor.plots.lines import BAND, Line, plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_marks(
    lines: Mapping[str, list[Line]], words: Mapping[str, str], looks: Mapping[str, style.Look]
) -> Figure:
    """`lines` by dimension, of the same systems in the same order in each."""
    turns = sorted({int(t) for its in lines.values() for line in its for t in line.turns})
    systems = list(dict.fromkeys(line.system for its in lines.values() for line in its))
    if len(systems) <= style.OVERLAID:
        return _lines(lines, looks, turns, words)
    return _cells(lines, systems, turns, words)


def _lines(
    lines: Mapping[str, list[Line]],
    looks: Mapping[str, style.Look],
    turns: list[int],
    words: Mapping[str, str],
) -> Figure:
    columns = style.columns_for(len(lines))
    figure, panels = style.grid(len(lines), 2.1, 1.6, columns=columns)
    handles: dict[str, Any] = {}
    for number, (axes, (dimension, its)) in enumerate(zip(panels, lines.items(), strict=True)):
        style.plain(axes)
        for line in its:
            plot(axes, line, looks[line.system], marked=True, alpha=BAND / 2)
            handles[line.system] = axes.lines[-1]
        axes.set_title(dimension, loc="left", fontsize=9, pad=4)
        axes.set_ylim(0.9, 5.1)
        axes.set_yticks([1, 2, 3, 4, 5])
        axes.set_xlim(turns[0] - 0.5, turns[-1] + 0.5)
        axes.set_xticks(turns if len(turns) <= 8 else turns[:: len(turns) // 6])
        if number % columns:
            axes.set_yticklabels([])
    style.title(figure, words["dimensions-by-turn"], words["exchange"])
    style.key(figure, list(handles.values()), list(map(style.name, handles)), under=0.4)
    return figure


def _cells(
    lines: Mapping[str, list[Line]], systems: list[str], turns: list[int], words: Mapping[str, str]
) -> Figure:
    columns = style.columns_for(len(lines))
    figure, panels = style.grid(
        len(lines), 0.32 * len(turns) + 0.2, 0.17 * len(systems), columns=columns, across=0.2
    )
    for number, (axes, (dimension, its)) in enumerate(zip(panels, lines.items(), strict=True)):
        _panel(axes, its, systems, turns)
        axes.set_title(dimension, loc="left", fontsize=9, pad=4)
        named = [style.name(s) for s in systems] if number % columns == 0 else []
        axes.set_yticks(range(len(named)), named, fontsize=8, color=style.INK)
    style.title(figure, words["dimensions-by-turn"], words["exchange"])
    return figure


def _panel(axes: Axes, its: list[Line], systems: list[str], turns: list[int]) -> None:
    values = [[float("nan")] * len(turns) for _ in systems]
    for line in its:
        for turn, value in zip(line.turns, line.values, strict=True):
            values[systems.index(line.system)][turns.index(int(turn))] = value
    # Never so dark that its figure could not be read.
    axes.imshow(values, cmap="Greys", vmin=1, vmax=9, aspect="auto")
    for down, row in enumerate(values):
        for across, value in enumerate(row):
            if value == value:
                axes.text(
                    across, down, f"{value:.1f}", ha="center", va="center", fontsize=6.5,
                )  # fmt: skip
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=7, labelcolor=style.FAINT)
    axes.set_xticks(range(len(turns)), [str(turn) for turn in turns])
