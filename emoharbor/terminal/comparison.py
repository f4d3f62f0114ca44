"""Paired differences of two runs as a table."""

from __future__ import annotations

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from emoharbor.stats.paired import Comparison, PairedDimension

COLUMNS = ("n / unscored", "before", "after", "difference, 95 %", "+ / = / -", "p")


def comparison_table(compared: Comparison) -> Table:
    """A row a dimension; below, why something in it is undefined."""
    title = f"{compared.before} -> {compared.after}: {compared.pairs} pairs"
    title += f", {compared.failed} of them failed" if compared.failed else ""
    title += f", {compared.unjudged} of them without a verdict" if compared.unjudged else ""
    title += f", {compared.unpaired} dialogues without a partner" if compared.unpaired else ""
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("dimension", overflow="fold")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for row in compared.dimensions:
        table.add_row(row.dimension, *_cells(row))
    notes = [
        f"{row.dimension}: p is undefined, {row.note}" for row in compared.dimensions if row.note
    ]
    notes.append("p: Wilcoxon's signed-rank test over the pairs that differ, not corrected")
    table.caption = Text("\n".join(notes))
    table.caption_justify = "left"
    return table


def _cells(row: PairedDimension) -> tuple[str, ...]:
    difference = "undefined" if row.difference is None else f"{row.difference:+.2f}"
    if row.low is not None and row.high is not None:
        difference += f" [{row.low:+.2f}, {row.high:+.2f}]"
    return (
        f"{row.n} / {row.unscored}",
        _number(row.before),
        _number(row.after),
        difference,
        f"{row.higher} / {row.same} / {row.lower}",
        "-" if row.p is None else f"{row.p:.3f}",
    )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"
