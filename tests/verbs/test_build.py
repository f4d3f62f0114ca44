"""`emoharbor profiles build`, and what the other verbs make of its run."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.building import PARTS, seeds_file, writes
from tests.fake_openai import fake_openai
from tests.here import emoharbor
from tests.processes import ROOT
from tests.processes import emoharbor as elsewhere
from tests.served import lines_of

SEEDS = str(ROOT / "examples" / "seeds.yaml")
ECHO = ("profiles", "build", SEEDS, "--model", "scripted:echo")


@pytest.fixture(scope="module")
def echoed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished build in which a model that writes nothing was asked for five people."""
    folder = tmp_path_factory.mktemp("echoed")
    done = emoharbor(*ECHO, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "accepted   0" in done.stdout and "set aside  5  unusable 5" in done.stdout
    return folder / "runs" / "build-seeds"


def said(*args: str, cwd: Path) -> str:
    done = emoharbor(*args, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def refused(*args: str, cwd: Path) -> str:
    done = emoharbor(*args, cwd=cwd)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stdout + done.stderr
    return " ".join(done.stderr.split())


def test_a_model_that_writes_nothing_is_accepted_nowhere(echoed: Path) -> None:
    assert (echoed / "profiles.jsonl").read_text() == ""
    aside = lines_of(echoed / "set_aside.jsonl")
    assert [line["id"] for line in aside] == [f"seeds-{n:03}" for n in range(1, 6)]
    assert all("preferences.mbti" in line["faults"][0]["says"] for line in aside)
    assert aside[4]["made"]["demographics"]["occupation"] == "baker, the early shift"
    assert aside[2]["seed"]["category"] == "sleep problems"


def test_resume_and_the_same_command_find_everything_done(echoed: Path) -> None:
    for args in (("resume", str(echoed)), ECHO):
        told = said(*args, cwd=echoed.parent.parent)
        assert "5 of 5 seeds are done already" in told and "set aside  5" in told


def test_a_build_is_shown(echoed: Path) -> None:
    told = said("show", str(echoed), cwd=echoed)
    assert "seeds-003" in told and "set aside  5  unusable 5" in told
    one = said("show", str(echoed), "seeds-005", cwd=echoed)
    assert "the wedding money is lent" in one and "preferences.mbti" in one
    calls = said("show", str(echoed), "seeds-001", "--prompts", "preferences", cwd=echoed)
    assert calls.count("== call at step") == 2 and "school bus" in calls
    assert "did you mean 'seeds-001'" in refused("show", str(echoed), "seeds-01", cwd=echoed)


def test_a_build_is_listed_and_watched_as_a_run(echoed: Path) -> None:
    assert "finished" in said("runs", str(echoed.parent), cwd=echoed)
    assert "5 of 5" in said("watch", str(echoed), cwd=echoed)


@pytest.mark.parametrize("verb", ["history", "fork", "replay", "step"])
def test_a_build_is_no_run_of_dialogues(echoed: Path, verb: str) -> None:
    more = {"history": ["x"], "fork": ["--all", "--at-turn", "1"]}.get(verb, [])
    told = refused(verb, str(echoed), *more, cwd=echoed)
    assert "is of a build of profiles" in told


def test_neither_kind_of_run_goes_into_the_other(echoed: Path, tmp_path: Path) -> None:
    models = ("--supporter", "scripted:echo", "--model", "scripted:echo", "--limit", "1")
    told = refused("run", "emoharbor", *models, "--out", str(echoed), cwd=tmp_path)
    assert "holds a build of profiles" in told
    run = tmp_path / "dialogues"
    said("run", "emoharbor", *models, "--turns", "1", "--out", str(run), cwd=tmp_path)
    assert "holds a run of dialogues" in refused(*ECHO, "--out", str(run), cwd=tmp_path)


def test_deleting_takes_all_that_was_written(tmp_path: Path) -> None:
    said(*ECHO, "--limit", "1", "--out", "it", cwd=tmp_path)
    said("delete", "it", "--yes", cwd=tmp_path)
    assert not (tmp_path / "it").exists()


@pytest.mark.parametrize(
    "args, words",
    [
        (("nowhere.yaml",), "nowhere.yaml: cannot be read"),
        ((SEEDS, "--language", "zh"), "(item 5), language: the draft is in 'en'"),
        ((SEEDS, "--language", "fr"), "language: Input should be 'en' or 'zh'"),
        ((SEEDS, "--limit", "0"), "limit: Input should be greater than or equal to 1"),
        ((SEEDS, "--prefix", "a b"), "prefix: String should match pattern"),
        ((SEEDS, "--set", "modle.tries=1"), "unknown key 'modle'; did you mean 'model'?"),
        ((SEEDS, "--set", "model.trys=1"), "unknown key 'model.trys'; did you mean 'tries'?"),
        ((SEEDS, "--max-calls", "0"), "--max-calls 0: a number above 0 is wanted"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    told = refused("profiles", "build", *args, "--model", "scripted:echo", cwd=tmp_path)
    assert words in told and not (tmp_path / "runs").exists()


def test_a_finished_bot_writes_nobody(tmp_path: Path) -> None:
    told = refused("profiles", "build", SEEDS, "--model", "process:cat", cwd=tmp_path)
    assert "is a finished bot" in told


def test_dry_run_calls_nobody(tmp_path: Path) -> None:
    model = "openai:x@http://127.0.0.1:9"
    told = said("profiles", "build", SEEDS, "--model", model, "--dry-run", cwd=tmp_path)
    # Seven a seed; the draft has one part already.
    assert "5 seeds of" in told and "at most 34 calls" in told
    assert not (tmp_path / "runs").exists()


def test_accepted_people_go_to_the_file_and_pass_the_check(tmp_path: Path) -> None:
    seeds = seeds_file(tmp_path, 3)

    def change(role: str, data: object, nth: int, key: str) -> object:
        return "no" if role in PARTS and key == "2" else None

    async def go() -> None:
        async with fake_openai(writes(change)) as server:
            args = ("profiles", "build", str(seeds), "--model", f"openai:w@{server.url}")
            first = await elsewhere(*args, "-o", "people.jsonl", cwd=tmp_path)
            words = (await first.communicate())[0].decode()
            assert first.returncode == 0 and "accepted   2" in words and "unusable 1" in words

    asyncio.run(go())
    people = [json.loads(line) for line in (tmp_path / "people.jsonl").read_text().splitlines()]
    assert [person["id"] for person in people] == ["people-001", "people-003"]
    assert "nothing to mend" in said("profiles", "check", "people.jsonl", cwd=tmp_path)
    told = said("show", "runs/build-seeds", "people-001", cwd=tmp_path)
    assert "people-001: accepted" in told and people[0]["scenario"]["leaves"] in told


def test_a_build_is_traced_as_a_run_is(tmp_path: Path) -> None:
    async def go() -> str:
        env = {"OTEL_TRACES_EXPORTER": "console"}
        done = await elsewhere(*ECHO, "--limit", "1", cwd=tmp_path, **env)
        spans = (await done.communicate())[1].decode()
        assert done.returncode == 0, spans
        return spans

    spans = asyncio.run(go())
    assert spans.count('"name": "invoke_workflow build-seeds"') == 1
    assert '"name": "invoke_agent preferences"' in spans and '"name": "chat echo"' in spans
    assert '"emoharbor.outcome": "set aside"' in spans and "school bus" not in spans
