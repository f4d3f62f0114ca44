"""The span of a dialogue, in which its nodes' and their model calls' lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from emoharbor.models.tracing import Attributes, fail, span, tracer
from emoharbor.runs.plan import Cell
from emoharbor.state.record import DialogueRecord

if TYPE_CHECKING:
    from opentelemetry.trace import Span

Told = Callable[[DialogueRecord | None], None]


@contextmanager
def dialogue_span(suite: str, run: str, cell: Cell) -> Iterator[Told]:
    """One go at a dialogue, in a trace of its own where the caller is in none.

    What is yielded is told how it came out.
    """
    if tracer() is None:
        yield lambda record: None
        return
    attributes: Attributes = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": suite,
        "gen_ai.conversation.id": cell.thread,
        **({"emoharbor.run": run} if run else {}),
        "emoharbor.dialogue": cell.name,
        "emoharbor.supporter": cell.supporter,
        "emoharbor.profile": cell.profile.id,
        "emoharbor.repeat": cell.repeat,
    }
    with span(f"invoke_workflow {suite}", attributes) as current:
        assert current is not None
        yield partial(_tell, current)


def _tell(current: Span, record: DialogueRecord | None) -> None:
    """None is of a dialogue that was stopped on its way, and will be gone on with."""
    if record is None:
        current.set_attribute("emoharbor.stopped", True)
        return
    current.set_attribute("emoharbor.turns", record.turns)
    if record.ending:
        current.set_attribute("emoharbor.ending", record.ending.reason)
    if failure := record.failure:
        fail(current, failure.cause or failure.error, failure.message)
