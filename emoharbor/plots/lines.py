"""Lines over exchanges, with bands: few systems in one panel, many in one each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from emoharbor.plots import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


BAND = 0.14
NAN = float("nan")


@dataclass(frozen=True)
class Line:
    """One system's figures by exchange; `low` and `high` are NaN where there is no band.

    `n` are the dialogues behind each; `steps` holds each value until the next one.
    """

    system: str
    turns: Sequence[float]
    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    n: Mapping[int, int]
    steps: bool = False


@dataclass(frozen=True)
class Scale:
    """What the axes say: values between two ends, exchanges from 0 or 1 to the last."""

    title: str
    across: str
    counted: str
    low: float
    high: float
    first: int
    last: int
    percent: bool = False


def draw_lines(lines: Sequence[Line], scale: Scale, looks: Mapping[str, style.Look]) -> Figure:
    """One panel with names at the lines' ends; over OVERLAID systems a panel each."""
    return _together(lines, scale, looks) if len(lines) <= style.OVERLAID else _apart(lines, scale)


def _together(lines: Sequence[Line], scale: Scale, looks: Mapping[str, style.Look]) -> Figure:
    figure, (axes,) = style.grid(1, 6.4, 3.6, columns=1)
    _axes(axes, scale)
    alpha = BAND if len(lines) <= 2 else BAND / 2
    for line in lines:
        plot(axes, line, looks[line.system], marked=True, alpha=alpha)
    _names(axes, lines, scale, looks)
    style.title(figure, scale.title, above=0.2)
    _counts(axes, lines, scale, looks)
    return figure


def _apart(lines: Sequence[Line], scale: Scale) -> Figure:
    columns = style.columns_for(len(lines))
    figure, panels = style.grid(len(lines), 2.1, 1.5, columns=columns)
    for number, (axes, own) in enumerate(zip(panels, lines, strict=True)):
        _axes(axes, scale, most=4)
        _others(axes, [line for line in lines if line is not own])
        plot(axes, own, style.LOOKS[0], marked=False)
        counts = f"n = {own.n.get(1, 0)} → {own.n.get(scale.last, 0)}"
        axes.set_title(style.name(own.system), loc="left", fontsize=9, pad=12)
        axes.text(0, 1.03, counts, transform=axes.transAxes, fontsize=7, color=style.FAINT)
        if number % columns:
            axes.set_yticklabels([])
        if number + columns < len(lines):
            axes.set_xticklabels([])
    style.title(
        figure, scale.title, f"{scale.across} {scale.first}–{scale.last}; n: {scale.counted}"
    )
    return figure


def _others(axes: Axes, lines: Sequence[Line]) -> None:
    """All of them as one line with gaps: that is drawn faster than a line for each."""
    turns = [t for line in lines for t in (*line.turns, NAN)]
    values = [v for line in lines for v in (*line.values, NAN)]
    drawstyle = "steps-post" if lines[0].steps else "default"
    axes.plot(turns, values, color=style.PALE, linewidth=0.7, drawstyle=drawstyle)


def plot(axes: Axes, line: Line, look: style.Look, *, marked: bool, alpha: float = BAND) -> None:
    """A line and its band."""
    drawstyle = "steps-post" if line.steps else "default"
    axes.fill_between(
        line.turns, line.low, line.high, color=look.colour, alpha=alpha, linewidth=0,
        step="post" if line.steps else None,
    )  # fmt: skip
    axes.plot(
        line.turns, line.values, color=look.colour, linestyle=look.dashes, drawstyle=drawstyle,
        linewidth=1.6, marker=look.marker if marked else None, markersize=3.5,
    )  # fmt: skip


def _axes(axes: Axes, scale: Scale, most: int = 9) -> None:
    style.plain(axes)
    axes.set_ylim(scale.low, scale.high)
    axes.set_xlim(scale.first - 0.2, scale.last + 0.2)
    axes.set_xticks(ticks(scale.first, scale.last, most))
    if scale.percent:
        shares = [0, 0.5, 1] if most < 9 else [0, 0.25, 0.5, 0.75, 1]
        axes.set_yticks(shares, [f"{100 * share:.0f} %" for share in shares])
    else:
        axes.set_yticks(range(round(scale.low + 0.4), round(scale.high) + 1))


def ticks(first: int, last: int, most: int = 9) -> list[int]:
    """Exchanges to name, about `most`: all, or every second, third or fifth, and the last."""
    step = next(s for s in (1, 2, 3, 5, 10, 20, 50, 1000) if (last - first) / s <= most)
    return [t for t in range(first, last, step) if last - t > step / 2 or t == first] + [last]


def _names(
    axes: Axes, lines: Sequence[Line], scale: Scale, looks: Mapping[str, style.Look]
) -> None:
    """At the lines' ends, moved apart where they would meet, with a line that leads there."""
    apart = 0.062 * (scale.high - scale.low)
    right = scale.last + 0.2 + 0.05 * scale.last
    places = style.spread([line.values[-1] for line in lines], apart)
    for line, place in zip(lines, places, strict=True):
        colour = looks[line.system].colour
        axes.annotate(
            style.name(line.system), (line.turns[-1], line.values[-1]), xytext=(right, place),
            color=colour, fontsize=9, va="center", annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.6},
        )  # fmt: skip


def _counts(
    axes: Axes, lines: Sequence[Line], scale: Scale, looks: Mapping[str, style.Look]
) -> None:
    """Below the panel, how many dialogues stand behind each line at the exchanges named."""
    named = [t for t in ticks(scale.first, scale.last) if t > 0]
    across = axes.get_xaxis_transform()

    def left(x: float, y: float, text: str, colour: str, side: str) -> None:
        axes.text(
            x, y, text, transform=axes.transAxes, fontsize=8, ha=side, va="center", color=colour
        )

    left(-0.02, -0.035, scale.across, style.FAINT, "right")
    left(0, -0.12, f"n: {scale.counted}", style.FAINT, "left")
    for row, line in enumerate(lines):
        y = -0.185 - 0.06 * row
        left(-0.02, y, style.name(line.system), looks[line.system].colour, "right")
        for turn in named:
            told = str(line.n.get(turn, 0))
            axes.text(turn, y, told, transform=across, fontsize=8, ha="center", va="center")
