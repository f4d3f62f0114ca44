"""A build of profiles on the screen: as it goes, what came of it, and one person's making."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from emoharbor.runs.build_records import Built
from emoharbor.state.building import BuildRecord, Fault
from emoharbor.terminal.profiles import person_view

# To show a build takes none of what a build takes.
if TYPE_CHECKING:
    from emoharbor.runs.budget import Meter
    from emoharbor.runs.build import BuildListener
    from emoharbor.runs.build_plan import BuildPlan, Item

COLOURS = {"accepted": "green", "set aside": "yellow", "failed": "red"}


class LiveBuild:
    """Prints a build while it happens."""

    def __init__(self, console: Console) -> None:
        from emoharbor.terminal.bar import Bar

        self.console = console
        self.bar = Bar(console, "seeds")
        self._live: set[str] = set()

    @property
    def listener(self) -> BuildListener:
        """What the run calls."""
        from emoharbor.runs.build import BuildListener

        return BuildListener(on_plan=self._plan, on_visit=self._visit, on_record=self._record)

    def _plan(self, plan: BuildPlan, done: int, meter: Meter) -> None:
        self.bar.begin(len(plan.items), done, meter)

    def _visit(self, item: Item, node: str, update: dict[str, Any]) -> None:
        self._live.add(item.person.id)
        self.bar.moved(len(self._live))

    def _record(self, record: BuildRecord) -> None:
        self._live.discard(record.id)
        self.bar.finished(len(self._live))
        if record.failure or not self.console.is_terminal:
            progress = f"{self.bar.done}/{self.bar.total} {record.id} {record.outcome}"
            why = "; ".join(_reasons(record))
            end = "" if record.failure else f"; {self.bar.now()}"
            self.console.print(Text(f"{progress}{f': {why}' if why else ''}{end}"))


def built_view(built: Built) -> RenderableType:
    """How many came out how, and why those who did not become profiles did not."""
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    table.add_row("accepted", str(len(built.accepted)))
    table.add_row("set aside", str(len(built.set_aside)), _counted(built.reasons))
    table.add_row("failed", str(len(built.failed)), _counted(built.causes))
    if built.left:
        table.add_row("not done yet", str(built.left))
    return table


def seeds_table(built: Built) -> Table:
    """One line a seed that was worked through."""
    table = Table("id", "outcome", "mended", "why")
    for record in sorted(built.records.values(), key=lambda r: (len(r.id), r.id)):
        outcome = Text(record.outcome, style=COLOURS[record.outcome])
        mended = str(len(record.mended) or "")
        table.add_row(record.id, outcome, mended, Text("\n".join(_reasons(record))))
    return table


def making_view(record: BuildRecord) -> RenderableType:
    """The seed of one person, what came of it, and what was wrong on the way."""
    outcome = Text(f"{record.id}: {record.outcome}", style=f"bold {COLOURS[record.outcome]}")
    words = [Text(f"{name}: {text}") for name, text in record.person.seed.words.items()]
    parts: list[RenderableType] = [outcome, Text(record.place), *words]
    if record.mended:
        parts += [Text("\nMended on the way:", style="bold"), *map(Text, _faults(record.mended))]
    if why := _reasons(record):
        parts += [Text("\nWhy:", style="bold"), *map(Text, why)]
    if record.profile:
        parts += [Text(), person_view(record.profile)]
    else:
        parts += [Text("\nMade so far:", style="bold"), Text(record.made.model_dump_json(indent=1))]
    return Group(*parts)


def _reasons(record: BuildRecord) -> list[str]:
    if record.failure:
        cause = record.failure.cause or record.failure.error
        return [f"{record.failure.node or 'start'}: {cause}: {record.failure.message}"]
    return list(_faults(record.faults))


def _faults(faults: list[Fault]) -> Iterator[str]:
    return (f"{f.kind}{f', {f.part}' if f.part else ''}: {f.says}" for f in faults)


def _counted(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered)
