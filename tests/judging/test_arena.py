"""`arena`: who wins is known from the dialogues, and what is asked is asked once."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.here import emoharbor
from tests.served import lines_of
from tests.synthetic import synthetic_run

LONGEST = "scripted:tests.judging.scripts:longest"


def arena(*args: str, cwd: Path) -> list[dict[str, str]]:
    done = emoharbor("arena", *args, "--format", "csv", cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    table = done.stdout[done.stdout.index("a,b,") :].split("\n# ")[0]
    return list(csv.DictReader(io.StringIO(table)))


def two_runs(folder: Path) -> None:
    synthetic_run(folder / "short", {"bot": 3.0}, turns=(2, 2), profiles=8)
    synthetic_run(folder / "long", {"bot": 3.0}, turns=(4, 4), profiles=8, failed={"bot": 1})


def test_users_of_two_runs_are_paired_by_person_and_judged_in_both_orders(tmp_path: Path) -> None:
    two_runs(tmp_path)
    (row,) = arena("short", "long", "--model", LONGEST, "--out", "out", cwd=tmp_path)
    assert (row["a"], row["b"]) == ("short", "long")
    # One dialogue of the eight failed, and nobody is held against it.
    assert (row["wins"], row["ties"], row["losses"], row["contrary"]) == ("0", "0", "7", "0")
    assert row["rate"] == "0.0"
    records = lines_of(tmp_path / "out" / "records.jsonl")
    assert len(records) == 14 and len({r["key"] for r in records}) == 14
    assert sum(r["about"]["turned"] for r in records) == 7


def test_a_judge_who_prefers_what_comes_first_decides_nothing(tmp_path: Path) -> None:
    two_runs(tmp_path)
    model = "scripted:tests.judging.scripts:first"
    (row,) = arena("short", "long", "--model", model, "--out", "out", cwd=tmp_path)
    assert (row["wins"], row["ties"], row["losses"], row["contrary"]) == ("0", "7", "0", "7")
    told = " ".join(emoharbor("show", "out", cwd=tmp_path).stdout.split())
    assert "shown first was preferred at a rate of 1.00 [1.00, 1.00]" in told


def test_supporters_of_one_run_have_strengths(tmp_path: Path) -> None:
    synthetic_run(tmp_path / "run", dict.fromkeys("xyz", 3.0), turns=(2, 5), profiles=12)
    args = ("--question", "helpful", "--model", LONGEST, "--out", "out")
    assert len(arena("run", *args, cwd=tmp_path)) == 3
    told = emoharbor("show", "out", cwd=tmp_path).stdout
    assert "Strengths" in told and "Bradley-Terry" in told


def test_what_failed_is_asked_again_and_nothing_else(tmp_path: Path) -> None:
    two_runs(tmp_path)
    model = "scripted:tests.judging.scripts:flaky"
    args = ("arena", "short", "long", "--model", model, "--out", "out")
    done = emoharbor(*args, cwd=tmp_path)
    assert done.returncode == 1 and "1 questions failed" in done.stdout
    assert "13 answers, 1 failed" in " ".join(done.stdout.split())
    again = emoharbor("resume", "out", cwd=tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "13 of 14 questions are done already" in again.stdout
    calls = [c for c in lines_of(tmp_path / "out" / "calls.jsonl") if c["kind"] == "call"]
    assert len(calls) == 14
    state = emoharbor("runs", ".", cwd=tmp_path).stdout
    assert "14 of 14" in state


def test_another_question_does_not_go_into_the_same_folder(tmp_path: Path) -> None:
    two_runs(tmp_path)
    args = ("arena", "short", "long", "--model", LONGEST, "--out", "out")
    assert emoharbor(*args, cwd=tmp_path).returncode == 0
    done = emoharbor(*args, "--question", "helpful", cwd=tmp_path)
    assert done.returncode == 2 and "another configuration" in done.stderr
    done = emoharbor("run", "emoharbor", "--supporter", "scripted:echo", "--model",
                     "scripted:echo", "--out", "out", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 2 and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("short", "long", "--question", "humanlik"), "did you mean 'humanlike'?"),
        (("short",), "no two of the contestants (short) have talked with the same person"),
        (("short", "nothing"), "nothing holds no run"),
        (("short", "elsewhere/short"), "have the same name"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    two_runs(tmp_path)
    done = emoharbor("arena", *args, "--model", LONGEST, cwd=tmp_path)
    assert done.returncode == 2 and words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr and not (tmp_path / "runs").exists()


def test_no_key_is_kept(tmp_path: Path) -> None:
    two_runs(tmp_path)
    args = ("arena", "short", "long", "--model", LONGEST, "--out", "out")
    emoharbor(*args, cwd=tmp_path, OPENAI_API_KEY="sk-secret")
    kept = "".join(p.read_text(errors="ignore") for p in (tmp_path / "out").iterdir())
    assert "sk-secret" not in kept
    assert json.loads(kept[kept.index('{"format"') :].split("\n")[0])["models"] == {
        "judge": LONGEST
    }
