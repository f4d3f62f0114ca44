"""Runs of the worst-case suites against a served model that plays every role."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from emoharbor.flags import suite_from_flags
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.state.profile import Language
from emoharbor.suite import Suite
from tests.fake_openai import FakeOpenAI, fake_openai
from tests.people import make_profile
from tests.served import plays_all, role_of


def people(folder: Path, language: Language, count: int = 1) -> str:
    """A file of invented people."""
    file = folder / f"people-{language}.jsonl"
    made = (make_profile(language, id=f"t-{language}-{n}") for n in range(count))
    file.write_text("".join(p.model_dump_json() + "\n" for p in made), encoding="utf-8")
    return str(file)


def suite_at(
    url: str, name: str, profiles: str, language: Language, bots: Sequence[str], **plain: Any
) -> Suite:
    """The shipped suite, every role at `url`, one try a call."""
    models = {m: {"spec": f"openai:{m}@{url}", "tries": 1} for m in ("user", "judge")}
    return suite_from_flags(
        name,
        supporters=[f"{bot}=openai:{bot}@{url}" for bot in bots],
        plain={"language": language, "profiles": profiles, "max_turns": 4, **plain},
        settings=[f"models.{m}={json.dumps(config)}" for m, config in models.items()],
    )


def run(
    tmp_path: Path,
    name: str = "worst_case",
    language: Language = "en",
    bots: Sequence[str] = ("a",),
    change: Any = lambda role, body, nth: None,
    count: int = 1,
    times: int = 1,
    **plain: Any,
) -> tuple[FakeOpenAI, RunFolder]:
    """A whole run in the folder `run`, begun and gone on with `times` times in all."""

    async def go() -> tuple[FakeOpenAI, RunFolder]:
        async with fake_openai(plays_all(change)) as server:
            profiles = people(tmp_path, language, count)
            suite = suite_at(server.url, name, profiles, language, bots, **plain)
            for _ in range(times):
                folder = await run_suite(suite, tmp_path / "run")
            return server, folder

    return asyncio.run(go())


def sent(server: FakeOpenAI, role: str) -> list[str]:
    """Every request of a role, its messages as one text."""
    return [
        "\n".join(message["content"] for message in body["messages"])
        for body in server.bodies
        if role_of(body) == role
    ]
