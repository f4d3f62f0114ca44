from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from emoharbor.errors import ConfigError, ModelCause, ModelError
from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.pool import ModelPool
from tests.fake_openai import FakeOpenAI, Handler, always, chat, fake_openai, refusal

ASK: list[ChatMessage] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi."},
]
KEY = "sk-Sentinel-0a1b2c3d4e5f"
CHAT_OPENAI = "langchain:langchain_openai.ChatOpenAI:gpt-4o"


class Busy(Exception):
    """An error as the SDKs behind LangChain raise it."""

    status_code = 503


class Refused(Exception):
    """An error that keeps the server's body, as those of OpenAI and Anthropic do."""

    status_code = 400
    body = {"type": "error", "error": {"type": "invalid", "message": "prompt is too long: 9"}}


class APITimeoutError(Exception):
    """An error without a status."""


class Parrot(BaseChatModel):
    """A LangChain model that tells what it was given."""

    model: str
    temperature: float = 1.0
    seed: int | None = None

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def _generate(self, messages: list[BaseMessage], *args: Any, **more: Any) -> ChatResult:
        if self.model == "busy":
            raise Busy(f"overloaded, key={KEY}")
        if self.model in RAISED:
            raise RAISED[self.model]
        said = AIMessage(
            content=f"{len(messages)} {self.temperature} {more.get('seed')}",
            additional_kwargs={"reasoning_content": "plan"},
            usage_metadata={
                "input_tokens": 5,
                "output_tokens": 2,
                "total_tokens": 7,
                "input_token_details": {"cache_read": 4},
            },
        )
        return ChatResult(generations=[ChatGeneration(message=said)])


RAISED: dict[str, Exception] = {
    "broken": TypeError("no such thing"),
    "refused": Refused("400"),
    "slow": APITimeoutError("too slow"),
}


def ask(config: ModelConfig, **options: Any) -> Completion:
    async def run() -> Completion:
        async with ModelPool() as pool:
            return await pool.model(config, Sampling(temperature=0.25)).complete(ASK, **options)

    return asyncio.run(run())


def parrot(model: str) -> ModelConfig:
    return ModelConfig(spec=f"langchain:{__name__}.Parrot:{model}", tries=1)


def at_server(handler: Handler, **options: Any) -> tuple[Completion, FakeOpenAI]:
    async def run() -> tuple[Completion, FakeOpenAI]:
        async with fake_openai(handler) as server, ModelPool() as pool:
            config = ModelConfig(spec=f"{CHAT_OPENAI}@{server.url}", tries=1)
            return await pool.model(config, Sampling(temperature=0.25)).complete(
                ASK, **options
            ), server

    return asyncio.run(run())


def test_any_chat_model_of_langchain() -> None:
    reply = ask(parrot("any"), seed=3)
    assert (reply.text, reply.reasoning) == ("2 0.25 3", "plan")
    assert list(reply.usage.model_dump().values()) == [5, 2, 4]
    assert reply.data is None and reply.seconds > 0


@pytest.mark.parametrize(
    ("model", "cause"),
    [
        ("busy", "overloaded"),
        ("broken", "refused_request"),
        ("refused", "context_too_long"),
        ("slow", "unreachable"),
    ],
)
def test_errors_of_langchain_are_typed(model: str, cause: ModelCause) -> None:
    with pytest.raises(ModelError) as caught:
        ask(parrot(model))
    assert caught.value.cause == cause and caught.value.__context__ is None
    assert KEY not in repr(caught.value)


def test_chat_openai_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    handler = always(chat('```json\n{"value": 4}\n```'))
    reply, server = at_server(handler, schema={"type": "object"}, seed=7)
    assert reply.data == {"value": 4} and reply.raw.startswith("```")
    (body,) = server.bodies
    assert (body["model"], body["temperature"], body["seed"]) == ("gpt-4o", 0.25, 7)
    assert "response_format" not in body
    assert body["messages"][-1]["content"].endswith('{"type": "object"}')


def test_the_openai_key_is_not_for_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    from emoharbor.models.langchain import langchain_model
    from emoharbor.models.spec import parse_spec

    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    config = ModelConfig(spec=f"{CHAT_OPENAI}@https://stranger.example")
    built = langchain_model(parse_spec(config.spec or ""), config, Sampling())
    assert built.model.openai_api_key.get_secret_value() == "none"
    assert KEY not in repr(built)


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (refusal(401, f"Incorrect API key provided: {KEY}"), "auth"),
        (refusal(429, "x"), "rate_limited"),
        (refusal(400, "maximum context length is 5"), "context_too_long"),
    ],
)
def test_errors_of_chat_openai_are_typed(answer: Any, cause: ModelCause) -> None:
    with pytest.raises(ModelError) as caught:
        at_server(always(answer))
    assert caught.value.cause == cause and KEY not in repr(caught.value)


def test_nobody_listens() -> None:
    with pytest.raises(ModelError) as caught:
        ask(ModelConfig(spec=f"{CHAT_OPENAI}@http://127.0.0.1:9", tries=1))
    assert caught.value.cause == "unreachable"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("langchain:no_such_package.Chat:m", "is no-such-package installed"),
        ("langchain:langchain_openai.ChatOpenAi:m", "cannot be imported"),
        ("langchain:gpt-4o", "The form is langchain:package.Class:model"),
        ("langchain:json.JSONDecoder:m", "is no LangChain chat model"),
        (f"langchain:{__name__}.Parrot:m@http://h", "takes no base URL"),
    ],
)
def test_a_class_that_does_not_fit_is_named(spec: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        ask(ModelConfig(spec=spec))


def test_a_class_that_refuses_its_settings_does_not_tell_the_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="is its API key set"):
        ask(ModelConfig(spec=CHAT_OPENAI))
