"""A run as it goes: progress with an estimate on a terminal, plain lines elsewhere."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from emoharbor.runs.budget import Meter
from emoharbor.runs.cells import Visit
from emoharbor.runs.executor import Listener
from emoharbor.runs.plan import Plan
from emoharbor.state.record import DialogueRecord
from emoharbor.terminal.bar import Bar
from emoharbor.terminal.dialogues import ending_line, item_line, verdict_table
from emoharbor.terminal.tables import how_ended, name_of


class LiveRun:
    """Prints a run while it happens; with `follow`, every line of every dialogue."""

    def __init__(self, console: Console, *, follow: bool = False) -> None:
        self.console = console
        self.follow = follow
        self.bar = Bar(console, "dialogues")
        self._live: dict[tuple[str, str, int], int] = {}
        self._shown: tuple[str, str, int] | None = None

    @property
    def listener(self) -> Listener:
        """What the executor calls."""
        return Listener(on_plan=self._plan, on_visit=self._visit, on_record=self._record)

    def _plan(self, plan: Plan, done: int, meter: Meter) -> None:
        self.bar.begin(len(plan.cells), done, meter)

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
        self.bar.moved(len(self._live))

    def _record(self, record: DialogueRecord) -> None:
        self._live.pop(record.cell, None)
        self.bar.finished(len(self._live))
        if record.failure:
            text = f"{name_of(record)} {how_ended(record)}: {record.failure.message}"
            self.console.print(Text(text, style="red"))
        elif not self.console.is_terminal:
            text = f"{self.bar.done}/{self.bar.total} {name_of(record)}: {record.turns} exchanges, "
            self.console.print(Text(f"{text}{how_ended(record)}; {self.bar.now()}"))
