"""What can be put into a node, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from emoharbor.agents.listing import Offer


def offers_table(title: str, offers: Sequence[Offer]) -> Table:
    """One agent a row; its parameters as they would be written in Python."""
    table = Table(title=Text(title), title_justify="left", show_lines=True)
    table.add_column("use", no_wrap=True)
    table.add_column("parameters", overflow="fold")
    table.add_column("what it is", overflow="fold")
    table.add_column("from", overflow="fold")
    for offer in offers:
        says = Text(offer.problem, style="red") if offer.problem else Text(offer.says)
        table.add_row(Text(offer.use), Text("\n".join(offer.parameters)), says, Text(offer.source))
    return table
