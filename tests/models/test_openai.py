from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.client import Client
from emoharbor.models.config import Sampling
from emoharbor.models.openai import OpenAIChat
from tests.fake_openai import FakeOpenAI, Handler, always, chat, fake_openai

T = TypeVar("T")
ASK: list[ChatMessage] = [{"role": "user", "content": "How are you?"}]
SCHEMA = {"type": "object", "properties": {"value": {"type": "integer", "minimum": 1}}}
FULL = Sampling(temperature=0.3, top_p=0.9, max_tokens=50)


def with_chat(
    handler: Handler, use: Callable[[OpenAIChat, FakeOpenAI], Awaitable[T]], **options: Any
) -> T:
    """Runs `use` with a chat at a fake server, all in one event loop."""

    async def run() -> T:
        async with fake_openai(handler) as server, Client(server.url, "none") as client:
            return await use(OpenAIChat(client, "m", **{"timeout": 5, **options}), server)

    return asyncio.run(run())


def ask(handler: Handler, **options: Any) -> tuple[Completion, FakeOpenAI]:
    schema, seed = options.pop("schema", None), options.pop("seed", None)

    async def use(model: OpenAIChat, server: FakeOpenAI) -> tuple[Completion, FakeOpenAI]:
        return await model.complete(ASK, schema=schema, seed=seed), server

    return with_chat(handler, use, **options)


def test_the_request_holds_what_was_configured() -> None:
    _, server = ask(always(chat("{}")), sampling=FULL, schema=SCHEMA, seed=7)
    assert server.paths == ["/v1/chat/completions"]
    form = server.bodies[0].pop("response_format")
    assert server.bodies == [
        {
            "model": "m",
            "messages": ASK,
            "temperature": 0.3,
            "top_p": 0.9,
            "max_tokens": 50,
            "seed": 7,
        }
    ]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["name"] == "reply" and form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["required"] == ["value"]
    assert form["json_schema"]["schema"]["additionalProperties"] is False


def test_nothing_is_sent_that_was_not_configured() -> None:
    _, server = ask(always(chat()))
    assert set(server.bodies[0]) == {"model", "messages"}


def test_the_reply_keeps_everything() -> None:
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 8},
    }
    answer = chat("<think>b</think> Hi.", usage=usage, message={"reasoning_content": "a"})
    reply, _ = ask(always(answer))
    assert (reply.text, reply.reasoning, reply.raw) == ("Hi.", "a\nb", "<think>b</think> Hi.")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (
        9,
        4,
        8,
    )
    assert (reply.finish_reason, reply.model, reply.data) == ("stop", "served-model", None)
    assert reply.seconds > 0


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None}, {"prompt_tokens": True}, "x"])
def test_missing_usage_is_unknown_and_not_zero(usage: Any) -> None:
    reply, _ = ask(always(chat(usage=usage)))
    assert set(reply.usage.model_dump().values()) == {None}


@pytest.mark.parametrize(
    ("content", "message", "text", "reasoning"),
    [
        (None, {"refusal": "I will not."}, "I will not.", ""),
        (None, {}, "", ""),
        (None, {"reasoning": "plan"}, "", "plan"),
        ([{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo."}], {}, "Hello.", ""),
        (
            [{"type": "thinking", "thinking": [{"type": "text", "text": "plan"}]}, "Hello."],
            {},
            "Hello.",
            "plan",
        ),
    ],
)
def test_contents_of_every_shape(
    content: Any, message: dict[str, Any], text: str, reasoning: str
) -> None:
    reply, _ = ask(always(chat(content, message=message)))
    assert (reply.text, reply.reasoning) == (text, reasoning)


def test_a_structured_reply_is_read() -> None:
    reply, _ = ask(
        always(chat('<think>{"value": 1}</think>```json\n{"value": 4}\n```')), schema=SCHEMA
    )
    assert reply.data == {"value": 4}
    assert ask(always(chat("Four.")), schema=SCHEMA)[0].data is None


@pytest.mark.parametrize("text", ["x" * 30_000, "שלום مرحبا", "😀👩‍👩‍👧", "a\u2028b\x00c"])
def test_unusual_replies_arrive_whole(text: str) -> None:
    reply, _ = ask(always(chat(text)))
    assert reply.text == text
    json.dumps(reply.text, ensure_ascii=False).encode()


def test_lone_surrogates_are_cleaned_both_ways() -> None:
    async def use(model: OpenAIChat, server: FakeOpenAI) -> Completion:
        return await model.complete([{"role": "user", "content": "a\ud83d"}])

    reply = with_chat(always(chat("b\udc00", message={"reasoning": "c\ud83d"})), use)
    assert (reply.text, reply.raw, reply.reasoning) == ("b\ufffd", "b\ufffd", "c\ufffd")


def test_json_under_another_content_type_is_read() -> None:
    body = json.dumps(chat("Hi.")[2])
    assert ask(always((200, {"Content-Type": "text/plain"}, body)))[0].text == "Hi."


def test_connections_are_reused() -> None:
    async def use(model: OpenAIChat, server: FakeOpenAI) -> int:
        for _ in range(5):
            await model.complete(ASK)
        return len(server.connections)

    assert with_chat(always(chat()), use) == 1


def test_a_stranger_gets_no_openai_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "SENTINEL")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway: SENTINEL")
    _, server = ask(always(chat()))
    assert "Authorization" not in server.headers[0]
    assert "SENTINEL" not in repr(dict(server.headers[0]))


def test_no_proxy_sees_calls_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(always(chat("Direct.")))[0].text == "Direct."
