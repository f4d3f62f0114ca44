"""How far a run is: a bar with an estimate on a terminal, nothing elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from emoharbor.runs.budget import Meter


class Bar:
    """Counts what is done of a run; `live` says how many are being worked at."""

    def __init__(self, console: Console, things: str) -> None:
        self.console = console
        self.things = things
        self.done = 0
        self.total = 0
        self.live = 0
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(things),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._task = self.progress.add_task("", total=None)
        self._meter: Meter | None = None

    def begin(self, total: int, done: int, meter: Meter) -> None:
        """The plan is known; says so where some of it is done already."""
        self._meter = meter
        self.done, self.total = done, total
        self.progress.update(self._task, total=total, completed=done)
        if done:
            self.console.print(f"{done} of {total} {self.things} are done already; going on.")

    def moved(self, live: int) -> None:
        """Something happened; so many are live now."""
        self.live = live
        self.progress.update(self._task, description=self.now())

    def finished(self, live: int) -> None:
        """One more is done."""
        self.done += 1
        self.live = live
        self.progress.update(self._task, completed=self.done, description=self.now())

    def now(self) -> str:
        """How many are live, and what the meter says."""
        return f"{self.live} live{f', {self._meter.line()}' if self._meter else ''}"
