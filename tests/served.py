"""A served model that plays every role: plain words, or the least that fits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from emoharbor.flags import suite_from_flags
from emoharbor.models.fill import fill
from emoharbor.suite import Suite
from tests.fake_openai import Answer, chat


def role_of(body: Mapping[str, Any]) -> str:
    """Which role a request comes from, by the schema it asks for; a probe asks for one token."""
    if body.get("max_tokens") == 1:
        return "probe"
    schema = schema_of(body)
    keys = schema.get("properties", {})
    if "utterance" in keys:
        return "talker"
    if "cognition" in keys or "label" in keys:
        return "thinker"
    if "situation" in keys:
        return "profile"
    return "evaluator" if keys else "supporter"


def schema_of(body: Mapping[str, Any]) -> dict[str, Any]:
    form = body.get("response_format") or {}
    schema: dict[str, Any] = form.get("json_schema", {}).get("schema", {})
    return schema


def plays_all(
    change: Callable[[str, dict[str, Any], int], Any] = lambda role, body, nth: None,
) -> Callable[[dict[str, Any], Mapping[str, str]], Answer]:
    """A handler; `change(role, body, nth)` may give another content or a whole Answer."""
    counts: Counter[str] = Counter()

    def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        role = role_of(body)
        counts[role] += 1
        changed = change(role, body, counts[role])
        if isinstance(changed, tuple):
            return changed
        if changed is not None:
            text = changed if isinstance(changed, str) else json.dumps(changed, ensure_ascii=False)
        elif role in ("supporter", "probe"):
            text = f"Reply {counts[role]}."
        else:
            text = json.dumps(fill(schema_of(body)))
        return chat(text, usage={"prompt_tokens": 100, "completion_tokens": 10})

    return handler


def small_suite(url: str, *, turns: int = 2, limit: int = 1, **more: Any) -> Suite:
    """The emoharbor suite, short, with every role served at `url`; one try a call."""
    models = {
        name: {"spec": f"openai:{name}@{url}", "tries": 1, "timeout": 20}
        for name in ("user", "judge", "bot")
    }
    settings = [f"models.{name}={json.dumps(value)}" for name, value in models.items()]
    plain = {"max_turns": turns, "limit": limit, **more.pop("plain", {})}
    supporters = more.pop("supporters", ["bot=openai:bot"])
    settings += [f"supporters.{s.split('=')[0]}.model=bot" for s in supporters]
    settings += more.pop("settings", [])
    return suite_from_flags("emoharbor", supporters=supporters, plain=plain, settings=settings)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
