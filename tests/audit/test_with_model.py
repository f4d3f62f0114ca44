"""`emoharbor audit --model`: figures with evidence, gone on with, and what went wrong counted."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from emoharbor.state.profile import Language
from tests.audit.audited import Rows
from tests.fake_openai import Answer, FakeOpenAI, chat, fake_openai, refusal
from tests.here import emoharbor
from tests.imports.foreign_dialogues import release, write_lines
from tests.processes import emoharbor as elsewhere
from tests.runs.steady import Steady
from tests.runs.worst import run as worst_run
from tests.served import lines_of, schema_of
from tests.small_runs import echo_run

LANGUAGES: tuple[Language, ...] = ("en", "zh")
USAGE = {"prompt_tokens": 100, "completion_tokens": 10}
# What the invented people say here, what of it their profile contradicts, and how they talk.
WORDS: Mapping[Language, tuple[str, str, str, str]] = {
    "en": ("I am a teacher", "bus driver", "my sister rang", "I have no sister"),
    "zh": ("我是老师", "快递站站长", "我妹打来的", "我没有妹妹"),
}


def says(language: Language) -> Any:
    """Three lines of a user: one against the profile, one against an earlier one."""
    wrong, _, later, earlier = WORDS[language]
    lines = [f"{wrong}, {earlier}", "hm", later]

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        if role != "talker":
            return None
        words = lines[min(len(body["messages"]) // 2 - 1, 2)]
        return {"utterance": words, "wants_to_end": False, "why": "unspecified", "reason": ""}

    return change


def audits(language: Language, usable: Any = None) -> Any:
    """A model that finds both, and names a third that stands nowhere."""
    wrong, profile, later, earlier = WORDS[language]

    def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        if body.get("max_tokens") == 1:
            return chat("pong")
        changed = usable(body) if usable else None
        if changed is not None:
            return changed  # type: ignore[no-any-return]
        found: dict[str, list[Any]] = {key: [] for key in schema_of(body)["properties"]}
        found["1"] = [named(wrong, profile, "profile"), named("nowhere", profile, "manner")]
        found["5"] = [named(later, earlier, "own_words")]
        return chat(json.dumps(found, ensure_ascii=False), usage=USAGE)

    return handler


def named(quote: str, against: str, kind: str) -> dict[str, str]:
    return {"quote": quote, "against": against, "kind": kind, "says": "s"}


def served(handler: Any, *calls: list[str]) -> tuple[FakeOpenAI, list[tuple[int | None, str]]]:
    """What came of each command, `URL` in it put right, one after the other."""

    async def go() -> tuple[FakeOpenAI, list[tuple[int | None, str]]]:
        done = []
        async with fake_openai(handler) as server:
            for call in calls:
                process = await elsewhere(*(part.replace("URL", server.url) for part in call))
                words = b"".join(await process.communicate()).decode()
                done.append((process.returncode, words))
            return server, done

    return asyncio.run(go())


def rows_of(file: Path) -> Rows:
    return Rows(json.loads(file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_and_dialogues_without_a_contradiction_are_counted(
    tmp_path: Path, language: Language
) -> None:
    _, run = worst_run(tmp_path, language=language, change=says(language), count=2, max_turns=3)
    file = tmp_path / "a.json"
    call = ["audit", str(run.path), "--model", "openai:m@URL"]
    server, ((code, words), (again, _)) = served(
        audits(language), [*call, "--limit", "1"], [*call, "-o", str(file)]
    )
    assert code == again == 0, words
    # A probe each time, and a call a dialogue: the first one's was kept.
    assert len([body for body in server.bodies if body.get("max_tokens") != 1]) == 2
    rows = rows_of(file)
    assert rows.share("read", language=language) == (2, 2)
    assert rows.share("read.adherence", language=language) == (4, 6)
    assert rows.share("read.manner", language=language) == (6, 6)
    assert rows.share("read.consistency", language=language) == (2, 4)
    assert rows.share("read.sound", language=language) == (2, 6)
    assert rows.share("read.whole", language=language) == (0, 2)
    assert rows.share("read.dropped", language=language) == (2, 6)
    assert len(rows.row("read.whole", language=language)["dialogues"]) == 2
    wrong, profile, later, earlier = WORDS[language]
    told = [
        (one["line"], one["quote"], one["against"], one["earlier"])
        for one in rows.whole["contradictions"]
    ]
    assert told == [(1, wrong, profile, None), (5, later, earlier, 1)] * 2
    assert "Read by openai:m@" in words and wrong in words.replace("\n", "")


def test_its_readings_are_shown_and_gone_on_with(tmp_path: Path) -> None:
    _, run = worst_run(tmp_path, change=says("en"), count=2, max_turns=3)
    kept = str(run.path / "audit" / "m")
    server, ((code, words), (shown, table), (calls, request), (on, again)) = served(
        audits("en"),
        ["audit", str(run.path), "--model", "openai:m@URL"],
        ["show", kept],
        ["show", kept, "a/t-en-0/0", "--prompts", "auditor"],
        ["resume", kept],
    )
    assert code == shown == calls == on == 0, (words, table, request, again)
    assert "emoharbor show" in words and "my sister rang" in table and re.search("4 +6", table)
    assert "The user was played" in request and "2 of 2 questions are done already" in again
    assert emoharbor("show", str(run.path)).returncode == 0
    assert len([body for body in server.bodies if body.get("max_tokens") != 1]) == 2


def test_an_unusable_reply_and_a_failed_call_are_counted_and_no_figure(tmp_path: Path) -> None:
    _, run = worst_run(tmp_path, change=says("en"), count=3, max_turns=3)

    replies = iter([chat("I would rather not."), chat("No."), refusal(401, "no")])

    def usable(body: dict[str, Any]) -> Answer | None:
        return next(replies, None)

    file = tmp_path / "a.json"
    one = ["--concurrency", "1", "-o", str(file)]
    _, ((code, words),) = served(
        audits("en", usable), ["audit", str(run.path), "--model", "openai:m@URL", *one]
    )
    assert code == 1 and "1 dialogues failed" in words and "emoharbor resume" in words, words
    rows = rows_of(file)
    assert rows.share("read", language="en") == (1, 3)
    detail = rows.row("read", language="en")["detail"]
    assert "unusable reply, twice 1" in detail and "auth 1" in detail
    assert rows.share("read.adherence", language="en") == (2, 3)


def test_dialogues_from_elsewhere_are_read_beside_what_is_known_of_the_person(
    tmp_path: Path,
) -> None:
    def handler(body: dict[str, Any], headers: Mapping[str, str]) -> Answer:
        if body.get("max_tokens") == 1:
            return chat("pong")
        found: dict[str, list[Any]] = {key: [] for key in schema_of(body)["properties"]}
        return chat(json.dumps(found), usage=USAGE)

    chats = [{"id": "a", "messages": [{"role": "user", "content": "I cannot sleep"}]}]
    source = write_lines(tmp_path / "chats.jsonl", chats)
    arms = release(tmp_path / "release")
    out, file = tmp_path / "kept", tmp_path / "a.json"
    call = ["--model", "openai:m@URL", "-o", str(file), "--out"]
    _, ((code, words),) = served(handler, ["audit", str(source), *call, str(out)])
    rows = rows_of(file)
    assert code == 0 and rows.share("read.sound", language="en") == (1, 1), words
    assert rows.share("read.adherence", language="en") == (0, 0)
    assert (out / "records.jsonl").is_file()
    server, ((code, words),) = served(handler, ["audit", str(arms), *call, str(tmp_path / "b")])
    assert code == 0, words
    # One file is empty and the user is silent in none.
    assert rows_of(file).share("read")[0] == rows_of(file).share("read")[1] > 3
    asked = [body for body in server.bodies if body.get("max_tokens") != 1]
    assert any("<person>" in body["messages"][0]["content"] for body in asked)
    assert any("演的" in body["messages"][0]["content"] for body in asked)


def test_a_signal_stops_it_and_the_same_command_goes_on(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "run", limit=6).path

    async def go() -> None:
        steady = Steady(at=3, pause=0.2)
        async with fake_openai(steady) as server:
            call = ["audit", str(run), "--model", f"openai:m@{server.url}", "--concurrency", "1"]
            first = await elsewhere(*call)
            await steady.reached_by(first)
            first.send_signal(signal.SIGINT)
            words = b"".join(await first.communicate()).decode()
            assert first.returncode == 130 and f"emoharbor resume {run / 'audit' / 'm'}" in words
            steady.pause = 0
            second = await elsewhere(*call)
            words = b"".join(await second.communicate()).decode()
            assert second.returncode == 0 and "done already" in words, words
            assert set(steady.asked.values()) == {1}

    asyncio.run(go())
    assert len(lines_of(run / "audit" / "m" / "records.jsonl")) == 6


def test_a_limit_stops_it_resumably(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "run", limit=4).path
    call = ["audit", str(run), "--model", "openai:m@URL", "--concurrency", "1"]
    _, ((code, words), (again, rest)) = served(
        Steady(), [*call, "--max-calls", "2"], ["resume", str(run / "audit" / "m")]
    )
    assert code == 3 and "--max-calls 2" in words and "were not read by" in words, words
    assert again == 0 and "done already" in rest, rest


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--model", "process:cat"), "is a finished bot, which audits nothing"),
        (("--model", "openia:m"), "openia"),
        (("--model", "scripted:echo", "--set", "modle.tries=1"), "unknown key 'modle'"),
        (("--model", "scripted:echo", "--set", "model.trys=1"), "did you mean 'tries'?"),
        (("--model", "scripted:echo", "--set", "temperature=9"), "temperature: Input should be"),
        (("--model", "openai:m@http://127.0.0.1:9/v1", "--set", "model.tries=1"), "127.0.0.1:9"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    run = echo_run(tmp_path / "run").path
    told = emoharbor("audit", str(run), *args, cwd=tmp_path)
    assert told.returncode == 2 and "Traceback" not in told.stderr, told.stdout + told.stderr
    assert words in " ".join(told.stderr.split())
    assert not (run / "audit" / "m" / "records.jsonl").exists()
