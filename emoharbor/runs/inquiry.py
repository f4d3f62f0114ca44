"""Inquiries: many questions to models that stand alone, resumable as any run is."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from emoharbor.errors import ConfigError, EmoHarborError, ModelError
from emoharbor.models.config import ModelConfig
from emoharbor.models.where import WHERE, Where
from emoharbor.runs.answers import Asked, settled, stored_answers
from emoharbor.runs.budget import Meter
from emoharbor.runs.drain import Drain
from emoharbor.runs.engine import RunOptions, begun, work_through
from emoharbor.runs.fingerprint import changes, digest
from emoharbor.runs.folder import plan_text
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.seats import MakeModel
from emoharbor.runs.store import RunStore
from emoharbor.runs.threads import now, tried
from emoharbor.state.answer import AnswerRecord
from emoharbor.state.profile import Frozen
from emoharbor.state.verdict import Failure


class InquiryConfig(Frozen):
    """What run.yaml keeps of an inquiry of any kind; the kinds add what they ask about."""

    inquiry: str
    model: ModelConfig
    seed: int = 0

    @property
    def model_values(self) -> dict[str, Any]:
        """The model's entry; its unsaid defaults stay unsaid."""
        return self.model.model_dump(mode="json", exclude_unset=True)

    @property
    def values(self) -> dict[str, Any]:
        """What run.yaml holds."""
        return {**self.model_dump(mode="json", exclude={"model"}), "model": self.model_values}


@dataclass(frozen=True)
class Question:
    """One question: `ask` calls its model and gives what it answered, as a model of pydantic.

    `key` names it among the others, `node` the role that is asked; `shape` is all that shapes the
    answer besides the model: a question of another shape is another one.
    """

    key: str
    node: str
    seed: int
    about: Mapping[str, Any]
    shape: Any
    ask: Callable[[], Awaitable[BaseModel]]

    @cached_property
    def thread(self) -> str:
        """The name of its calls in the journal."""
        return f"{self.key}/{digest([self.shape, self.seed])}"


@dataclass(frozen=True)
class Inquiry:
    """All questions in the order in which they start.

    `values` is what run.yaml keeps, with the kind under "inquiry", and from which the inquiry is
    made again; `by_node` says who is asked; `asked` what may not change between two processes, as
    models and prompts.
    """

    values: Mapping[str, Any]
    by_node: Mapping[str, ModelConfig]
    asked: Mapping[str, Any]
    questions: tuple[Question, ...]

    @property
    def models(self) -> list[ModelConfig]:
        """All that are asked."""
        return list(self.by_node.values())

    def specs(self, thread: str) -> dict[str, str]:
        """The spec of each node's model."""
        return {node: config.spec or "" for node, config in self.by_node.items()}


Make = Callable[[MakeModel], Inquiry]


@dataclass(frozen=True)
class InquiryListener:
    """Who is told what happens; every call returns at once."""

    on_plan: Callable[[Inquiry, int, Meter], None] = lambda plan, done, meter: None
    on_record: Callable[[AnswerRecord], None] = lambda record: None


async def run_inquiry(
    make: Make,
    out: Path,
    listener: InquiryListener | None = None,
    options: RunOptions | None = None,
    drain: Drain | None = None,
) -> Asked:
    """Asks what was not answered yet. A failure is a record and is tried again by the next call.

    `drain` stops it early without a loss. Raises ConfigError or ModelError before the first
    question when something is not right, CheckpointError when the store is gone.
    """
    listener, drain = listener or InquiryListener(), drain or Drain()
    options = options or RunOptions()

    async def prepared(plan: Inquiry, store: RunStore) -> None:
        await _prepare(plan, store, out)

    async with begun(make, prepared, out, options, drain) as run:
        plan, store = run.plan, run.store
        known = await stored_answers(store.records.all())
        left = [q for q in plan.questions if not _is_done(known.get(q.key), q, options)]
        listener.on_plan(plan, len(plan.questions) - len(left), run.meter)
        work = _Worker(plan, run.journal, run.meter).run
        await work_through(left, work, plan.models, drain, store.records, listener.on_record)
        known = await stored_answers(store.records.all())
    return settled({q.key: q.thread for q in plan.questions}, known)


def _is_done(record: AnswerRecord | None, question: Question, options: RunOptions) -> bool:
    if record is None or record.thread != question.thread:
        return False
    return record.failure is None or not options.retry_failed


async def _prepare(plan: Inquiry, store: RunStore, out: Path) -> None:
    text = await store.plan.read()
    kept: dict[str, Any] = yaml.safe_load(text) or {} if text else {}
    kind = plan.values["inquiry"]
    if kept and kept.get("inquiry") != kind:
        raise ConfigError(
            f"{out} holds something else than '{kind}'; name another folder with --out"
        )
    then = (kept.get("recorded") or {}).get("fingerprint") or {}
    if kept and (lines := changes(then, {"asked": plan.asked}, ("asked",), grows="")):
        raise ConfigError(
            f"{out} holds '{kind}' of another configuration:\n"
            + "\n".join(lines)
            + "\nName another folder with --out, or undo the change."
        )
    await store.plan.write(plan_text(plan.values, {"asked": plan.asked}, len(plan.questions)))


@dataclass(frozen=True)
class _Worker:
    plan: Inquiry
    journal: RunJournal
    meter: Meter

    async def run(self, question: Question) -> AnswerRecord | None:
        """The question's record, or None when the run is stopping. Raises CheckpointError alone."""
        started = now()

        async def whole() -> AnswerRecord:
            answer = await self._asked(question)
            return self._record(question, started, answer=answer.model_dump(mode="json"))

        async def failed(error: Exception) -> AnswerRecord:
            message = str(error) if isinstance(error, EmoHarborError) else f"{error!r}"
            await self.journal.write_failure(question.thread, 0, question.node, message)
            failure = Failure(
                error=type(error).__name__,
                cause=error.cause if isinstance(error, ModelError) else None,
                message=message,
                node=question.node,
                turn=0,
            )
            return self._record(question, started, failure=failure)

        return await tried(whole(), failed)

    async def _asked(self, question: Question) -> BaseModel:
        failures = self.journal.failures(question.thread).get(f"0/{question.node}", 0)
        where = Where(question.thread, 0, question.node, failures + 1, question.seed)
        context = contextvars.copy_context()
        context.run(WHERE.set, where)
        task = asyncio.get_running_loop().create_task(_awaited(question), context=context)
        return await task

    def _record(self, question: Question, started: str, **outcome: Any) -> AnswerRecord:
        self.meter.look(question.thread)
        self.journal.forget(question.thread)
        return AnswerRecord(
            key=question.key,
            thread=question.thread,
            about=dict(question.about),
            answer=outcome.get("answer"),
            failure=outcome.get("failure"),
            models=self.plan.specs(question.thread),
            usage=self.journal.usage(question.thread),
            started=started,
            finished=now(),
        )


async def _awaited(question: Question) -> BaseModel:
    return await question.ask()
