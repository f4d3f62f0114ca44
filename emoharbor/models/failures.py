"""From what the HTTP layer raises to one line that a user can act on, without keys or prompts."""

from __future__ import annotations

import socket
import ssl
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.http_exceptions import ContentEncodingError

from emoharbor.errors import ModelCause, ModelError
from emoharbor.models.retry_after import retry_after_seconds
from emoharbor.models.words import Secrets, ServerError

_CONTEXT = (
    "context length",
    "context size",
    "context window",
    "context_length",
    "exceed_context",
    "maximum context",
    "max_model_len",
    "maximum model length",
    "prompt is too long",
    "input is too long",
    "too many tokens",
)
# Seconds. Who answers at all answers to a connection soon, however long it then thinks.
LONGEST_CONNECT = 15.0
_NO_MONEY = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
_ADVICE: dict[ModelCause, str] = {
    "auth": "the API key is missing or wrong; name its environment variable in api_key_env",
    "model_not_found": "no such model, or no chat endpoint under this base URL",
    "context_too_long": "the conversation is longer than the model's context; "
    "lower max_turns, or name a model with a longer context",
    "rate_limited": "too many requests",
    "overloaded": "the server is overloaded",
    "server_error": "the server failed",
    "timeout": "the server gave up waiting",
    "refused_request": "the server refused the request",
}


@dataclass(frozen=True)
class Target:
    """Who was called, for messages: model, host, and what must not be repeated."""

    model: str
    host: str
    secrets: Secrets

    def error(self, what: str, cause: ModelCause, retry_after: float | None = None) -> ModelError:
        """A ModelError whose one line starts with the model and the host."""
        line = " ".join(f"{self.model} at {self.host}: {what}".split())
        return ModelError(self.secrets.redact(line), cause, retry_after)


def http_failure(
    status: int, said: ServerError, headers: Mapping[str, str], target: Target
) -> ModelError:
    """The failure that an HTTP status from 300 on stands for."""
    if status < 400:
        return target.error(f"the base URL redirects (HTTP {status}); name where to", _REFUSED)
    cause = _status_cause(status, said.codes, said.words)
    # A 401 tends to quote the key it was given.
    shown = "" if status == 401 else target.secrets.shown(said.words)
    told = f' (it said: "{shown}")' if shown else ""
    after = retry_after_seconds(headers) if cause in _WAITS else None
    return target.error(f"HTTP {status}, {_ADVICE[cause]}{told}", cause, after)


_REFUSED: ModelCause = "refused_request"
_WAITS: tuple[ModelCause, ...] = ("rate_limited", "overloaded", "server_error")


def _status_cause(status: int, codes: str, words: str) -> ModelCause:
    if status in (401, 403):
        return "auth"
    if status == 429:
        return _REFUSED if any(code in codes for code in _NO_MONEY) else "rate_limited"
    if status == 408:
        return "timeout"
    # 529 is what Anthropic and some proxies say when they are full.
    if status in (503, 529):
        return "overloaded"
    if status >= 500:
        return "server_error"
    if is_about_context(words, codes):
        return "context_too_long"
    if status == 404 or "model_not_found" in codes:
        return "model_not_found"
    return _REFUSED


def is_about_context(words: str, codes: str) -> bool:
    """True where a server says that the conversation is too long for its model."""
    words = words.lower()
    return any(wording in words or wording in codes for wording in _CONTEXT)


def connection_failure(error: BaseException, target: Target, timeout: float) -> ModelError:
    """The failure behind an exception of the HTTP layer; the reason sits deep in its causes."""
    chain = list(_causes(error))
    for kinds, cause, words in _HTTP:
        if any(isinstance(e, kinds) for e in chain):
            connect = min(timeout, LONGEST_CONNECT)
            return target.error(words.format(timeout=timeout, connect=connect), cause)
    return target.error(f"cannot be reached ({type(chain[-1]).__name__})", "unreachable")


# The first that is among the causes of an exception says what happened.
_HTTP: tuple[tuple[tuple[type[BaseException], ...], ModelCause, str], ...] = (
    ((ContentEncodingError, zlib.error), "bad_reply", "the reply cannot be decoded"),
    ((aiohttp.ClientPayloadError,), "bad_reply", "the reply was cut off"),
    (
        (aiohttp.ClientHttpProxyError, aiohttp.ClientProxyConnectionError),
        "unreachable",
        "the proxy that the environment names does not connect to it",
    ),
    ((aiohttp.ClientResponseError,), "bad_reply", "the reply is not HTTP"),
    (
        (aiohttp.ConnectionTimeoutError,),
        "timeout",
        "no connection within {connect:g} seconds",
    ),
    ((TimeoutError,), "timeout", "no reply within {timeout:g} seconds"),
    ((ConnectionRefusedError,), "unreachable", "connection refused; is the server running?"),
    (
        (socket.gaierror, aiohttp.ClientConnectorDNSError, aiohttp.InvalidURL, UnicodeError),
        "unreachable",
        "host name not known",
    ),
    ((ssl.SSLCertVerificationError,), "unreachable", "its TLS certificate is not trusted"),
    ((ssl.SSLError,), "unreachable", "TLS failed; does the server speak https?"),
    ((ConnectionResetError,), "unreachable", "connection reset"),
    (
        (aiohttp.ServerDisconnectedError,),
        "unreachable",
        "the server closed the connection without a reply",
    ),
)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        nested: Any = getattr(error, "os_error", None)
        if isinstance(nested, BaseException):
            yield nested
        error = error.__cause__ or error.__context__
