"""The floor: a bare aiohttp loop that sends the very requests that EmoHarbor sends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp

from benchmarks.job import Meter


def bodies_of(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One dialogue's requests in order, as the mock kept them."""
    bodies: list[dict[str, Any]] = json.loads(Path(job["bodies"]).read_text(encoding="utf-8"))
    return bodies if job["dialogues"] > 2 else bodies[:4]


async def bare(job: Mapping[str, Any], meter: Meter) -> None:
    """Serialize, post, parse; nothing is kept."""
    bodies = bodies_of(job)
    connector = aiohttp.TCPConnector(limit=job["live"])
    async with aiohttp.ClientSession(connector=connector) as session:

        async def one(number: int) -> None:
            for body in bodies:
                data = json.dumps({**body, "seed": number})
                headers = {"Content-Type": "application/json"}
                async with session.post(
                    f"{job['url']}/chat/completions", data=data, headers=headers
                ) as answer:
                    reply = json.loads(await answer.read())
                text = reply["choices"][0]["message"]["content"]
                if "response_format" in body:
                    json.loads(text)

        meter.start()
        await asyncio.gather(*(one(number) for number in range(job["dialogues"])))
        meter.stop(finished=job["dialogues"])
