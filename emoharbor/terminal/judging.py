"""A judging on the screen: as it goes, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from emoharbor.judging.summary import Marks, SupporterMarks, judged_summary
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.state.record import DialogueRecord
from emoharbor.terminal.tables import how_ended, name_of

# To show a judging takes none of what a judging takes.
if TYPE_CHECKING:
    from emoharbor.judging.plan import Item, JudgingPlan
    from emoharbor.judging.run import JudgingListener
    from emoharbor.judging.wanted import Work
    from emoharbor.runs.budget import Meter

NO_MARK = "no repeat of the judge gave a mark"
COUNTED = "mean of the dialogues' marks (marks scored / unscored)"
SPREAD = "± is the standard deviation within a dialogue over the judge's repeats"


class LiveJudging:
    """Prints a judging while it happens."""

    def __init__(self, console: Console, work: Work) -> None:
        from emoharbor.terminal.bar import Bar

        self.console = console
        self.bar = Bar(console, things_of(work))
        self._live: set[str] = set()

    @property
    def listener(self) -> JudgingListener:
        """What the run calls."""
        from emoharbor.judging.run import JudgingListener

        return JudgingListener(on_plan=self._plan, on_visit=self._visit, on_record=self._record)

    def _plan(self, plan: JudgingPlan, done: int, meter: Meter) -> None:
        self.console.print(Text(title_of(plan.work), style="bold"))
        for line in left_out_lines(plan.left_out):
            self.console.print(line)
        self.bar.begin(len(plan.items), done, meter)

    def _visit(self, item: Item, node: str, update: dict[str, Any]) -> None:
        self._live.add(item.name)
        self.bar.moved(len(self._live))

    def _record(self, record: DialogueRecord) -> None:
        self._live.discard(record.name)
        self.bar.finished(len(self._live))
        if record.failure:
            text = f"{name_of(record)} {how_ended(record)}: {record.failure.message}"
            self.console.print(Text(text, style="red"))
        elif not self.console.is_terminal:
            progress = f"{self.bar.done}/{self.bar.total} {name_of(record)}"
            self.console.print(Text(f"{progress}; {self.bar.now()}"))


def left_out_lines(left_out: Mapping[str, str]) -> Iterable[Text]:
    """How many dialogues are not judged for each reason, and the first of them."""
    for why, count in Counter(left_out.values()).items():
        first = next(name for name, reason in left_out.items() if reason == why)
        more = f" and {count - 1} more" if count > 1 else ""
        yield Text(f"not judged: {first}{more}: {why}", style="yellow")


def title_of(work: Work) -> str:
    """Who judges what, and how; or who simulates inner states."""
    if work.role == "thinker":
        return f"Inner states of {work.wanted.run}, simulated by {work.spec}"
    return f"{work.wanted.run} judged by {work.spec}, {work.strategy}, {work.rubric}"


def things_of(work: Work) -> str:
    """What is counted of it."""
    return "verdicts" if work.role == "evaluator" else "dialogues"


def judged_sheet(work: Work, records: Iterable[DialogueRecord]) -> Sheet:
    """Dimensions down, supporters across: mean and spread, marks in them and missing from them."""
    summaries = judged_summary(records)
    keys = list(dict.fromkeys(key for one in summaries for key in one.dimensions))
    rows: list[dict[str, Cell | float | int | str]] = [
        {"dimension": key, **{one.supporter: _cell(one, key) for one in summaries}} for key in keys
    ]
    counts = {
        "dialogues judged": "dialogues",
        "verdicts": "verdicts",
        "verdicts on prefixes": "prefixes",
        "failed": "failed",
    }
    rows += [
        {"dimension": words, **{one.supporter: getattr(one, name) for one in summaries}}
        for words, name in counts.items()
    ]
    columns = (Column("dimension", ""), *(Column(s.supporter, s.supporter) for s in summaries))
    notes = (COUNTED, SPREAD) if any(_has_spread(one) for one in summaries) else (COUNTED,)
    return Sheet("judged", title_of(work), columns, tuple(rows), notes)


def _has_spread(one: SupporterMarks) -> bool:
    return any(marks.spread is not None for marks in one.dimensions.values())


def _cell(one: SupporterMarks, key: str) -> Cell | str:
    marks: Marks | None = one.dimensions.get(key)
    if marks is None:
        return ""
    counted = f"({marks.scored}/{marks.unscored})"
    if marks.mean is None:
        return Cell(None, counted, why=NO_MARK)
    return Cell(
        marks.mean, f"±{marks.spread:.2f} {counted}" if marks.spread is not None else counted
    )
