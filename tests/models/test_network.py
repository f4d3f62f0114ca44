"""Proxies and certificates: what the environment may decide, and what it may not."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.models.client import Client
from emoharbor.models.network import trusted
from tests.models.raw_server import GOOD, raw_server
from tests.models.test_client import KEY, said

STRANGER = "stranger.invalid"


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def through(monkeypatch: pytest.MonkeyPatch, answer: bytes, url: str, name: str) -> list[bytes]:
    """What reaches the server that the variable `name` makes a proxy when `url` is called."""

    async def run() -> list[bytes]:
        async with raw_server(answer) as proxy:
            monkeypatch.setenv(name, proxy.url.replace("http://", "http://me:secret@"))
            texts.append(await said(url))
            return proxy.seen

    texts: list[str] = []
    seen = asyncio.run(run())
    assert "secret" not in texts[0]
    return seen


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "all_proxy"])
def test_other_machines_are_called_through_the_proxy(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = through(monkeypatch, GOOD, f"http://{STRANGER}/v1", name)
    assert seen[0].startswith(f"POST http://{STRANGER}/v1/chat/completions HTTP/1.1\r\n".encode())
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in seen[0]


def test_a_proxy_never_sees_the_key_of_an_https_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
    seen = through(monkeypatch, refusal, f"https://{STRANGER}/v1", "https_proxy")
    assert seen[0].startswith(f"CONNECT {STRANGER}:443 HTTP/1.1\r\n".encode())
    assert b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n" in seen[0]
    assert b"Bearer" not in seen[0] and KEY.encode() not in seen[0]


def test_what_no_proxy_names_is_called_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "invalid")
    assert through(monkeypatch, GOOD, f"http://{STRANGER}/v1", "http_proxy") == []


def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "127.0.0.1:9")
    told = asyncio.run(said(f"https://{STRANGER}/v1"))
    assert told.startswith("unreachable: ") and "the proxy that the environment names" in told


@pytest.mark.parametrize("proxy", ["socks5://me:secret@h:1080", "http://", "http://h:99999"])
def test_a_proxy_that_cannot_be_used(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", proxy)
    with pytest.raises(ConfigError, match=f"names for {STRANGER} is no") as caught:
        Client(f"https://{STRANGER}/v1", KEY)
    assert "secret" not in repr(caught.value)


def test_netrc_is_not_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine {STRANGER} login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    seen = through(monkeypatch, GOOD, f"http://{STRANGER}/v1", "http_proxy")
    assert f"Authorization: Bearer {KEY}\r\n".encode() in seen[0]


@pytest.mark.skipif(not shutil.which("openssl"), reason="needs openssl")
def test_a_certificate_that_nobody_vouches_for(tmp_path: Path) -> None:
    key, file = str(tmp_path / "key.pem"), str(tmp_path / "cert.pem")
    made = ("-keyout", key, "-out", file, "-subj", "/CN=localhost", "-days", "2")
    alt = ("-addext", "subjectAltName=DNS:localhost")
    command = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", *made, *alt]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)

    async def run() -> str:
        async with await asyncio.start_server(
            lambda reader, writer: writer.close(), "127.0.0.1", 0, ssl=context
        ) as server:
            port = server.sockets[0].getsockname()[1]
            return await said(f"https://localhost:{port}/v1")

    text = asyncio.run(run())
    assert text.startswith("unreachable: ") and "certificate is not trusted" in text


def test_certificates_where_this_python_finds_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trusted() is True or isinstance(trusted(), ssl.SSLContext)
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file")
    monkeypatch.setenv("SSL_CERT_DIR", "/no/such/folder")
    found = trusted()
    assert isinstance(found, ssl.SSLContext) and found.verify_mode == ssl.CERT_REQUIRED
    assert found.check_hostname and len(found.get_ca_certs()) > 50
