"""Everything that EmoHarbor raises on purpose, named by the boundary that was crossed.

Only the runner and the command line catch these; everyone else lets them pass.
No message ever holds an API key or a request header: messages reach checkpoints and records.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Literal

ModelCause = Literal[
    "unreachable",
    "timeout",
    "rate_limited",
    "overloaded",
    "server_error",
    "bad_reply",
    "auth",
    "model_not_found",
    "context_too_long",
    "refused_request",
]
RETRYABLE: frozenset[ModelCause] = frozenset(
    {"unreachable", "timeout", "rate_limited", "overloaded", "server_error", "bad_reply"}
)


class EmoHarborError(Exception):
    """Base of all errors that a user is meant to read."""


class ConfigError(EmoHarborError):
    """A suite, profile file, flag or agent is not what it must be; says where and what to do."""


class PromptError(EmoHarborError):
    """A prompt or rubric file is missing, broken, or was rendered without one of its variables."""


class ModelError(EmoHarborError):
    """A model call failed. `cause` says how; `retry_after` is in seconds, if named."""

    def __init__(self, message: str, cause: ModelCause, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.cause: ModelCause = cause
        self.retry_after = retry_after

    @property
    def retryable(self) -> bool:
        """True when the same request may succeed later."""
        return self.cause in RETRYABLE


class Stopped(EmoHarborError):
    """The run is stopping and begins no new call. No model's failure, so never tried again."""

    def __init__(self, message: str = "the run is stopping") -> None:
        super().__init__(message)


class SupporterFailed(EmoHarborError):
    """The supporter under test gave no usable reply, twice."""


class SimulatorFailed(EmoHarborError):
    """The simulated user gave no usable reply, or fell out of its role, twice."""


class VerdictError(EmoHarborError):
    """An evaluator returned something that is not a verdict on the rubric's dimensions."""


class CheckpointError(EmoHarborError):
    """Stored state cannot be read, belongs to another configuration, or cannot be written."""


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of an error message: the known word nearest to `word`, or all of them."""
    words = sorted(known)
    close = difflib.get_close_matches(word, words, n=1, cutoff=0.5)
    return f"; did you mean '{close[0]}'?" if close else f"; known: {', '.join(words) or 'none'}"
