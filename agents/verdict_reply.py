"""What a judge must reply, and what to make of what it did reply."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from emoharbor.agents.asking import problems
from emoharbor.models.base import Completion, JsonSchema
from emoharbor.prompts.rubric import Rubric
from emoharbor.state.profile import Level
from emoharbor.state.verdict import Score, Unscored

MOST_EVIDENCE = 6
RAW_KEPT = 4000


class Mark(BaseModel):
    """One dimension of the reply, before its evidence is held against the transcript."""

    model_config = ConfigDict(extra="ignore", strict=True)

    evidence: Annotated[list[int], Field(min_length=1)]
    reason: Annotated[str, Field(min_length=1)]
    value: Level


@dataclass(frozen=True)
class Reading:
    """What one reply holds: a mark or its absence for every dimension, and what was wrong."""

    marks: dict[str, Score | Unscored]
    problem: str | None
    block: Literal["problem", "empty", "truncated"] = "problem"


def verdict_schema(rubric: Rubric, messages: int) -> JsonSchema:
    """A fixed key for each dimension; evidence and reason come before the value."""
    mark = {
        "type": "object",
        "properties": {
            "evidence": {
                "type": "array",
                "items": {"type": "integer", "minimum": 1, "maximum": max(1, messages)},
                "minItems": 1,
                "maxItems": MOST_EVIDENCE,
            },
            "reason": {"type": "string"},
            "value": {"type": "integer", "minimum": 1, "maximum": 5},
        },
        "required": ["evidence", "reason", "value"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": dict.fromkeys(rubric.keys, mark),
        "required": rubric.keys,
        "additionalProperties": False,
    }


def read_verdict(rubric: Rubric, messages: int, completion: Completion) -> Reading:
    """Every dimension of `rubric` as Score or Unscored, and one sentence on all that was wrong."""
    data = completion.data
    if data is None:
        cause, block = _no_object(completion)
        raw = completion.text[:RAW_KEPT]
        return Reading({k: Unscored(cause=cause, raw=raw) for k in rubric.keys}, cause, block)
    marks = {key: _mark(data, key, messages) for key in rubric.keys}
    wrong = [f"{k}: {m.cause}" for k, m in marks.items() if isinstance(m, Unscored)]
    wrong += [f"{key}: no such dimension" for key in data if key not in marks]
    return Reading(marks, "; ".join(wrong) or None)


def _no_object(completion: Completion) -> tuple[str, Literal["problem", "empty", "truncated"]]:
    if not completion.text.strip():
        return "the reply is empty", "empty"
    if completion.finish_reason == "length":
        return "the reply broke off at the token limit", "truncated"
    return "the reply is not one JSON object", "problem"


def _mark(data: dict[str, Any], key: str, messages: int) -> Score | Unscored:
    if key not in data:
        return Unscored(cause="missing", raw=_raw(data))
    try:
        mark = Mark.model_validate(data[key])
    except ValidationError as error:
        return Unscored(cause=problems(error), raw=_raw(data[key]))
    outside = [n for n in mark.evidence if not 1 <= n <= messages]
    if outside:
        cause = f"evidence: there is no message {outside[0]}, they run from 1 to {messages}"
        return Unscored(cause=cause, raw=_raw(data[key]))
    evidence = tuple(dict.fromkeys(mark.evidence))
    return Score(reason=mark.reason, evidence=evidence, value=mark.value)


def _raw(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)[:RAW_KEPT]
