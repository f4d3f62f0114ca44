"""What a verb imports: help, completion and reading come without the libraries of a run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.small_runs import echo_run

HEAVY = {
    "aiohttp",
    "httpx",
    "langchain_core",
    "langchain_openai",
    "langgraph",
    "langsmith",
    "numpy",
    "openai",
    "pandas",
    "redis",
    "scipy",
}
MAIN = "import sys; sys.argv[0] = 'emoharbor'; from emoharbor.cli import main; main()"


def imported(*args: str, says: str, **env: str) -> set[str]:
    """The packages that `emoharbor ARGS` imports; `says` must stand in what it prints."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", MAIN, *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120", **env},
    )
    assert done.returncode == 0 and says in done.stdout, done.stdout + done.stderr[-2000:]
    lines = (line.rpartition("|") for line in done.stderr.splitlines() if "|" in line)
    return {name.strip().split(".")[0] for _, _, name in lines}


def heavy(*args: str, says: str, **env: str) -> set[str]:
    found = imported(*args, says=says, **env)
    assert "typer" in found
    return HEAVY & found


@pytest.mark.parametrize(
    "args, says",
    [
        (("--help",), "suites"),
        (("run", "--help"), "--supporter"),
        (("suites",), "emoharbor_as_published"),
        (("suites", "emoharbor"), "temperature: 0.1"),
    ],
)
def test_help_and_suites_import_nothing_heavy(args: tuple[str, ...], says: str) -> None:
    assert not heavy(*args, says=says)


def test_completion_imports_nothing_heavy() -> None:
    typed = {"COMP_WORDS": "emoharbor sh", "COMP_CWORD": "1"}
    assert not heavy(says="show", _EMOHARBOR_COMPLETE="complete_bash", **typed)


def test_reading_a_run_imports_nothing_that_runs_one(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "done").path
    assert not heavy("show", str(run), says="response_appropriateness")
    assert not heavy("show", str(run), "bot/en-001/0", says="ended in exchange")
    assert not heavy("runs", str(tmp_path), says="finished")
