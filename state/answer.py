"""One question to a model and what it answered: a line of records.jsonl of an inquiry."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from emoharbor.state.profile import Frozen
from emoharbor.state.record import RoleUsage
from emoharbor.state.verdict import Failure

FORMAT: Literal["emoharbor-answer-1"] = "emoharbor-answer-1"


class AnswerRecord(Frozen):
    """Exactly one of `answer` and `failure` is set. `about` says what was asked about."""

    format: Literal["emoharbor-answer-1"] = FORMAT
    key: str
    thread: str
    about: dict[str, Any]
    answer: dict[str, Any] | None
    failure: Failure | None
    models: dict[str, str]
    usage: dict[str, RoleUsage]
    started: str
    finished: str

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        if (self.answer is None) == (self.failure is None):
            raise ValueError("exactly one of answer and failure is wanted")
        return self
