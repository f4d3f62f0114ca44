"""The command line as a person uses it: its words, its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.here import emoharbor
from tests.processes import ROOT, WIDTH

ECHO = ("--supporter", "bot=scripted:echo", "--model", "scripted:echo", "--turns", "2")


def alone(*args: str) -> subprocess.CompletedProcess[str]:
    """`emoharbor ARGS` in another process."""
    return subprocess.run(
        [sys.executable, "-m", "emoharbor.cli", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env={**os.environ, "COLUMNS": WIDTH, "PYTHONIOENCODING": "utf-8"},
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "run"
    more = ("--supporter", "two=scripted:echo", "--limit", "2", "--out", str(folder))
    done = emoharbor("run", "emoharbor", *ECHO, *more)
    assert done.returncode == 0, done.stderr
    assert "bot" in done.stdout and "two" in done.stdout and str(folder.name) in done.stdout
    assert "response_appropriateness" in done.stdout and "(2/0)" in done.stdout
    return folder


def test_the_same_command_finds_everything_done(finished: Path) -> None:
    more = ("--supporter", "two=scripted:echo", "--limit", "2", "--out", str(finished))
    done = emoharbor("run", "emoharbor", *ECHO, *more)
    assert done.returncode == 0 and "4 of 4 dialogues are done already" in done.stdout


def test_a_run_is_shown(finished: Path) -> None:
    shown = emoharbor("show", str(finished))
    assert shown.returncode == 0
    assert "bot/en-001/0" in shown.stdout and "exchange limit" in shown.stdout


def test_a_dialogue_is_shown_with_inner_states_and_reasons(finished: Path) -> None:
    shown = emoharbor("show", str(finished), "bot/en-001/0").stdout
    for words in ("[1] supporter:", "thinks ", "[2] user:", "ended in exchange 2", "Verdict"):
        assert words in shown


def test_the_exact_prompts_of_a_role_are_shown(finished: Path) -> None:
    shown = emoharbor("show", str(finished), "bot/en-001/0", "--prompts", "talker").stdout
    assert shown.count("== call at step") == 2
    assert "-- system" in shown and "wants_to_end" in shown and "-- reply" in shown


@pytest.mark.parametrize(
    "args, words",
    [
        (("run", "emoharbr"), "did you mean 'emoharbor'?"),
        (("run", "emoharbor"), "no supporter to evaluate"),
        (("run", "emoharbor", "--supporter", "openai:x"), "no model for the thinker"),
        (("run", "emoharbor", "--supporter", "opnai:x", "--model", "openai:x"), "opnai"),
        (("run", "emoharbor", *ECHO, "--profiles", "nobody.jsonl"), "no profiles 'nobody.jsonl'"),
        (("run", "emoharbor", *ECHO, "--set", "agents.talker.use=talkr"), "did you mean 'talker'"),
        (("run", "emoharbor", *ECHO, "--set", "agents.talker.temprature=1"), "'temprature'"),
        (("run", "emoharbor", *ECHO, "--set", "agents.evaluator.rubric=mine"), "no rubric 'mine'"),
        (("run", "emoharbor", *ECHO, "--profiles", "zh"), "--language zh"),
        (("show", "nowhere"), "holds no run"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    told = emoharbor(*args, cwd=tmp_path)
    said = " ".join(told.stderr.split())
    assert told.returncode == 2, told.stdout + told.stderr
    assert words in said and "Traceback" not in said


def test_an_unknown_dialogue_or_role_is_told(finished: Path) -> None:
    assert "nobody" in emoharbor("show", str(finished), "nobody").stderr
    assert "could be any of" in emoharbor("show", str(finished), "en-001").stderr
    told = emoharbor("show", str(finished), "bot/en-001/0", "--prompts", "talkr").stderr
    assert "did you mean 'talker'" in told


def test_dry_run_prints_the_plan_and_calls_nobody(tmp_path: Path) -> None:
    plan = emoharbor(
        "run", "emoharbor", "--supporter", "openai:a@http://127.0.0.1:9", "--model",
        "openai:b@http://127.0.0.1:9", "--dry-run", cwd=tmp_path,
    )  # fmt: skip
    assert plan.returncode == 0, plan.stderr
    assert "at most 460" in plan.stdout and "openai:b@http://127.0.0.1:9" in plan.stdout
    assert not list(tmp_path.iterdir())


def test_suites_and_help_and_version() -> None:
    assert "emoharbor_as_published" in emoharbor("suites").stdout
    assert "temperature: 0.1" in emoharbor("suites", "emoharbor").stdout
    assert "Examples" in emoharbor("run", "--help").stdout
    assert emoharbor("--version").stdout.strip()[0].isdigit()


def test_doctor_says_what_is_missing_and_what_to_do() -> None:
    told = emoharbor("doctor", "--model", "openai:x@http://127.0.0.1:9", OPENAI_API_KEY="sk-secret")
    assert told.returncode == 1 and "FAIL" in told.stdout and "refused" in told.stdout
    assert "langgraph" in told.stdout and "sk-secret" not in told.stdout + told.stderr


def test_another_process_says_the_same_without_colour_codes(finished: Path) -> None:
    for args in (("show", str(finished)), ("show", str(finished), "nobody")):
        here, there = emoharbor(*args), alone(*args)
        assert (there.returncode, there.stdout, there.stderr) == (
            here.returncode,
            here.stdout,
            here.stderr,
        )
        assert "\x1b[" not in there.stdout + there.stderr


def test_chinese_tables_line_up(tmp_path: Path) -> None:
    out = ("--language", "zh", "--limit", "1", "--out", str(tmp_path / "run"))
    assert emoharbor("run", "emoharbor", *ECHO, *out).returncode == 0
    shown = emoharbor("show", str(tmp_path / "run"), "zh-001").stdout
    widths = {cell_len(line) for line in shown.splitlines() if line.startswith("│")}
    assert len(widths) == 1
