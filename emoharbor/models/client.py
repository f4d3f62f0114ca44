"""One server, over aiohttp: its URL, its key, its connections."""

from __future__ import annotations

from functools import cache
from types import TracebackType
from typing import Self

from aiohttp import (
    ClientPayloadError,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    TCPConnector,
    hdrs,
)
from multidict import CIMultiDict
from yarl import URL

from emoharbor.errors import ConfigError
from emoharbor.models.failures import LONGEST_CONNECT
from emoharbor.models.network import proxy_for, trusted
from emoharbor.models.spec import NO_KEY, is_loopback
from emoharbor.models.wire import HttpReply

# Less than the five seconds after which uvicorn and Node close an idle connection: where the server
# closes first, it may do so while a request is on its way, and no POST is sent twice.
_KEEP_ALIVE = 4.0


class Client:
    """Posts to `base_url`/`path`, to the base URL itself where the path is empty.

    Opens its connections at the first call, to be closed in the event loop that made it. Redirects
    are not followed: they would carry the prompt to another host.
    """

    def __init__(self, base_url: str, api_key: str, path: str = "chat/completions") -> None:
        """Raises ConfigError where the URL, or the environment's proxy for it, cannot be used."""
        self.url = _url(base_url, path)
        self.api_key = "" if api_key == NO_KEY else api_key
        # A proxy of the environment must see neither the calls to this machine nor their key.
        self._proxy = None if is_loopback(base_url) else proxy_for(self.url)
        self._headers = CIMultiDict(
            {
                hdrs.ACCEPT: "application/json",
                hdrs.CONTENT_TYPE: "application/json",
                hdrs.USER_AGENT: "EmoHarbor",
            }
        )
        if self.api_key:
            self._headers[hdrs.AUTHORIZATION] = f"Bearer {self.api_key}"
        self._session: ClientSession | None = None

    @property
    def host(self) -> str:
        """Host and port, for messages."""
        return self.url.raw_authority

    async def post(self, body: bytes, timeout: float) -> HttpReply:
        """Sends `body`; `timeout` is in seconds, from the first look for a connection to the end.

        Raises what aiohttp raises: ClientError, TimeoutError, OSError or ValueError, all of which
        may hold the key.
        """
        session = self._session or self._open()
        # The headers go to the call and not to the session, whose headers a proxy gets too: the key
        # would be its Proxy-Authorization.
        async with session.post(
            self.url,
            data=body,
            headers=self._headers,
            proxy=self._proxy,
            timeout=_limits(timeout),
            allow_redirects=False,
        ) as answer:
            try:
                raw = await answer.read()
            except ClientPayloadError:
                if answer.status < 300:
                    raise
                # What the status says is worth more than that its explanation broke off.
                raw = b""
            return HttpReply(answer.status, answer.headers, raw)

    async def close(self) -> None:
        """Closes all connections."""
        if self._session is not None:
            await self._session.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _open(self) -> ClientSession:
        # How many calls are in flight is the limiter's business.
        connector = TCPConnector(
            limit=0,
            keepalive_timeout=_KEEP_ALIVE,
            ssl=trusted() if self.url.scheme == "https" else True,
        )
        self._session = ClientSession(connector=connector, cookie_jar=DummyCookieJar())
        return self._session


def _url(base_url: str, path: str) -> URL:
    try:
        return URL(base_url) / path if path else URL(base_url)
    except ValueError:
        host = base_url.partition("://")[2].partition("/")[0]
    raise ConfigError(f"the base URL of a model at {host} is not a valid URL")


@cache
def _limits(timeout: float) -> ClientTimeout:
    return ClientTimeout(total=timeout, connect=min(timeout, LONGEST_CONNECT))
