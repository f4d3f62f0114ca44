"""`history`, `fork`, `replay`, `compare` on the command line, over a folder and over Redis."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.fake_openai import fake_openai
from tests.here import emoharbor
from tests.runs.steady import Steady, run_args
from tests.runs.steady import emoharbor as another_process

ECHO = ("--supporter", "bot=scripted:echo", "--model", "scripted:echo", "--turns", "3")


@pytest.fixture(scope="module", params=["folder", "redis"])
def run(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, tuple[str, ...]]:
    """A finished run of two dialogues, and the flags that say where it is kept."""
    folder = tmp_path_factory.mktemp("debugged")
    folder = folder / f"{folder.name}-{request.param}"
    more = ("--limit", "2", "--out", str(folder))
    store: tuple[str, ...] = ()
    if request.param == "redis":
        store = ("--store", request.getfixturevalue("redis_url"))
    done = emoharbor("run", "emoharbor", *ECHO, *more, *store)
    assert done.returncode == 0, done.stderr
    return folder, store


Run = tuple[Path, tuple[str, ...]]


def test_history_shows_steps_changes_and_calls(run: Run) -> None:
    folder, store = run
    told = emoharbor("history", str(folder), "en-001", *store).stdout
    for words in ("step 0: begin", "step 1: supporter", "+ h_s, h_u: supporter:", "call 10:"):
        assert words in told, words
    assert "- turn: 1" in told and "+ turn: 2" in told and "over" in told


def test_history_shows_one_state_and_one_call_whole(run: Run) -> None:
    folder, store = run
    state = emoharbor("history", str(folder), "en-001", "--step", "7", *store).stdout
    assert "h_s (4)" in state and "h_u (6)" in state and "wants_to_end" in state
    call = emoharbor("history", str(folder), "en-001", "--call", "2", *store).stdout
    assert "== call at step 2, thinker" in call and "-- reply" in call
    for flag, most in (("--step", "up to 13"), ("--call", "1 to 10")):
        refused = emoharbor("history", str(folder), "en-001", flag, "99", *store)
        assert refused.returncode == 2 and most in refused.stderr


def test_a_fork_is_a_run_that_names_its_parent(run: Run, tmp_path: Path) -> None:
    folder, store = run
    child = folder.with_name(f"{folder.name}-child")
    forked = emoharbor(
        "fork", str(folder), "--all", "--at-turn", "2", "--supporter", "new=scripted:echo",
        "--out", str(child), *store,
    )  # fmt: skip
    assert forked.returncode == 0, forked.stderr
    assert "2 dialogues go on from" in forked.stdout
    shown = emoharbor("history", str(child), "en-001", *store).stdout
    assert f"branch of {folder.name}: bot/en-001/0/" in shown and "step 8" in shown
    tree = emoharbor("history", str(folder), "en-001", *store).stdout
    assert "branched after step 8" in tree and "new/en-001/0" in tree
    replayed = emoharbor("replay", str(child), *store)
    assert replayed.returncode == 0 and "2 dialogues are what was recorded" in replayed.stdout
    compared = emoharbor("compare", str(folder), str(child), *store)
    assert compared.returncode == 0 and "bot -> new: 2 pairs" in compared.stdout
    twice = emoharbor("fork", str(folder), "--all", "--at-turn", "2", "--out", str(child), *store)
    assert twice.returncode == 2 and "holds a run already" in twice.stderr


def test_one_dialogue_is_forked_with_another_agent_and_an_edited_line(run: Run) -> None:
    folder, store = run
    child = folder.with_name(f"{folder.name}-edited")
    forked = emoharbor(
        "fork", str(folder), "en-002", "--at-turn", "1", "--set", "agents.thinker.use=none",
        "--set", "agents.thinker.model=null", "--set", "agents.thinker.prompt=null",
        "--edit", "user=I never said that.", "--out", str(child), *store,
    )  # fmt: skip
    assert forked.returncode == 2 and "takes no" in forked.stderr
    forked = emoharbor(
        "fork", str(folder), "en-002", "--at-turn", "1", "--set", "agents.talker.temperature=0.1",
        "--edit", "user=I never said that.", "--out", str(child), *store,
    )  # fmt: skip
    assert forked.returncode == 0, forked.stderr
    shown = emoharbor("show", str(child), "en-002", *store).stdout
    assert "[2] user: I never said that." in shown


@pytest.mark.parametrize(
    "args, words",
    [
        (("--at-turn", "1"), "name one DIALOGUE to fork, or --all"),
        (("--all",), "name one of the two"),
        (("--all", "--at-turn", "8"), "no dialogue can be forked there"),
        (("en-001", "--at-turn", "1", "--edit", "nonsense"), "supporter=TEXT"),
        (("nobody", "--at-turn", "1"), "has no dialogue 'nobody'"),
        (("en-001", "--at-turn", "1", "--set", "agents.talker.use=talkr"), "did you mean 'talker'"),
    ],
)
def test_mistakes_are_told_in_words(run: Run, args: tuple[str, ...], words: str) -> None:
    folder, store = run
    told = emoharbor("fork", str(folder), *args, *store)
    assert told.returncode == 2 and words in " ".join(told.stderr.split())


def test_replay_tells_what_differs(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    emoharbor("run", "emoharbor", *ECHO, "--limit", "1", "--out", str(folder))
    kept = json.loads((folder / "records.jsonl").read_text(encoding="utf-8"))
    kept["h_s"][0]["text"] = kept["h_u"][0]["text"] = "Changed."
    (folder / "records.jsonl").write_text(json.dumps(kept) + "\n", encoding="utf-8")
    told = emoharbor("replay", str(folder))
    assert told.returncode == 1
    assert "step 1, supporter: h_u was" in told.stdout and "1 differ" in told.stdout


def test_the_path_of_a_dialogue_is_drawn_with_what_each_node_did(run: Run) -> None:
    folder, store = run
    drawn = emoharbor("graph", str(folder), "en-001", *store).stdout
    assert drawn.count("3 visits · 3 calls") == 3 and "1 visit · 1 call" in drawn
    assert "bot/en-001/0/" in drawn and "(active)" not in drawn and "en-002" not in drawn
    watched = emoharbor("graph", str(folder), "en-001", "--watch", *store).stdout
    assert watched == drawn
    refused = emoharbor("graph", str(folder), "en-001", "--set", "max_turns=2", *store)
    assert refused.returncode == 2 and "no flag changes that" in refused.stderr


def test_a_failed_visit_stands_in_the_path(tmp_path: Path) -> None:
    (tmp_path / "falls.py").write_text(
        "async def talker(user):\n    raise ValueError('no words')\n", encoding="utf-8"
    )
    own = ("--set", "agents.talker={use: 'falls.py:talker'}", "--limit", "1", "--out", "run")
    assert emoharbor("run", "emoharbor", *ECHO, *own, cwd=tmp_path).returncode == 1
    drawn = emoharbor("graph", "run", "en-001", cwd=tmp_path).stdout
    assert "Talker (active)" in drawn and "1 failed visit" in drawn and "not visited" in drawn
    told = emoharbor("history", "run", "en-001", cwd=tmp_path).stdout
    assert "! talker stayed open" in told and "no words" in told


def test_a_live_dialogue_is_followed_to_its_end(tmp_path: Path) -> None:
    async def go() -> str:
        steady = Steady(pause=0.15)
        async with fake_openai(steady) as server:
            out = tmp_path / "run"
            args = run_args(server.url, out, "--limit", "1", repeats=1)
            process = await another_process(*args)
            while not (out / "calls.jsonl").exists() or not (out / "calls.jsonl").stat().st_size:
                await asyncio.sleep(0.05)
            seen = await another_process("graph", str(out), "en-001", "--watch")
            words, _ = await seen.communicate()
            await process.communicate()
            return words.decode()

    drawn = asyncio.run(go())
    assert drawn.count("● start") > 1 and "(active)" in drawn
    assert "(active)" not in drawn.split("● start")[-1] and "1 visit · 1 call" in drawn
