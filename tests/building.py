"""A served model that writes people, well or as badly as a test wants."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from emoharbor.agents.building import Review
from emoharbor.runs.build import run_build
from emoharbor.runs.build_plan import Build, make_build
from emoharbor.runs.build_records import Built
from emoharbor.state.profile import Language
from tests.fake_openai import Answer, FakeOpenAI, chat, fake_openai
from tests.served import schema_of

PARTS = ("demographics", "preferences", "counselling", "scenario")
POINTS = tuple(Review.model_fields)
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}
# (role, what would be replied, how often this role was asked about this seed) → what is.
Change = Callable[[str, dict[str, Any], int, str], Any]


def words(key: str, count: int, language: Language = "en") -> str:
    """Words that nobody else has: no two people come out alike."""
    rng = random.Random(key)
    if language == "zh":
        return "".join(chr(rng.randrange(0x4E00, 0x9FA0)) for _ in range(count))
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(rng.choices(letters, k=rng.randint(3, 8))) for _ in range(count))


def good(part: str, key: str, language: Language = "en") -> dict[str, Any]:
    """A part of a person as a good writer would reply."""

    def text(name: str, count: int) -> str:
        return words(f"{key}/{part}/{name}", count, language)

    much = 1 if language == "en" else 2
    if part == "demographics":
        names = ("occupation", "nationality", "education", "residence", "relationship", "family")
        return {"age": 34, "gender": text("gender", 1), **{n: text(n, 3 * much) for n in names}}
    if part == "preferences":
        traits = ("openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism")
        return {
            "traits": text("traits", 15 * much),
            "big_five": dict.fromkeys(traits, 3),
            "mbti": "ISTP",
            "habits": [text("habits", 6 * much)],
            "hobbies": [text("hobby", 3 * much), text("other hobby", 3 * much)],
            "speech_style": text("style", 45 * much),
            "sample_lines": [text(f"line {n}", n * much) for n in (1, 3, 5, 8)],
        }
    if part == "counselling":
        return {
            "topic": "work",
            "problem": text("problem", 85 * much),
            "emotion": text("emotion", 1 * much),
            "emotional_state": text("state", 20 * much),
            "goal": "repair",
            "goals": [text("goals", 12 * much)],
            "relations": [text("relation", 8 * much), text("other", 8 * much)],
        }
    kinds = ("validation", "advice", "probing", "reassurance", "reframing", "generic")
    return {
        "opening": text("opening", 12 * much),
        "reactions": {kind: text(kind, 14 * much) for kind in kinds},
        "withheld": [text("withheld", 12 * much), text("another", 12 * much)],
        "opens_up": text("opens", 10 * much),
        "leaves": text("leaves", 25 * much),
    }


def role_of(body: Mapping[str, Any]) -> str:
    """Which role a request comes from; a probe asks for one token."""
    keys = schema_of(body).get("properties", {})
    if not keys:
        return "probe"
    if "identifiers" in keys:
        return "critic"
    if any(re.match("# (Once more|再来一遍)", m["content"]) for m in body["messages"]):
        return "mender"
    return next(part for part in PARTS if part in keys)


def key_of(body: Mapping[str, Any]) -> str:
    """Which seed a request is about: its `mark`."""
    found = re.search(r"mark(\w+)", json.dumps(body["messages"]))
    return found[1] if found else "nobody"


def reply(body: Mapping[str, Any], language: Language = "en") -> dict[str, Any]:
    """What a good model replies."""
    role, key = role_of(body), key_of(body)
    if role == "critic":
        seen = body["messages"][1]["content"]
        quote = json.loads(seen[seen.index("<person>\n") + 9 : seen.index("\n</person>")])
        return {p: {"quote": quote["scenario"]["leaves"], "faults": []} for p in POINTS}
    keys = schema_of(body)["properties"]
    version = f"{key} again" if role == "mender" else key
    made: dict[str, Any] = {p: good(p, version, language) for p in PARTS if p in keys}
    return {**made, "risk": []} if "risk" in keys else made


def writes(
    change: Change = lambda role, data, nth, key: None, language: Language = "en"
) -> Callable[[dict[str, Any], Mapping[str, str]], Answer]:
    """A handler; `change` may give other data, a text or a whole Answer instead of the good one."""
    counts: Counter[tuple[str, str]] = Counter()

    def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        role, key = role_of(body), key_of(body)
        if role == "probe":
            return chat("pong")
        counts[role, key] += 1
        data = reply(body, language)
        changed = change(role, data, counts[role, key], key)
        if isinstance(changed, tuple):
            return changed
        content = data if changed is None else changed
        text = content if isinstance(content, str) else json.dumps(content)
        return chat(text, usage=USAGE)

    return handler


def seeds_file(folder: Path, count: int = 1, **more: Any) -> Path:
    """Questionnaires with a mark each, by which the served model tells them apart."""
    file = folder / "seeds.yaml"
    items = [
        more
        | {
            "background": f"mark{n} drives the early ferry to the island every day",
            "problem": "no one waves",
        }
        for n in range(1, count + 1)
    ]
    file.write_text(yaml.safe_dump(items, allow_unicode=True), encoding="utf-8")
    return file


def built(folder: Path, change: Change | None = None, **more: Any) -> tuple[Built, FakeOpenAI]:
    """What came of `count` seeds with a writer whose replies are changed, and the server."""
    seeds = more.pop("seeds", None)
    seeds = seeds or seeds_file(folder, more.pop("count", 1), **more.pop("stated", {}))
    handler = writes(change or (lambda *told: None), more.get("language", "en"))

    async def go() -> tuple[Built, FakeOpenAI]:
        async with fake_openai(handler) as server:
            return await run_build(small_build(server.url, seeds, **more), folder / "run"), server

    return asyncio.run(go())


def asked(server: FakeOpenAI) -> list[str]:
    """The roles that were asked, in order."""
    return [role for body in server.bodies if (role := role_of(body)) != "probe"]


def kinds(result: Built) -> list[str]:
    """Why the one who was set aside was."""
    (record,) = result.set_aside
    return [fault.kind for fault in record.faults]


def small_build(url: str, seeds: Path, **more: Any) -> Build:
    """A build by the model served at `url`; one try a call."""
    model = {"spec": f"openai:writer@{url}", "tries": 1, "timeout": 20}
    values = {"build": "b", "seeds": str(seeds), "prefix": "p", "model": model}
    return make_build({**values, **more}, "test")
