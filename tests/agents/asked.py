"""A `use: template` supporter of a suite, asked once for a reply by way of a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from emoharbor.agents.template import SHIPPED
from emoharbor.models.pool import ModelPool
from emoharbor.runs.seats import Seat, seat_all
from emoharbor.state.dialogue import Message
from emoharbor.suite import load_suite
from tests.fake_openai import always, chat, fake_openai

CHAT = ("soulchat2", "simpsybot", "cpsycounx", "mindchat", "emollm")
LINES = ("mechat", "psychat")


@dataclass(frozen=True)
class Asked:
    """What one reply took: the request's body, the reply, and the seat that asked."""

    body: dict[str, Any]
    reply: str
    seat: Seat

    @property
    def messages(self) -> list[dict[str, str]]:
        messages: list[dict[str, str]] = self.body["messages"]
        return messages

    @property
    def sampling(self) -> dict[str, Any]:
        return {k: v for k, v in self.body.items() if k not in ("model", "messages")}


def ask(history: Sequence[Message] = (), reply: str = "好的", **keys: Any) -> Asked:
    """One reply of a `use: template` supporter with these keys of a suite."""

    async def go() -> Asked:
        async with fake_openai(always(chat(reply))) as server, ModelPool() as pool:
            supporter = {"name": "bot", "use": "template", "model": f"openai:bot@{server.url}"}
            others = {f"models.{m}.spec": f"openai:x@{server.url}" for m in ("user", "judge")}
            changes = {"language": "zh", "profiles": "zh", "supporters": [{**supporter, **keys}]}
            suite = load_suite("emoharbor", {**changes, **others})
            seat = seat_all(suite, suite.supporters[0], pool.model).supporter
            text = (await seat.agent(history)).text
            return Asked(server.bodies[0], text, seat)

    return asyncio.run(go())


def text_of(preset: str) -> str:
    text: str = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))[preset]["system"]
    return text
