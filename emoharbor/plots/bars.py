"""Bars that add up: how dialogues ended, and which way users lean."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from emoharbor.plots import style
from emoharbor.plots.lines import ticks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colour and hatch of each part; both go from good to bad, and the hatches do so in grey.
ENDINGS: dict[str, tuple[str, str]] = {
    "user_satisfied": (style.GREEN, ""),
    "max_turns": (style.SKY, "...."),
    "recorded_end": (style.PALE, ""),
    "user_left": (style.ORANGE, "////"),
    "user_gave_up": (style.VERMILION, "xxxx"),
    "failed": ("#ffffff", "----"),
}
LEANINGS: dict[str, tuple[str, str]] = {
    "stay": (style.GREEN, ""),
    "unsure": (style.ORANGE, "////"),
    "leave": (style.VERMILION, "xxxx"),
}


def draw_endings(counts: Mapping[str, Mapping[str, int]], words: Mapping[str, str]) -> Figure:
    """A lying bar a system, of the shares of endings; its dialogues are counted behind it."""
    figure, (axes,) = style.grid(1, 6.4, 0.3 * len(counts) + 0.1, columns=1)
    style.plain(axes)
    kinds = [kind for kind in ENDINGS if any(its.get(kind) for its in counts.values())]
    names = [style.name(system) for system in counts]
    places, left = range(len(counts)), [0.0] * len(counts)
    handles = []
    for kind in kinds:
        shares = [its.get(kind, 0) / sum(its.values()) for its in counts.values()]
        handles.append(axes.barh(places, shares, left=left, height=0.74, **_filled(ENDINGS[kind])))
        for place, share, start in zip(places, shares, left, strict=True):
            if share >= 0.06:
                axes.text(
                    start + share / 2, place, f"{100 * share:.0f}", ha="center", va="center",
                    fontsize=8, bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none"},
                )  # fmt: skip
        left = [start + share for start, share in zip(left, shares, strict=True)]
    for place, its in zip(places, counts.values(), strict=True):
        axes.text(
            1.015, place, f"n = {sum(its.values())}", va="center", fontsize=8, color=style.FAINT
        )
    axes.set_yticks(places, names, fontsize=9, color=style.INK)
    axes.set_ylim(len(counts) - 0.5, -0.5)
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    axes.grid(visible=False)
    style.title(figure, words["endings"], words["share"], above=0.42)
    style.key(figure, handles, [words[kind] for kind in kinds], under=0.35)
    return figure


def draw_leanings(
    counts: Mapping[str, Mapping[int, Mapping[str, int]]], words: Mapping[str, str], last: int
) -> Figure:
    """A panel a system, a bar an exchange: how many users are there, and which way they lean."""
    columns = style.columns_for(len(counts))
    wide = 3.4 if len(counts) <= 3 else 2.1
    figure, panels = style.grid(len(counts), wide, 1.6, columns=columns)
    most = max(sum(its.values()) for turns in counts.values() for its in turns.values())
    handles: list[Any] = []
    for number, (axes, (system, turns)) in enumerate(zip(panels, counts.items(), strict=True)):
        style.plain(axes)
        bottom, handles = [0] * last, []
        for kind, look in LEANINGS.items():
            top = [b + turns.get(t, {}).get(kind, 0) for t, b in enumerate(bottom, 1)]
            # One shape for all exchanges: a bar for each would take ten times as long.
            edges = [t - 0.5 for t in range(1, last + 2)]
            its = axes.stairs(top, edges, baseline=bottom, fill=True, **_filled(look))
            handles.append(its)
            bottom = top
        axes.set_title(style.name(system), loc="left", fontsize=9, pad=5)
        axes.set_ylim(0, most * 1.02)
        axes.set_xlim(0.4, last + 0.6)
        axes.set_xticks(ticks(1, last, 4))
        if number % columns:
            axes.set_yticklabels([])
    style.title(figure, words["leaning"], f"{words['users']}; {words['exchange']} 1–{last}")
    style.key(figure, handles, [words[kind] for kind in LEANINGS], under=0.4)
    return figure


def _filled(look: tuple[str, str]) -> dict[str, Any]:
    colour, hatch = look
    return {"color": colour, "hatch": hatch, "edgecolor": style.INK, "linewidth": 0.4}


def order(counts: Mapping[str, Mapping[str, int]], bad: Collection[str]) -> list[str]:
    """Systems, the one with the smallest share of bad endings first."""

    def share(system: str) -> float:
        its = counts[system]
        return sum(its.get(kind, 0) for kind in bad) / max(1, sum(its.values()))

    return sorted(counts, key=share)
