"""A run as it goes: progress with an estimate on a terminal, plain lines elsewhere."""

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
from rich.text import Text

from emoharbor.runs.budget import Meter
from emoharbor.runs.cells import Visit
from emoharbor.runs.executor import Listener
from emoharbor.runs.plan import Plan
from emoharbor.state.record import DialogueRecord
from emoharbor.terminal.dialogues import ending_line, item_line, verdict_table
from emoharbor.terminal.tables import how_ended, name_of


class LiveRun:
    """Prints a run while it happens; with `follow`, every line of every dialogue."""

    def __init__(self, console: Console, *, follow: bool = False) -> None:
        self.console = console
        self.follow = follow
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("dialogues"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._bar = self.progress.add_task("", total=None)
        self._live: dict[tuple[str, str, int], int] = {}
        self._shown: tuple[str, str, int] | None = None
        self._meter: Meter | None = None
        self._done = 0
        self._total = 0

    @property
    def listener(self) -> Listener:
        """What the executor calls."""
        return Listener(on_plan=self._plan, on_visit=self._visit, on_record=self._record)

    def _plan(self, plan: Plan, done: int, meter: Meter) -> None:
        self._meter = meter
        self._done, self._total = done, len(plan.cells)
        self.progress.update(self._bar, total=self._total, completed=done)
        if done:
            self.console.print(f"{done} of {self._total} dialogues are done already; going on.")

    def _visit(self, visit: Visit) -> None:
        key = visit.cell.key
        if self.follow and key != self._shown:
            self.console.rule(Text("/".join(map(str, key))), align="left")
            self._shown = key
        number = self._live.setdefault(key, 0)
        for item in visit.update.get("h_u", ()):
            number += item.kind == "message"
            if self.follow:
                self.console.print(item_line(item, number))
        self._live[key] = number
        if self.follow and visit.update.get("ending"):
            self.console.print(ending_line(visit.update["ending"]))
        if self.follow and visit.update.get("verdict"):
            self.console.print(verdict_table(visit.update["verdict"]))
        self.progress.update(self._bar, description=self._now())

    def _record(self, record: DialogueRecord) -> None:
        self._live.pop(record.cell, None)
        self._done += 1
        self.progress.update(self._bar, completed=self._done, description=self._now())
        if record.failure:
            text = f"{name_of(record)} {how_ended(record)}: {record.failure.message}"
            self.console.print(Text(text, style="red"))
        elif not self.console.is_terminal:
            text = f"{self._done}/{self._total} {name_of(record)}: {record.turns} exchanges, "
            self.console.print(Text(f"{text}{how_ended(record)}; {self._now()}"))

    def _now(self) -> str:
        meter = f", {self._meter.line()}" if self._meter else ""
        return f"{len(self._live)} live{meter}"
