"""The answers of an inquiry as they are kept, and what they come to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from emoharbor.errors import CheckpointError
from emoharbor.state.answer import FORMAT, AnswerRecord


@dataclass(frozen=True)
class Asked:
    """What came of an inquiry so far, in the order of its questions; `left` are still to do."""

    answers: tuple[AnswerRecord, ...]
    failed: tuple[AnswerRecord, ...]
    left: int


def settled(threads: Mapping[str, str], known: Mapping[str, AnswerRecord]) -> Asked:
    """What is known of the questions whose `threads` are given by key; older ones do not count."""
    found = [known[key] for key, thread in threads.items() if _of(known.get(key), thread)]
    answers = tuple(record for record in found if record.failure is None)
    failed = tuple(record for record in found if record.failure is not None)
    return Asked(answers, failed, len(threads) - len(found))


def _of(record: AnswerRecord | None, thread: str) -> bool:
    return record is not None and record.thread == thread


async def stored_answers(
    lines: AsyncIterator[tuple[int, dict[str, Any]]],
) -> dict[str, AnswerRecord]:
    """The last record of every question in a store."""
    found = [line async for _, line in lines]
    return {r.key: r for r in (answer_record(line, n) for n, line in enumerate(found, 1))}


def answer_record(line: Mapping[str, Any], number: int) -> AnswerRecord:
    """The record in a line, the `number`-th one. Raises CheckpointError."""
    if line.get("format") != FORMAT:
        raise CheckpointError(
            f"record {number}: format {line.get('format')!r}, this version reads {FORMAT}"
        )
    try:
        return AnswerRecord.model_validate(line)
    except ValidationError as error:
        raise CheckpointError(f"record {number}: {error.errors()[0]['msg']}") from error


def is_inquiry(values: Mapping[str, Any]) -> bool:
    """Whether what a run.yaml holds is an inquiry and no run of dialogues."""
    return "inquiry" in values
