"""`turns` from the command line."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.here import emoharbor
from tests.synthetic import synthetic_run


def test_turns_prints_its_tables_and_writes_them(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "a", {"x": 3.0, "y": 3.0}, profiles=8)
    told = emoharbor("turns", str(run.path))
    assert told.returncode == 0, told.stderr
    for title in ("How long users stay", "Marks by exchange", "Inner states", "Turning points"):
        assert title in told.stdout
    assert "share no letter" in told.stdout
    out = tmp_path / "tables"
    assert emoharbor("turns", str(run.path), "-o", str(out)).returncode == 0
    names = {"survival", "survival-by-exchange", "survival-pairs", "dimensions-by-turn"}
    names |= {"states-by-turn", "emotions", "turning-points"}
    assert {file.stem for file in out.iterdir()} == names
    with (out / "survival.csv").open(encoding="utf-8-sig") as file:
        assert {row["system"] for row in csv.DictReader(file)} == {"x", "y"}


def test_the_event_the_censoring_and_the_seed_are_told(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=8)
    told = emoharbor(
        "turns", str(run.path), "--event", "satisfied", "--censor", "cap", "--seed", "7",
        "--top", "1", "--format", "markdown",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert "the event: user_satisfied (--event)" in told.stdout
    assert "at the cap, as users who will not leave any more" in told.stdout
    assert "seed 7" in told.stdout
    assert "share no letter" not in told.stdout, "one supporter differs from nobody"
    points = told.stdout.partition("**Turning points**")[2]
    assert points.count("| x ") == 1


def test_what_there_is_not_is_told_in_a_line(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=2)
    for args, says in (
        (("--event", "satisfeid"), "did you mean 'satisfied'?"),
        (("--judging", "me"), "no prefixes are judged so"),
    ):
        told = emoharbor("turns", str(run.path), *args)
        assert told.returncode == 2 and says in told.stderr and "Traceback" not in told.stderr
    told = emoharbor("turns", str(tmp_path / "none"))
    assert told.returncode == 2 and "holds no run" in told.stderr
