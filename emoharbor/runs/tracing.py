"""The span of a dialogue, in which its nodes' and their model calls' lie."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Protocol

from emoharbor.models.tracing import Attributes, fail, span, tracer
from emoharbor.state.building import BuildRecord
from emoharbor.state.profile import Profile
from emoharbor.state.record import DialogueRecord

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from emoharbor.runs.build_plan import Item

Told = Callable[[DialogueRecord | None], None]


class OneDialogue(Protocol):
    """What a span tells of a dialogue to be had, or of one to be judged."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        ...

    @property
    def supporter(self) -> str:
        """Whose it is."""
        ...

    @property
    def profile(self) -> Profile:
        """Who seeks support."""
        ...

    @property
    def repeat(self) -> int:
        """Which of several it is."""
        ...

    @property
    def thread(self) -> str:
        """The name of its checkpoints."""
        ...


@contextmanager
def dialogue_span(suite: str, run: str, cell: OneDialogue) -> Iterator[Told]:
    """One go at a dialogue, in a trace of its own where the caller is in none.

    What is yielded is told how it came out.
    """
    attributes: Attributes = {
        "emoharbor.dialogue": cell.name,
        "emoharbor.supporter": cell.supporter,
        "emoharbor.profile": cell.profile.id,
        "emoharbor.repeat": cell.repeat,
    }
    with _workflow(suite, run, cell.thread, attributes) as current:
        yield partial(_tell, current) if current else _nobody


@contextmanager
def build_span(build: str, run: str, item: Item) -> Iterator[Callable[[BuildRecord | None], None]]:
    """One go at making a person, as `dialogue_span`."""
    attributes: Attributes = {"emoharbor.profile": item.person.id}
    with _workflow(build, run, item.thread, attributes) as current:
        yield partial(_tell_build, current) if current else _nobody


@contextmanager
def _workflow(name: str, run: str, thread: str, more: Attributes) -> Iterator[Span | None]:
    if tracer() is None:
        yield None
        return
    attributes: Attributes = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": name,
        "gen_ai.conversation.id": thread,
        **({"emoharbor.run": run} if run else {}),
        **more,
    }
    with span(f"invoke_workflow {name}", attributes) as current:
        yield current


def _nobody(record: object) -> None:
    """Nobody traces."""


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


def _tell_build(current: Span, record: BuildRecord | None) -> None:
    if record is None:
        current.set_attribute("emoharbor.stopped", True)
        return
    current.set_attribute("emoharbor.outcome", record.outcome)
    if failure := record.failure:
        fail(current, failure.cause or failure.error, failure.message)
