"""What goes to a server and what does not, down to the bytes."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
import zlib

import pytest

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage
from emoharbor.models.client import Client
from emoharbor.models.openai import OpenAIChat
from tests.fake_openai import Cut, chat, fake_openai, in_turn
from tests.models.raw_server import GOOD, HEAD, REPLY, RawServer, raw_server

KEY = "sk-proj-Sentinel9f8e7d6c5b4a3210"
ASK: list[ChatMessage] = [{"role": "user", "content": "How are you?"}]


async def said(url: str, key: str = KEY) -> str:
    """What the model at `url` says, or the line of its failure."""
    async with Client(url, key) as client:
        try:
            return (await OpenAIChat(client, "m", timeout=5).complete(ASK)).text
        except ModelError as error:
            assert error.__context__ is None and error.__cause__ is None
            assert KEY not in repr(error)
            return f"{error.cause}: {error}"


def sent(answer: bytes = GOOD, path: str = "/v1", key: str = KEY) -> tuple[str, RawServer]:
    async def run() -> tuple[str, RawServer]:
        async with raw_server(answer) as server:
            return await said(server.url + path, key), server

    return asyncio.run(run())


def test_a_request_is_short_and_says_who_asks() -> None:
    text, server = sent()
    head, _, body = server.seen[0].partition(b"\r\n\r\n")
    names = sorted(line.split(b":")[0].decode().lower() for line in head.split(b"\r\n")[1:])
    assert text == "Hello."
    assert names == [
        "accept",
        "accept-encoding",
        "authorization",
        "content-length",
        "content-type",
        "host",
        "user-agent",
    ]
    assert f"Authorization: Bearer {KEY}".encode() in head and b"User-Agent: EmoHarbor" in head
    assert body == b'{"model":"m","messages":[{"role":"user","content":"How are you?"}]}'


def test_without_a_key_there_is_no_authorization() -> None:
    _, server = sent(key="none")
    assert b"authorization" not in server.seen[0].lower()


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/a%2Fb/v1", "/a%2Fb/v1/chat/completions"),
        ("/50%/v1", "/50%25/v1/chat/completions"),
        ("/é b", "/%C3%A9%20b/chat/completions"),
    ],
)
def test_every_path_of_a_base_url(base: str, path: str) -> None:
    _, server = sent(path=base)
    assert server.seen[0].startswith(f"POST {path} HTTP/1.1\r\n".encode())


def test_a_url_that_cannot_be_one() -> None:
    with pytest.raises(ConfigError, match="at h:99999 is not a valid URL"):
        Client("http://h:99999/v1", KEY)


@pytest.mark.parametrize("url", ["http://a..b/v1", f"http://{'x' * 70}.example/v1"])
def test_a_host_name_that_cannot_be_one(url: str) -> None:
    assert asyncio.run(said(url)).endswith("host name not known")


def test_a_cookie_is_not_kept() -> None:
    async def run() -> list[bool]:
        cookie = {"Set-Cookie": "a=b"}
        answer = (200, cookie, REPLY)
        async with fake_openai(in_turn(answer)) as server, Client(server.url, KEY) as client:
            for _ in range(2):
                await OpenAIChat(client, "m").complete(ASK)
            return ["Cookie" in headers for headers in server.headers]

    assert asyncio.run(run()) == [False, False]


def test_no_request_is_sent_twice_when_a_kept_connection_breaks() -> None:
    async def run() -> tuple[str, int, int]:
        answers = in_turn(chat(), (200, {}, Cut()), chat())
        async with fake_openai(answers) as server, Client(server.url, KEY) as client:
            model = OpenAIChat(client, "m")
            await model.complete(ASK)
            with pytest.raises(ModelError) as caught:
                await model.complete(ASK)
            return caught.value.cause, len(server.bodies), len(server.connections)

    assert asyncio.run(run()) == ("unreachable", 2, 1)


def test_a_connection_that_the_server_closed_is_not_used_again() -> None:
    async def run() -> tuple[list[str], int]:
        async with raw_server(GOOD) as server, Client(server.url, KEY) as client:
            model = OpenAIChat(client, "m")
            texts = []
            for _ in range(3):
                texts.append((await model.complete(ASK)).text)
                await asyncio.sleep(0.05)
            return texts, len(server.seen)

    assert asyncio.run(run()) == (["Hello."] * 3, 3)


def packed(encoding: bytes, body: bytes) -> bytes:
    return (
        HEAD + b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (encoding, len(body)) + body
    )


CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
EDGES = [
    (HEAD.replace(b"1.1", b"1.0") + b"\r\n" + REPLY, "Hello."),
    (CHUNKED + b"9\r\n%b\r\n28\r\n%b\r\n0\r\n\r\n" % (REPLY[:9], REPLY[9:]), "Hello."),
    (packed(b"gzip", gzip.compress(REPLY)), "Hello."),
    (packed(b"deflate", zlib.compress(REPLY)), "Hello."),
    (packed(b"gzip", gzip.compress(REPLY)[:-20]), "the reply is not JSON"),
    (packed(b"gzip", b"no gzip"), "the reply cannot be decoded"),
    (CHUNKED, "the reply was cut off"),
    (CHUNKED + b"9\r\n%b\r\n" % REPLY[:9], "the reply was cut off"),
    (CHUNKED + b"no length\r\n", "the reply is not HTTP"),
    (b"220 smtp.example.org ready\r\n\r\n", "the reply is not HTTP"),
    (b"HTTP/1.1 204 No Content\r\n\r\n", "answered with an empty body, not with a chat"),
    (HEAD + b"Content-Length: 0\r\n\r\n", "answered with an empty body, not with a chat"),
]


@pytest.mark.parametrize(("answer", "words"), EDGES, ids=range(len(EDGES)))
def test_replies_at_the_edge_of_http(answer: bytes, words: str) -> None:
    text, _ = sent(answer)
    assert words in text and text.startswith(("Hello.", "bad_reply: m at 127.0.0.1:"))


@pytest.mark.parametrize(
    "rest", [b"Content-Length: 99\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n5\r\n{"]
)
def test_a_refusal_that_breaks_off_is_still_a_refusal(rest: bytes) -> None:
    text, _ = sent(b"HTTP/1.1 401 No\r\nContent-Type: application/json\r\n" + rest)
    assert text.startswith("auth: ") and "HTTP 401" in text


def test_a_pool_needs_no_other_library_of_its_kind() -> None:
    code = "import sys, emoharbor.models.pool; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    heavy = {"openai", "httpx", "httpx2", "langchain_core", "langchain_openai", "langsmith"}
    assert heavy & set(loaded.stdout.split()) == set()
