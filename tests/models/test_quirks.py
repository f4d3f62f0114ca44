from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from emoharbor.errors import ModelError
from emoharbor.models.openai import OpenAIChat
from emoharbor.models.quirks import Quirks
from tests.fake_openai import FakeOpenAI, Handler, always, chat, in_turn, refusal
from tests.models.test_openai import ASK, FULL, SCHEMA, ask, with_chat


def refuses(*names: str, **error: Any) -> Handler:
    """Like a server that does not know the parameters `names`, and names one at a time."""

    def handler(body: dict[str, Any], headers: Any) -> Any:
        name = next((name for name in names if name in body), None)
        if name is None:
            return chat('{"value": 2}')
        return refusal(400, f"Unsupported parameter: '{name}'. Try another model.", **error)

    return handler


@pytest.mark.parametrize(
    ("names", "left"),
    [
        (["temperature"], {"top_p", "max_tokens", "seed", "response_format"}),
        (
            ["max_tokens"],
            {"temperature", "top_p", "max_completion_tokens", "seed", "response_format"},
        ),
        (
            ["max_tokens", "max_completion_tokens"],
            {"temperature", "top_p", "seed", "response_format"},
        ),
        (["seed", "top_p", "response_format"], {"temperature", "max_tokens"}),
    ],
)
def test_what_the_server_refuses_is_left_out(
    names: list[str], left: set[str], caplog: pytest.LogCaptureFixture
) -> None:
    async def use(model: OpenAIChat, server: FakeOpenAI) -> list[dict[str, Any]]:
        for _ in range(3):
            reply = await model.complete(ASK, schema=SCHEMA, seed=1)
            assert reply.data == {"value": 2}
        return server.bodies

    with caplog.at_level(logging.WARNING, logger="emoharbor"):
        bodies = with_chat(refuses(*names), use, sampling=FULL, quirks=Quirks())
    assert len(bodies) == len(names) + 3
    assert all(set(body) == left | {"model", "messages"} for body in bodies[len(names) :])
    assert len(caplog.records) == len(names)


def test_a_context_that_is_too_short_is_no_refused_parameter() -> None:
    said = "max_tokens is too large: 50. This model's maximum context length is 40 tokens."
    with pytest.raises(ModelError) as caught:
        ask(always(refusal(400, said, param="max_tokens")), sampling=FULL)
    assert caught.value.cause == "context_too_long"


def test_many_calls_at_once_say_it_once(caplog: pytest.LogCaptureFixture) -> None:
    async def use(model: OpenAIChat, server: FakeOpenAI) -> None:
        await asyncio.gather(*(model.complete(ASK) for _ in range(8)))

    with_chat(refuses("temperature"), use, sampling=FULL)
    assert [record.getMessage().split(" at ")[0] for record in caplog.records] == ["m"]
    assert "refuses temperature; left out from now on" in caplog.text


def test_without_response_format_the_schema_goes_into_the_prompt() -> None:
    reply, server = ask(refuses("response_format"), schema=SCHEMA)
    assert reply.data == {"value": 2}
    last = server.bodies[-1]["messages"][-1]["content"]
    assert last.startswith("How are you?") and '"minimum": 1' in last


@pytest.mark.parametrize(
    "answer",
    [
        refusal(400, "This value is too high", param="temperature"),
        refusal(422, "nope", param="temperature"),
        refusal(400, "nope", param="temperature.value"),
        (422, {}, {"detail": [{"loc": ["body", "temperature"], "msg": "extra", "input": "top_p"}]}),
        refusal(400, "Only the default (1) value of 'temperature' is supported, not of top_p"),
    ],
)
def test_every_way_to_name_a_parameter(answer: Any) -> None:
    _, server = ask(in_turn(answer, chat()), sampling=FULL)
    assert "temperature" not in server.bodies[1] and "top_p" in server.bodies[1]


@pytest.mark.parametrize(
    "said",
    [
        "This response_format type is unavailable now",
        "The provided JSON schema contains features not supported by xgrammar.",
        "Structured outputs are not supported by this model",
    ],
)
def test_every_way_to_refuse_a_schema(said: str) -> None:
    reply, server = ask(in_turn(refusal(400, said), chat('{"value": 3}')), schema=SCHEMA)
    assert reply.data == {"value": 3} and "response_format" not in server.bodies[1]
