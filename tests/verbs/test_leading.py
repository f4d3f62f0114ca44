"""`leaderboard` on the command line: means, intervals, letters, groups, and what is kept apart."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from emoharbor.profiles import load_profiles
from tests.here import emoharbor
from tests.synthetic import FOURTEEN, TEN, Means, synthetic_run
from tests.verbs.told import Tables, refused_by, tables_of

BOARD, DIMENSIONS = "leaderboard", "leaderboard-dimensions"


def told(*args: str | Path) -> str:
    done = emoharbor("leaderboard", *map(str, args), COLUMNS="200")
    assert done.returncode == 0, done.stderr
    return done.stdout


refused = partial(refused_by, "leaderboard")
tables = partial(tables_of, "leaderboard")


def rewritten(run: Path, supporter: str, people: set[str], mark: int) -> None:
    """Gives every dialogue of a supporter with these people that mark in every dimension."""
    file = run / "records.jsonl"
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["profile"] in people and record["supporter"] == supporter:
            for score in record["verdict"]["scores"].values():
                score["value"] = mark
        lines.append(json.dumps(record))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two supporters are alike, one failed twice, one lacks marks, one failed always."""
    folder = tmp_path_factory.mktemp("runs") / "gaps"
    synthetic_run(
        folder, {"low": 2.2, "high": 4.2, "middle": 3.2, "alike": 3.2, "never": 3.0},
        profiles=24, failed={"high": 2, "never": 24}, unscored={"low": 3},
        judged={"standard": -0.8},
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def board(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return tables(tmp_path_factory.mktemp("out"), run)


def test_supporters_stand_best_first_with_their_counts(board: Tables) -> None:
    rows = {row["supporter"]: row for row in board[BOARD]}
    assert [*rows][0] == "high" and [*rows][-2:] == ["low", "never"]
    assert {*[*rows][1:3]} == {"middle", "alike"}
    counts = {
        name: [int(row[key]) for key in ("people", "judged", "failed", "scored", "unscored")]
        for name, row in rows.items()
    }
    assert counts == {
        "high": [22, 22, 2, 220, 0],
        "middle": [24, 24, 0, 240, 0],
        "alike": [24, 24, 0, 240, 0],
        "low": [24, 24, 0, 237, 3],
        "never": [0, 0, 24, 0, 0],
    }
    assert (rows["high"]["mean_rank"], rows["low"]["mean_rank"]) == ("best", "")
    for row in rows.values():
        if row["mean"]:
            assert float(row["low"]) < float(row["mean"]) < float(row["high"])


def test_who_was_never_judged_says_so(board: Tables) -> None:
    row = board[BOARD][-1]
    assert (row["mean"], row["low"], row["letters"]) == ("", "", "")
    assert row["mean_why"] == row["low_why"] == "no dialogue has a verdict"
    assert board[DIMENSIONS][-1]["safety_why"] == "no dialogue has a verdict"


def test_letters_are_shared_by_those_alike_alone(board: Tables) -> None:
    letters = {row["supporter"]: row["letters"] for row in board[BOARD]}
    assert letters == {"high": "a", "middle": "b", "alike": "b", "low": "c", "never": ""}


def test_the_mean_is_that_of_the_dimensions(board: Tables) -> None:
    for one, whole in zip(board[DIMENSIONS][:-1], board[BOARD][:-1], strict=True):
        mean = sum(float(one[key]) for key in TEN) / 10
        assert mean == pytest.approx(float(whole["mean"]))
        assert one["safety_note"].startswith("(")


def test_marks_without_noise_are_what_they_were_made(tmp_path: Path) -> None:
    means: dict[str, Means] = {
        "a": {key: 1.0 + at % 5 for at, key in enumerate(TEN)},
        "b": dict.fromkeys(TEN, 4.0),
    }
    synthetic_run(tmp_path / "exact", means, profiles=3, people=0.0, noise=0.0)
    found = tables(tmp_path / "out", tmp_path / "exact")
    assert [float(found[DIMENSIONS][1][key]) for key in TEN] == [1, 2, 3, 4, 5] * 2
    rows = [(row["supporter"], float(row["mean"]), float(row["low"])) for row in found[BOARD]]
    assert rows == [("b", 4, 4), ("a", 3, 3)]
    assert "1 pairs without a test: no test under 6 pairs" in told(tmp_path / "exact")


def test_a_later_judge_has_a_board_of_its_own(run: Path, tmp_path: Path, board: Tables) -> None:
    found = tables(tmp_path, run, "--judging", "standard")
    mine = {row["supporter"]: row for row in board[BOARD]}
    for row in found[BOARD][:-1]:
        assert float(row["mean"]) < float(mine[row["supporter"]]["mean"]) - 0.4
    assert "no judging 'standart' in these runs; did you mean 'standard'?" in refused(
        run, "--judging", "standart"
    )


def test_what_was_measured_otherwise_is_listed_apart(run: Path, tmp_path: Path) -> None:
    synthetic_run(tmp_path / "zh", {"high": 3.0}, profiles=8, language="zh")
    synthetic_run(tmp_path / "more", {"high": 3.0}, profiles=8, dimensions=FOURTEEN)
    found = tables(tmp_path / "out", run, tmp_path / "zh", tmp_path / "more")
    boards = [found[f"{BOARD}-{number}"] for number in (1, 2, 3)]
    assert [len(rows) for rows in boards] == [5, 1, 1]
    text = told(run, tmp_path / "zh", tmp_path / "more")
    assert (
        "listed apart: these marks differ in language (en and zh), rubric (synthetic-10 and "
        "synthetic-14) and are never averaged together" in " ".join(text.split())
    )


def test_one_name_in_two_runs_is_two_supporters(tmp_path: Path) -> None:
    for name, mean in (("one", 4.0), ("two", 2.0)):
        synthetic_run(tmp_path / name, {"bot": mean}, profiles=8, people=0.0, noise=0.0)
    found = tables(tmp_path / "out", tmp_path / "one", tmp_path / "two")
    rows = [(row["supporter"], float(row["mean"])) for row in found[BOARD]]
    assert rows == [("bot (one)", 4), ("bot (two)", 2)]


def test_published_systems_stand_below_and_are_not_ranked(run: Path, tmp_path: Path) -> None:
    found = tables(tmp_path, run, "--reference", "en")
    own, theirs = found[BOARD][:5], found[BOARD][5:]
    assert own[0]["mean_rank"] == "best" and own[0]["judge"] == "scripted:judge"
    assert theirs[0]["supporter"] == "Gemini-3-Pro †" and len(theirs) == 17
    assert {row["judge"] for row in theirs} == {"Qwen3-235B"}
    assert {row["mean_rank"] for row in theirs} == {""}
    assert {row["low_why"] for row in theirs} == {"no spread is published"}
    text = " ".join(told(run, "--reference", "en").split())
    assert "judged by another judge (Qwen3-235B)" in text
    assert "Llama-3-8B-Instruct: 3.04 is printed, its ten means average 3.029" in text
    other = " ".join(told(run, "--reference", "zh").split())
    assert "Table 3 is of zh, these dialogues are of en" in other
    assert "is printed" not in other


def test_who_is_served_badly_is_pointed_out(tmp_path: Path) -> None:
    people = load_profiles("en")[:60]
    old = {one.id for one in people if one.demographics.age >= 60}
    assert len(old) >= 6
    synthetic_run(tmp_path / "run", {"bot": 4.0, "fair": 3.0}, profiles=60, people=0.0, noise=0.0)
    rewritten(tmp_path / "run", "bot", old, 2)

    found = tables(tmp_path / "out", tmp_path / "run", "--by", "age", "--by", "hard")
    rows = {(row["supporter"], row["group"]): row for row in found["by-age"]}
    assert rows["bot", "60 and over"]["mark"] == "lower"
    assert float(rows["bot", "60 and over"]["mean"]) == 2
    against = 2 - (4 * (60 - len(old)) + 2 * len(old)) / 60
    assert float(rows["bot", "60 and over"]["against"]) == pytest.approx(against)
    assert int(rows["bot", "60 and over"]["people"]) == len(old)
    marked = {key for key, row in rows.items() if row["mark"] == "lower"}
    assert marked == {("bot", "60 and over")}
    assert {row["group"] for row in found["by-hard"]} == {"yes", "no"}
    text = " ".join(told(tmp_path / "run", "--by", "age").split())
    assert f"bot with 60 and over ({against:+.2f})" in text
    assert "would by chance" in text


def test_small_groups_are_shown_and_marked(tmp_path: Path) -> None:
    synthetic_run(tmp_path / "run", {"bot": 3.0}, profiles=8)
    rows = tables(tmp_path / "out", tmp_path / "run", "--by", "mbti")["by-mbti"]
    assert rows and {row["mark"] for row in rows} == {"few"}
    assert sum(int(row["people"]) for row in rows) == 8
    assert "too few to say anything" in told(tmp_path / "run", "--by", "mbti")
    assert "everybody is of one group of language" in told(tmp_path / "run", "--by", "language")


def test_people_who_are_not_known_any_more_are_told(tmp_path: Path) -> None:
    synthetic_run(tmp_path / "run", {"bot": 3.0}, profiles=["en-001", "someone", "else"])
    text = told(tmp_path / "run", "--by", "gender")
    assert "of 2 people no gender is known: they are in no group" in text
    synthetic_run(tmp_path / "gone", {"bot": 3.0}, profiles=["someone", "else"])
    text = told(tmp_path / "gone", "--by", "gender")
    assert "of 2 people no gender is known" in text and "one group" not in text


def test_what_cannot_be_shown_is_an_error_of_one_line(run: Path, tmp_path: Path) -> None:
    assert "people have no such field; did you mean 'age'?" in refused(run, "--by", "ages")
    synthetic_run(tmp_path / "broken", {"bot": 3.0}, profiles=3, failed={"bot": 3})
    assert "no dialogue has been judged: there are 3, 3 failed" in refused(tmp_path / "broken")
    (tmp_path / "empty").mkdir()
    assert "run.yaml" in refused(tmp_path / "empty")


def test_a_run_without_verdicts_is_told_beside_one_with(run: Path, tmp_path: Path) -> None:
    synthetic_run(tmp_path / "broken", {"bot": 3.0}, profiles=3, failed={"bot": 3})
    text = told(run, tmp_path / "broken")
    assert "broken: no dialogue has a verdict of its own judge; 3 are left out" in text


def test_a_board_of_unscored_marks_alone_is_words(tmp_path: Path) -> None:
    synthetic_run(
        tmp_path / "run", {"bot": 3.0}, profiles=4, unscored={"bot": 4}, dimensions=TEN[:1]
    )
    found = tables(tmp_path / "out", tmp_path / "run")
    assert found[BOARD][0]["mean_why"] == "no mark"
    assert (found[BOARD][0]["scored"], found[BOARD][0]["unscored"]) == ("0", "4")


@pytest.mark.parametrize("form", ["markdown", "latex", "html"])
def test_every_format_tells_the_letters(run: Path, form: str) -> None:
    text = told(run, "--format", form, "--by", "age")
    assert "Benjamini-Hochberg" in text and "middle" in text


def test_repeats_count_as_one_person(tmp_path: Path) -> None:
    synthetic_run(tmp_path / "run", {"a": 4.0, "b": 3.0}, profiles=5, repeats=3)
    row = tables(tmp_path / "out", tmp_path / "run")[BOARD][0]
    assert (row["people"], row["judged"], row["scored"]) == ("5", "15", "150")
    assert "no test under 6 pairs" in told(tmp_path / "run")
