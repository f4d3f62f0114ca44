from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import pytest

from emoharbor.errors import ModelCause, ModelError
from emoharbor.models.base import Completion
from emoharbor.models.config import ModelConfig
from emoharbor.models.retry import Retrying
from emoharbor.models.scripted import Reply, ScriptedChat


def run(
    replies: Sequence[Reply], tries: int = 6
) -> tuple[Completion | ModelError, list[float], int]:
    """What comes out, the pauses, and how often the model was asked."""
    waits: list[float] = []
    script = ScriptedChat(replies)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def ask() -> Completion | ModelError:
        try:
            return await Retrying(script, tries, sleep, random.Random(0)).complete([])
        except ModelError as error:
            return error

    return asyncio.run(ask()), waits, len(script.requests)


def busy(after: float | None = None, cause: ModelCause = "rate_limited") -> ModelError:
    return ModelError("m at h: busy", cause, after)


def test_a_reply_ends_the_trying() -> None:
    outcome, waits, asked = run([busy(), busy(cause="bad_reply"), "Hello.", "Never."])
    assert isinstance(outcome, Completion) and outcome.text == "Hello."
    assert (len(waits), asked) == (2, 3)


def test_six_tries_by_default_and_then_the_last_error() -> None:
    assert ModelConfig().tries == 6
    outcome, waits, asked = run([busy(cause="server_error")] * 5 + [busy(3.0)])
    assert isinstance(outcome, ModelError)
    assert (outcome.cause, outcome.retry_after) == ("rate_limited", 3.0)
    assert str(outcome) == "m at h: busy (given up after 6 tries)"
    assert (len(waits), asked) == (5, 6)


def test_pauses_grow_and_are_seeded() -> None:
    _, waits, _ = run([busy()] * 12, tries=12)
    assert waits == run([busy()] * 12, tries=12)[1]
    for tried, wait in enumerate(waits):
        full = min(60.0, 0.5 * 2**tried)
        assert full / 2 <= wait <= full


def test_retry_after_is_the_least_that_is_waited() -> None:
    _, waits, _ = run([busy(30.0), busy(0.0), "Hello."])
    assert 30.0 < waits[0] <= 30.5
    assert waits[1] <= 1.0


def test_a_retry_after_beyond_ten_minutes_ends_it() -> None:
    outcome, waits, asked = run([busy(3600.0), "Never."])
    assert (waits, asked) == ([], 1)
    assert str(outcome) == "m at h: busy; it asks to wait 60 minutes (given up after 1 try)"


@pytest.mark.parametrize(
    "cause", ["auth", "model_not_found", "context_too_long", "refused_request"]
)
def test_what_cannot_pass_is_not_tried_again(cause: ModelCause) -> None:
    outcome, waits, asked = run([busy(cause=cause), "Never."])
    assert (str(outcome), waits, asked) == ("m at h: busy", [], 1)


def test_other_errors_pass_through() -> None:
    with pytest.raises(ZeroDivisionError):
        run([ZeroDivisionError()])
