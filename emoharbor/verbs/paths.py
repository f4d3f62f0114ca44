"""What `graph RUN DIALOGUE` does: one look at a dialogue's path, or one look after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from emoharbor.graphs.picture import GraphPicture
from emoharbor.runs.find import find_thread
from emoharbor.runs.opened import open_for_debugging

EVERY = 1.0


def draw_path(
    run: Path,
    dialogue: str,
    store: str | None,
    show: Callable[[GraphPicture], None],
    *,
    watch: bool,
) -> None:
    """Shows the path; with `watch` again at every change, while somebody runs the dialogue."""
    asyncio.run(_draw(run, dialogue, store, show, watch=watch))


async def _draw(
    run: Path,
    dialogue: str,
    store: str | None,
    show: Callable[[GraphPicture], None],
    *,
    watch: bool,
) -> None:
    last: GraphPicture | None = None
    while True:
        async with open_for_debugging(run, store) as opened:
            # Asked first: what ends between the two looks is shown once more.
            running = await opened.reader.owner() is not None
            now = await opened.path(await find_thread(opened.reader, dialogue))
        if now != last:
            show(now)
        last = now
        if not (watch and running and now.active):
            return
        await asyncio.sleep(EVERY)
