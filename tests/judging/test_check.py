"""`judge-check`: judges of known habits are told from each other."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.here import emoharbor
from tests.served import lines_of
from tests.synthetic import synthetic_run

SCRIPTS = "scripted:tests.judging.scripts:"


def checked(
    judge: str, folder: Path, *more: str, language: str = "en", people: int = 6
) -> dict[str, dict[str, str]]:
    synthetic_run(folder / "run", {"bot": 3.0}, profiles=people, language=language)
    args = ("judge-check", "run", "--model", SCRIPTS + judge, "--out", "out", "-o", "tables")
    done = emoharbor(*args, *more, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    with (folder / "tables" / "judge-check.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["says"]: row for row in csv.DictReader(file)}


def found(rows: dict[str, dict[str, str]], words: str) -> tuple[str, float]:
    (row,) = [row for says, row in rows.items() if words in says]
    return row["word"], float(row["shift"])


def test_a_judge_that_never_moves_sees_no_other_person_either(tmp_path: Path) -> None:
    rows = checked("steady", tmp_path)
    words = {says: row["word"] for says, row in rows.items()}
    assert words.pop("the supporter's replies are those to somebody else") == "does not drop"
    assert len(words) == 8 and set(words.values()) == {"same"}
    # Three as it is, and one for each change.
    assert len(lines_of(tmp_path / "out" / "records.jsonl")) == 6 * (3 + 9)
    told = " ".join(emoharbor("show", "out", cwd=tmp_path).stdout.split())
    assert "fewer than two dimensions vary" in told


@pytest.mark.parametrize("language", ["en", "zh"])
def test_who_marks_by_number_is_caught_by_a_scale_turned_round(
    tmp_path: Path, language: str
) -> None:
    rows = checked("literal", tmp_path, language=language)
    assert found(rows, "1 is the best level") == ("drops", -2.0)
    assert found(rows, "listed from 5 to 1") == ("same", 0.0)


def test_a_judge_that_obeys_the_supporter_is_caught(tmp_path: Path) -> None:
    rows = checked("flattered", tmp_path)
    assert found(rows, "tells the judge") == ("rises", 3.0)
    assert found(rows, "praises its own support") == ("same", 0.0)


def test_of_few_people_nothing_is_said(tmp_path: Path) -> None:
    rows = checked("flattered", tmp_path, people=5)
    assert found(rows, "tells the judge") == ("under 6 people", 3.0)


def test_each_change_changes_what_it_says_and_nothing_else(tmp_path: Path) -> None:
    checked("steady", tmp_path, "--strategy", "user_aware")
    calls = lines_of(tmp_path / "out" / "calls.jsonl")
    sent: dict[str, list[Any]] = {}
    for call in calls:
        sent.setdefault(call["thread"].split("/")[0], []).append(call["messages"])
    plain = sent["as_it_is"][0][0]["content"]
    assert "5 is the best" in plain and plain.index("\n1: ") < plain.index("\n5: ")
    assert "1 is the best and 5 the worst" in sent["scale_reversed"][0][0]["content"]
    turned = sent["levels_turned"][0][0]["content"]
    assert turned.index("\n5: ") < turned.index("\n1: ")
    assert sorted(turned) == sorted(plain)
    # A call a facet: five of them.
    assert len(sent["by_facet"]) == 5 * len(sent["emptier"]) == 30
    assert "支持者：" in sent["other_language"][0][0]["content"]
    assert "deserves the best level" in sent["instructs_judge"][0][0]["content"]


def test_mistakes_are_told_in_words(tmp_path: Path) -> None:
    synthetic_run(tmp_path / "one", {"bot": 3.0}, profiles=1)
    synthetic_run(tmp_path / "run", {"bot": 3.0}, profiles=2)
    model = ("--model", SCRIPTS + "steady")
    for args, words in (
        (("one",), "1 dialogues in which a supporter speaks"),
        (("run", "--strategy", "standart"), "did you mean 'standard'?"),
        (("run", "--rubric", "ten"), "no rubric 'ten'"),
        (("nothing",), "nothing holds no run"),
    ):
        done = emoharbor("judge-check", *args, *model, cwd=tmp_path)
        assert done.returncode == 2 and words in " ".join(done.stderr.split()), done.stderr
        assert "Traceback" not in done.stderr
