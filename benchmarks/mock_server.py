"""An OpenAI-compatible endpoint that does exactly what it is told: a benchmark's other half.

`python -m benchmarks.mock_server --help`. A call takes `--base-ms` from the moment it holds one of
`--cap` slots. Input is counted in tokens of four bytes, and a prefix cache holds every whole block
of 16 tokens of the prompts seen (prompts alone, not replies). Faults are dealt from shuffled decks
of twenty, so their share is exact over any twenty requests in a row.

GET /stats: counts since the last reset. POST /reset: all counts and the cache to zero.
GET /bodies: the request bodies since the reset, with `--keep`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import time
import zlib
from typing import Any

from aiohttp import web

from benchmarks.mock_replies import TOKEN, Replies

BLOCK = 16
DECK = 20


class PrefixCache:
    """Blocks known by the hash of all that stands before them."""

    def __init__(self) -> None:
        self._seen: set[int] = set()

    def hit(self, prompt: bytes) -> int:
        """How many leading tokens are known; the whole prompt is known afterwards."""
        size, chain, found, missed = BLOCK * TOKEN, 0, 0, False
        for at in range(0, len(prompt) - size + 1, size):
            chain = hash((chain, prompt[at : at + size]))
            missed = missed or chain not in self._seen
            found += not missed
            self._seen.add(chain)
        return found * BLOCK


class Counts:
    """What happened since the last reset. `floor` is right while one dialogue runs at a time."""

    def __init__(self) -> None:
        self.requests = self.answered = self.refused_429 = self.failed_500 = self.early = 0
        self.input_tokens = self.cached_tokens = self.floor_tokens = 0
        self.in_flight = self.most_in_flight = 0
        self.service_s = 0.0
        self.first_start: float | None = None
        self.last_end = 0.0
        self.connections: set[object] = set()
        self.prefixes = PrefixCache()
        self.bodies: list[bytes] = []
        self.not_before: dict[int, float] = {}
        self._last: dict[str, int] = {}

    def tokens(self, prompt: bytes, role: str) -> tuple[int, int]:
        """Tokens of the prompt and how many of them were cached; the floor grows with them.

        The floor of append-only prompts: the role's last prompt once, and of each prompt the
        partial block at its end, which the next one computes anew.
        """
        tokens, cached = -(-len(prompt) // TOKEN), self.prefixes.hit(prompt)
        before = self._last.get(role, 0)
        self.floor_tokens += tokens - before // BLOCK * BLOCK
        self._last[role] = tokens
        self.input_tokens += tokens
        self.cached_tokens += cached
        return tokens, cached

    def as_dict(self) -> dict[str, Any]:
        """All plain numbers, and the seconds from the first call's start to the last one's end."""
        plain = {k: v for k, v in vars(self).items() if isinstance(v, int | float)}
        span = self.last_end - (self.first_start or self.last_end)
        return {**plain, "connections": len(self.connections), "span_s": span}


class Mock:
    """The server's state and its four routes."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.slots = asyncio.Semaphore(options.cap or 1_000_000)
        self.replies = Replies(options.out_tokens, (options.end_from, options.end_to))
        self._reset()

    def _reset(self) -> None:
        self.counts = Counts()
        self.dealt = 0
        self.deck: list[int] = []

    async def reset(self, request: web.Request) -> web.Response:
        """POST /reset."""
        self._reset()
        return web.json_response({})

    async def stats(self, request: web.Request) -> web.Response:
        """GET /stats."""
        return web.json_response(self.counts.as_dict())

    async def bodies(self, request: web.Request) -> web.Response:
        """GET /bodies."""
        return web.json_response([json.loads(body) for body in self.counts.bodies])

    async def chat(self, request: web.Request) -> web.Response:
        """POST /v1/chat/completions."""
        raw = await request.read()
        counts, key = self.counts, zlib.crc32(raw)
        counts.requests += 1
        counts.connections.add(request.transport and request.transport.get_extra_info("peername"))
        if self.options.keep:
            counts.bodies.append(raw)
        if counts.not_before.pop(key, 0.0) > time.monotonic():
            counts.early += 1
        fault = self._fault()
        if fault:
            return self._refusal(fault, key)
        counts.in_flight += 1
        counts.most_in_flight = max(counts.most_in_flight, counts.in_flight)
        try:
            async with self.slots:
                return await self._served(json.loads(raw), key)
        finally:
            counts.in_flight -= 1

    def _fault(self) -> int:
        if not self.deck:
            refused = round(self.options.p429 * DECK)
            failed = round(self.options.p500 * DECK)
            self.deck = [429] * refused + [500] * failed + [0] * (DECK - refused - failed)
            random.Random(f"{self.options.seed}/{self.dealt}").shuffle(self.deck)
            self.dealt += 1
        return self.deck.pop()

    def _refusal(self, status: int, key: int) -> web.Response:
        headers = {}
        if status == 429:
            self.counts.refused_429 += 1
            self.counts.not_before[key] = time.monotonic() + self.options.retry_after
            headers["Retry-After"] = f"{self.options.retry_after:g}"
        else:
            self.counts.failed_500 += 1
        error = {"error": {"message": "a fault that was asked for", "type": "mock"}}
        return web.json_response(error, status=status, headers=headers)

    async def _served(self, body: dict[str, Any], seed: int) -> web.Response:
        counts, start = self.counts, time.monotonic()
        counts.first_start = counts.first_start or start
        prompt = "".join(f"<{m['role']}>\n{m['content']}\n" for m in body["messages"]).encode()
        schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema", {})
        tokens, cached = counts.tokens(prompt, ",".join(schema.get("properties", {})))
        text = self.replies.reply(body, seed)
        await asyncio.sleep(self.options.base_ms / 1000 - (time.monotonic() - start))
        counts.answered += 1
        counts.last_end = time.monotonic()
        counts.service_s += counts.last_end - start
        choice = {"index": 0, "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": tokens, "completion_tokens": -(-len(text) // TOKEN)}
        details = {"prompt_tokens_details": {"cached_tokens": cached}}
        return web.json_response(
            {
                "id": f"chatcmpl-{seed:x}",
                "object": "chat.completion",
                "created": 0,
                "model": body.get("model", "mock"),
                "choices": [{**choice, "finish_reason": "stop"}],
                "usage": {**usage, "total_tokens": sum(usage.values()), **details},
            }
        )


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--port", type=int, default=0, help="0 takes a free one; the first line printed names it")
    add("--base-ms", type=float, default=20.0, help="service time of a call")
    add("--out-tokens", type=int, default=60, help="about the tokens of a reply")
    add("--cap", type=int, default=0, help="calls served at once, others wait (0: no cap)")
    add("--p429", type=float, default=0.0, help="share of requests refused, in twentieths")
    add("--p500", type=float, default=0.0, help="share of requests failed, in twentieths")
    add("--retry-after", type=float, default=1.0, help="seconds, sent with each 429")
    add("--seed", type=int, default=0, help="of the faults")
    add("--end-from", type=int, default=0, help="first exchange at which a dialogue may end")
    add("--end-to", type=int, default=0, help="last such exchange (0: dialogues go on)")
    add("--keep", action="store_true", help="keep the request bodies for GET /bodies")
    return parser.parse_args()


async def serve(chosen: argparse.Namespace) -> None:
    """Serves on 127.0.0.1 until killed."""
    mock = Mock(chosen)
    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/v1/chat/completions", mock.chat)
    app.router.add_post("/reset", mock.reset)
    app.router.add_get("/stats", mock.stats)
    app.router.add_get("/bodies", mock.bodies)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", chosen.port, backlog=1024).start()
    sys.stdout.write(f"mock on http://127.0.0.1:{runner.addresses[0][1]}/v1\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(options()))
