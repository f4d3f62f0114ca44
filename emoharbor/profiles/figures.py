"""The people of a set in six figures: what the paper's Figures 3, 4 and 8 show."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, chop_cells

from emoharbor.errors import ConfigError
from emoharbor.profiles.counts import ORDERED, count
from emoharbor.profiles.fonts import families
from emoharbor.state.profile import Profile

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = ("age", "occupation", "MBTI", "topic", "emotion", "nationality")
MOST_BARS, MOST_NAMES, WIDEST = 24, 150, 48
BLUE, GREY, INK = "#3f74a8", "#6b7683", "#30363d"
# In inches: a bar, a line of small text, a terminal cell of it, a page's width.
BAR, LINE, CELL, PAGE = 0.24, 0.2, 0.066, 11.0
STYLE: dict[Any, Any] = {
    "font.size": 10, "text.color": INK, "axes.labelcolor": INK, "xtick.color": INK,
    "ytick.color": INK, "axes.titlesize": 13,
    "svg.hashsalt": "emoharbor",
}  # fmt: skip


def draw(profiles: Sequence[Profile], folder: Path, address: str) -> list[Path]:
    """Draws each of KINDS as `folder`/SET-KIND.png and .svg; returns the files.

    Raises ConfigError where matplotlib is not installed, or no font for the labels.
    """
    style = drawn_with()
    counted = {kind: count(profiles, kind) for kind in KINDS}
    fonts = families(label for labels in counted.values() for label in labels)
    name = re.sub(r"\W+", "-", Path(address.partition("?")[0]).stem)
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    with style(fonts):
        for kind, labels in counted.items():
            figure = _figure(kind, labels)
            figure.axes[0].set_title(_title(kind, labels, name), loc="left", pad=12)
            files += save(figure, folder / f"{name}-{kind.lower()}")
    return files


def drawn_with() -> Callable[[Sequence[str]], AbstractContextManager[None]]:
    """All figures' style, for the fonts that it is given. Raises ConfigError without matplotlib."""
    try:
        import matplotlib
    except ImportError as error:
        raise ConfigError(
            "figures are drawn by matplotlib: pip install 'emoharbor[plots]'"
        ) from error
    return lambda fonts: matplotlib.rc_context({**STYLE, "font.family": list(fonts)})


def save(figure: Figure, stem: Path, dpi: int = 200) -> list[Path]:
    """Writes `figure` as `stem`.png and .svg, always the same bytes for the same figure."""
    files = [stem.with_name(stem.name + end) for end in (".png", ".svg")]
    # Measured once, where "tight" would draw all of it once more for each file.
    around = figure.get_tightbbox().padded(0.1)
    figure.savefig(files[0], dpi=dpi, bbox_inches=around)
    figure.savefig(files[1], bbox_inches=around, metadata={"Date": None})
    return files


def _title(kind: str, counted: dict[str, int], name: str) -> str:
    people = sum(counted.values())
    different = "" if kind in ORDERED else f", {len(counted)} different"
    return f"{kind[0].upper()}{kind[1:]} of {people} people ({name}){different}"


def _figure(kind: str, counted: dict[str, int]) -> Figure:
    if kind in ORDERED:
        return _columns(counted)
    return _names(counted) if kind == "occupation" else _bars(counted)


def _columns(counted: dict[str, int]) -> Figure:
    """Upright bars, for labels that are few and have an order."""
    figure, axes = _empty(max(5.0, 0.6 * len(counted)), 3.2)
    axes.bar_label(
        axes.bar(list(counted), list(counted.values()), color=BLUE, width=0.7), padding=2
    )
    axes.set_yticks([])
    return figure


def _bars(counted: dict[str, int]) -> Figure:
    """Lying bars, the longest on top; a line below says how many labels have none."""
    shown = dict(list(counted.items())[:MOST_BARS])
    figure, axes = _empty(6.5, BAR * len(shown) + 0.1)
    labels = [_cut(label) for label in shown]
    axes.bar_label(axes.barh(labels, list(shown.values()), color=BLUE), padding=3)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xticks([])
    if len(shown) < len(counted):
        others, people = len(counted) - len(shown), sum(counted.values()) - sum(shown.values())
        axes.set_xlabel(f"and {others} others: {people} people", loc="left", color=GREY)
    return figure


def _names(counted: dict[str, int]) -> Figure:
    """The labels themselves, for a kind of which nearly everybody has their own."""
    names = [
        _cut(name) + (f" (×{people})" if people > 1 else "") for name, people in counted.items()
    ]
    if len(names) > MOST_NAMES + 1:
        names = [*names[:MOST_NAMES], f"and {len(names) - MOST_NAMES} others"]
    width = CELL * (max(map(cell_len, names)) + 3)
    columns = min(max(1, int(PAGE / width)), len(names))
    rows = ceil(len(names) / columns)
    figure, axes = _empty(columns * width, LINE * rows)
    for number, name in enumerate(names):
        across, down = (number // rows) / columns, 1 - (number % rows + 0.5) / rows
        axes.text(across, down, name, fontsize=9, va="center", transform=axes.transAxes)
    axes.set_axis_off()
    return figure


def _empty(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    return figure, axes


def _cut(label: str) -> str:
    return label if cell_len(label) <= WIDEST else chop_cells(label, WIDEST - 1)[0] + "…"
