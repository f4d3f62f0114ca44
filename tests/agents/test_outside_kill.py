"""kill -9 in the midst of a run with a finished bot: no answer that was kept is asked for again."""

from __future__ import annotations

import asyncio
import uuid
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from emoharbor.runs.folder import open_run
from tests.agents.outside_runs import process_bot, spoken, suite_of
from tests.fake_openai import Answer, fake_openai
from tests.processes import emoharbor
from tests.served import lines_of

DIALOGUES, EXCHANGES = 8, 4


def kept_replies(out: Path) -> set[str]:
    return {entry["text"] for entry in lines_of(out / "calls.jsonl") if entry["kind"] == "call"}


def no_answer_twice(out: Path, before: set[str], given: list[dict[str, Any]]) -> None:
    """`given` are all replies of the bot, with their dialogues; `before` those kept at the kill."""
    of = {g["text"]: (g["dialogue"], len(g["messages"])) for g in given}
    times = Counter(of.values())
    assert 0 < len(before) < DIALOGUES * EXCHANGES
    assert not {of[text] for text in before if times[of[text]] > 1}
    records = open_run(out).records().values()
    said = [text for r in records for text in spoken(r)]
    assert len(said) == len(times) == DIALOGUES * EXCHANGES and before <= set(said) <= set(of)


async def killed_and_resumed(tmp: Path, supporter: dict[str, Any], reached: Any) -> set[str]:
    """The replies that the journal held when the run was killed; it is finished after that."""
    models = {"bot": {"spec": supporter["model"], "concurrency": 4}}
    plain = {"limit": DIALOGUES, "max_turns": EXCHANGES, "models": models}
    suite_of(tmp, {**supporter, "model": "bot"}, **plain)
    args = ["run", str(tmp / "outside.yaml"), "--out", str(tmp / "run")]
    first = await emoharbor(*args)
    async with asyncio.timeout(60):
        while not reached():
            assert first.returncode is None
            await asyncio.sleep(0.005)
    first.kill()
    await first.communicate()
    before = kept_replies(tmp / "run")
    second = await emoharbor(*args)
    words = await second.communicate()
    assert second.returncode == 0, words
    return before


def test_a_kill_repeats_no_answer_of_a_program(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def reached() -> bool:
        return log.exists() and log.read_text().count("\n") >= 13

    before = asyncio.run(killed_and_resumed(tmp_path, process_bot(tmp_path, 0.01), reached))
    no_answer_twice(tmp_path / "run", before, lines_of(log))


def test_a_kill_repeats_no_answer_of_a_url(tmp_path: Path) -> None:
    given: list[dict[str, Any]] = []

    async def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        await asyncio.sleep(0.01)
        given.append({**body, "text": uuid.uuid4().hex})
        return 200, {}, {"text": given[-1]["text"]}

    async def go() -> set[str]:
        async with fake_openai(handler) as server:
            supporter = {"use": "bot", "model": f"{server.root}/chat"}
            return await killed_and_resumed(tmp_path, supporter, lambda: len(given) >= 13)

    no_answer_twice(tmp_path / "run", asyncio.run(go()), given)
