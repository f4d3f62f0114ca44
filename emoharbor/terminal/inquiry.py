"""An inquiry on the screen, as it goes."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from emoharbor.runs.budget import Meter
from emoharbor.runs.inquiry import Inquiry, InquiryListener
from emoharbor.state.answer import AnswerRecord
from emoharbor.terminal.bar import Bar


class LiveInquiry:
    """Counts the answers; tells of each failure."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Bar(console, "questions")

    @property
    def listener(self) -> InquiryListener:
        """What the inquiry calls."""
        return InquiryListener(on_plan=self._plan, on_record=self._record)

    def _plan(self, plan: Inquiry, done: int, meter: Meter) -> None:
        self.bar.begin(len(plan.questions), done, meter)

    def _record(self, record: AnswerRecord) -> None:
        self.bar.finished(0)
        if record.failure:
            self.console.print(Text(f"{record.key} failed: {record.failure.message}"))
