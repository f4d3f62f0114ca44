"""Finished dialogues judged again: what is asked, what is kept, and what is left alone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.errors import ConfigError
from emoharbor.judging.run import Judged
from emoharbor.judging.wanted import Asked
from emoharbor.prompts.rubric import load_rubric
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from tests.fake_openai import FakeOpenAI, fake_openai, refusal
from tests.judging.judged import asked_of, by_name, judge, kept, marks, text_of
from tests.runs.worst import people, suite_at
from tests.served import lines_of, plays_all, schema_of, small_suite

KEYS = load_rubric("emoharbor-10", "en").keys
Then = Callable[[FakeOpenAI, RunFolder], Awaitable[Any]]


def with_run(tmp: Path, then: Then, change: Any = None, **how: Any) -> Any:
    """A finished run at a served model, and then something with both."""

    async def go() -> Any:
        async with fake_openai(plays_all(change) if change else plays_all()) as server:
            return await then(server, await run_suite(small_suite(server.url, **how), tmp / "run"))

    return asyncio.run(go())


def other(server: FakeOpenAI, **more: Any) -> Asked:
    return Asked(model=f"openai:other@{server.url}", **more)


def test_every_verdict_is_one_call_and_the_run_is_not_touched(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, run: RunFolder) -> Judged:
        before, calls = marks(run.path), len(server.bodies)
        done = await judge(run.path, other(server), repeats=2, every=1)
        new = server.bodies[calls:]
        verdicts = [body for body in new if body.get("max_tokens") != 1]
        assert len(new) - len(verdicts) == 1 and len(verdicts) == 2 * 2 * 3
        assert {body["model"] for body in new} == {"other"}
        assert len({body["seed"] for body in verdicts}) == len(verdicts)
        again = await judge(run.path, other(server), repeats=2, every=1)
        assert len(server.bodies) == calls + len(new) + 1, "asked once more whether it is there"
        assert again.records == done.records and marks(run.path) == before
        return done

    done = with_run(tmp_path, then, turns=3, limit=2)
    assert list(by_name(done)) == [
        f"bot/en-00{n}/0{cut}{sample}"
        for sample in ("", "#1")
        for n in (1, 2)
        for cut in ("@1", "@2", "")
    ]
    assert done.failed == 0 and not done.left_out
    folder = tmp_path / "run" / "judged"
    assert done.work.folder.parent == folder and done.work.folder.name.startswith("openai-other")
    assert done.work.folder.name.endswith("--internal_state_aware--emoharbor-10")
    assert len(lines_of(done.work.folder / "calls.jsonl")) == 12
    assert len(kept(done).records()) == 12


def test_a_record_says_which_dialogue_was_judged_by_whom_and_how(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        (source,) = run.records().values()
        asked = other(server, strategy="user_aware")
        records = by_name(await judge(run.path, asked, repeats=2, every=2))
        whole, cut = records["bot/en-001/0#1"], records["bot/en-001/0@2"]
        assert whole.judging.run == "run" and whole.judging.upto is None
        assert whole.judging.order == (*KEYS[1:], KEYS[0]) and cut.judging.order == tuple(KEYS)
        assert list(whole.verdict.scores) == KEYS and whole.verdict.strategy == "user_aware"
        assert whole.models == {**source.models, "evaluator": f"openai:other@{server.url}"}
        assert (whole.h_u, whole.ending, whole.turns) == (source.h_u, source.ending, 3)
        assert whole.dialogue_hash == source.dialogue_hash
        assert {role: usage.calls for role, usage in whole.usage.items()} == {"evaluator": 1}
        assert (len(cut.h_s), len(cut.h_u), cut.turns, cut.ending) == (4, 6, 2, None)
        assert cut.h_u == source.h_u[:6]

    with_run(tmp_path, then, turns=3)


def test_the_first_sample_is_asked_as_the_run_asked(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        await judge(run.path, other(server), repeats=2)
        own, first, second = asked_of(server, "evaluator")
        assert own["messages"] == first["messages"] != second["messages"]
        assert list(schema_of(second)["properties"]) == [*KEYS[1:], KEYS[0]]
        places = [text_of(second).index(f"## {key} (") for key in (*KEYS[1:], KEYS[0])]
        assert places == sorted(places)

    with_run(tmp_path, then)


def test_a_seeker_is_judged_with_the_account_that_was_cleaned(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        clean = {"changed": True, "situation": "A clean account of a stop that was passed."}
        return clean if role == "profile" else None

    async def go() -> None:
        async with fake_openai(plays_all(change)) as server:
            profiles = people(tmp_path, "en")
            suite = suite_at(server.url, "worst_case", profiles, "en", ["bot"])
            run = await run_suite(suite, tmp_path / "run")
            await judge(run.path, other(server), every=2)
            own, cut, whole = asked_of(server, "evaluator")
            assert own["messages"] == whole["messages"] and "clean account" in text_of(own)
            assert "[5]" in text_of(whole) and "[5]" not in text_of(cut)
            (run.path / "calls.jsonl").write_text("")
            with pytest.raises(ConfigError, match="does not say how 't-en-0' was cleaned"):
                await judge(run.path, other(server, strategy="user_aware"))
            await judge(run.path, other(server, strategy="user_aware"), profiles=profiles)

    asyncio.run(go())


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_prefix_is_judged_as_a_chat_that_was_cut_off(tmp_path: Path, language: str) -> None:
    leaves = {"utterance": "ok", "reason": "done", "wants_to_end": True, "why": "satisfied"}

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return leaves if role == "talker" and nth == 3 else None

    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        (source,) = run.records().values()
        assert source.ending and source.ending.reason == "user_satisfied"
        await judge(run.path, other(server), every=1)
        _, first, second, whole = map(text_of, asked_of(server, "evaluator"))
        cut, over = {
            "en": ("The chat was cut off there from outside", "with what you had come for"),
            "zh": ("聊天在这里被外部打断", "得到了想要的"),
        }[language]
        for text in (first, second):
            assert cut in text and over not in text
        assert over in whole and cut not in whole
        assert "[3]" not in first and "[4]" in second and "[5]" not in second and "[6]" in whole

    with_run(tmp_path, then, change, turns=9, plain={"language": language})


def test_strategies_know_more_and_more_and_lie_apart(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        folders = set()
        for strategy in ("standard", "user_aware", "internal_state_aware"):
            folders.add((await judge(run.path, other(server, strategy=strategy))).work.folder)
        _, standard, aware, inner = map(text_of, asked_of(server, "evaluator"))
        assert len(folders) == 3
        assert "<you>" not in standard and "(inner)" not in standard
        assert "<you>" in aware and "(inner)" not in aware
        assert "<you>" in inner and "(inner)" in inner

    with_run(tmp_path, then)


def test_only_the_judge_that_failed_is_asked_again(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        if role == "evaluator" and nth == 4:
            return refusal(400, "This model's maximum context length is 4096 tokens.")
        return None

    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        asked, alone = other(server, concurrency=1), RunOptions(retry_failed=False)
        done = await judge(run.path, asked, repeats=3)
        (failed,) = [record for record in done.records if record.failure]
        assert done.failed == 1 and failed.failure and failed.failure.node == "evaluator"
        assert failed.failure.cause == "context_too_long" and failed.verdict is None
        assert failed.judging and failed.judging.sample == 2
        before = len(asked_of(server, "evaluator"))
        assert (await judge(run.path, asked, repeats=3, options=alone)).failed == 1
        assert len(asked_of(server, "evaluator")) == before
        again = await judge(run.path, asked, repeats=3)
        assert again.failed == 0 and len(again.records) == 3
        assert len(asked_of(server, "evaluator")) == before + 1

    with_run(tmp_path, then, change)


def test_a_failed_dialogue_is_counted_and_not_judged(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return "  \n" if role == "supporter" and nth in (1, 2) else None

    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        done = await judge(run.path, other(server))
        assert done.left_out == {"bot/en-001/0": "it failed (SupporterFailed)"}
        assert [record.profile for record in done.records] == ["en-002", "en-003"]

    with_run(tmp_path, then, change, turns=1, limit=3, plain={"concurrency": 1})


def test_more_is_added_and_another_judge_is_refused(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        done = await judge(run.path, other(server), limit=1)
        assert len(asked_of(server, "evaluator")) == 3
        more = await judge(run.path, other(server), repeats=2, every=1)
        assert len(asked_of(server, "evaluator")) == 3 + 7 and len(more.records) == 8
        assert more.records[1] == done.records[0]
        warm = other(server, settings=["agents.evaluator.temperature=0.7"])
        with pytest.raises(ConfigError, match=r"evaluator\.en\.temperature: 0\.0 -> 0\.7"):
            await judge(run.path, warm)
        elsewhere = await judge(run.path, warm, limit=1, base=tmp_path / "warm")
        assert elsewhere.work.folder.parent == tmp_path / "warm" / "judged"
        assert elsewhere.work.source == run.path

    with_run(tmp_path, then, limit=2)


def test_dialogues_that_are_had_anew_are_judged_anew(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, run: RunFolder) -> None:
        await judge(run.path, other(server))
        lines = run.records_file.read_text().replace("Reply 1.", "Another reply.")
        run.records_file.write_text(lines)
        (record,) = (await judge(run.path, other(server))).records
        assert record.h_s[0].text == "Another reply."
        assert Counter(len(text_of(b)) for b in asked_of(server, "evaluator")).total() == 3

    with_run(tmp_path, then)


def test_its_plan_says_what_was_wanted_and_holds_no_key(tmp_path: Path) -> None:
    async def then(server: FakeOpenAI, run: RunFolder) -> dict[str, Any]:
        done = await judge(run.path, other(server), repeats=2, every=5)
        values: dict[str, Any] = yaml.safe_load(kept(done).plan_file.read_text())
        return values

    values = with_run(tmp_path, then)
    assert values["judging"]["repeats"] == 2 and values["judging"]["every"] == 5
    assert values["judging"]["source"] == "../.." and values["judging"]["run"] == "run"
    assert values["recorded"]["cells"] == 2 and values["supporters"] == []
