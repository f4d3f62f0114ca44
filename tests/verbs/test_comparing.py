"""`compare` on the command line: two arms, two judges, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.here import emoharbor
from tests.synthetic import FOURTEEN, synthetic_run

MEANS = {"low": 2.2, "same": 2.2, "high": 3.9}


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two arms over the same 40 people; in the second everybody is half a mark lower."""
    folder = tmp_path_factory.mktemp("arms")
    average = {name: mean + 0.5 for name, mean in MEANS.items()}
    synthetic_run(
        folder / "average", average, profiles=40, turns=(8, 14), states=None, seed=1,
        failed={"high": 2}, dimensions=FOURTEEN,
    )  # fmt: skip
    synthetic_run(
        folder / "worst", MEANS, profiles=40, turns=(3, 9), states="emotion", seed=2,
        unscored={"low": 3}, dimensions=FOURTEEN, judged={"standard": 0.8},
    )  # fmt: skip
    return folder


def told(*args: str | Path, columns: str = "100") -> str:
    done = emoharbor("compare", *map(str, args), COLUMNS=columns)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(*args: str | Path) -> str:
    done = emoharbor("compare", *map(str, args))
    assert done.returncode == 2, done.stdout
    return " ".join(done.stderr.split())


def sheets(where: Path, *args: str | Path) -> dict[str, list[dict[str, str]]]:
    """Every table as rows, from the files that `-o FOLDER` writes."""
    told(*args, "-o", where)
    return {
        file.stem: list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
        for file in where.glob("*.csv")
    }


@pytest.fixture(scope="module")
def tables(arms: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    return sheets(tmp_path_factory.mktemp("out"), arms / "average", arms / "worst")


def test_known_differences_come_out(tables: dict[str, list[dict[str, str]]]) -> None:
    rows = {(row["supporter"], row["dimension"]): row for row in tables["differences"]}
    assert len(rows) == 3 * 15
    for name in MEANS:
        row = rows[name, "mean"]
        assert float(row["low"]) < -0.4 and float(row["high"]) > -0.6
        assert float(row["difference"]) == pytest.approx(-0.5, abs=0.1) and float(row["q"]) < 0.001
    assert (rows["high", "RA"]["n"], rows["low", "AGS"]["n"]) == ("38", "37")
    assert rows["low", "AGS"]["unscored"] == "3" and rows["low", "RA"]["unscored"] == "0"
    # Correction makes no p smaller.
    assert all(float(row["q"]) >= float(row["p"]) for row in rows.values())


def test_letters_part_those_who_differ_and_only_them(
    tables: dict[str, list[dict[str, str]]],
) -> None:
    rows = {row["dimension"]: row for row in tables["arms"]}
    assert list(rows) == [
        *("RA AS RD CS SF HL EG EP PR MI DEU GE BES AGS mean".split()), "scored", "unscored",
        "failed",
    ]  # fmt: skip
    for row in list(rows.values())[:15]:
        assert (row["high_note"], row["low_note"], row["same_note"]) == ("a", "b", "b")
        assert row["high_rank"] == "best"
    mean = rows["mean"]
    assert float(mean["high"]) == pytest.approx(3.9, abs=0.1)
    assert float(mean["high_change"]) == pytest.approx(3.9 / 4.4 - 1, abs=0.02)
    assert float(mean["low_change"]) == pytest.approx(2.2 / 2.7 - 1, abs=0.03)
    assert (rows["scored"]["low"], rows["unscored"]["low"], rows["failed"]["low"]) == (
        "37", "3", "0",
    )  # fmt: skip


def test_length_endings_and_feelings_stand_beside_the_marks(
    tables: dict[str, list[dict[str, str]]],
) -> None:
    endings = {(row["supporter"], row["side"]): row for row in tables["endings"]}
    assert endings["high", "average"]["failed"] == "2"
    for (_, arm), row in endings.items():
        assert float(row["exchanges"]) == pytest.approx(11 if arm == "average" else 6, abs=1)
        reasons = ("user_satisfied", "user_gave_up", "user_left", "max_turns")
        assert sum(int(row[key]) for key in reasons) == 40 - int(row["failed"])
    length = {row["supporter"]: row for row in tables["length"]}
    assert list(length) == ["low", "same", "high", "all"]
    # Marks do not depend on length here: the difference stays.
    assert float(length["all"]["low"]) < -0.5 < float(length["all"]["high"])
    assert float(length["all"]["slope"]) == pytest.approx(0, abs=0.03)
    feelings = {(row["supporter"], row["side"]): row for row in tables["feelings"]}
    assert feelings["low", "average"]["kind"] == "none" and not feelings["low", "average"]["level"]
    assert "average: no inner state" in feelings["low", "average"]["level_why"]
    worst = feelings["low", "worst"]
    assert worst["n"] == "40" and 1 <= float(worst["level"]) <= 5
    assert 0 <= float(worst["recovered"]) <= 1 and int(worst["risen"]) <= 40


def test_a_hundred_columns_are_enough_and_the_families_are_named(arms: Path) -> None:
    text = told(arms / "average", arms / "worst")
    assert max(map(cell_len, text.splitlines())) <= 100
    flat = " ".join(text.split())
    assert "3 pairs of supporters x 14 dimensions, 42 tested, 28 differ" in flat
    assert "family of its own: 3 pairs, 3 tested, 2 differ" in flat
    assert "one family of the 42 tests of 3 supporters x 14 dimensions" in flat
    assert "high: 40 pairs, 2 of them without a verdict" in flat
    assert "seed 0" in flat
    other = told(arms / "average", arms / "worst", "--seed", "5")
    assert "seed 5" in other and other.split("Dialogues:")[0] == text.split("Dialogues:")[0]


@pytest.mark.parametrize(
    "form, words",
    [
        ("csv", "# Paired differences: worst - average"),
        ("markdown", "**3.9"),
        ("latex", r"\begin{tabular}{lrrrrrr}"),
        ("html", '<span class="best">3.9'),
    ],
)
def test_every_format_tells_every_table(arms: Path, form: str, words: str) -> None:
    text = told(arms / "average", arms / "worst", "--format", form)
    assert words in text
    for title in ("Paired differences", "Dialogues: how long", "same length", "How those who"):
        assert title in text


def test_many_supporters_go_down_and_dimensions_in_blocks(tmp_path: Path) -> None:
    many = {f"system-{n:02d}": 1.5 + 0.2 * n for n in range(16)}
    many["心理支持助手"] = 4.6
    for name, seed in (("average", 1), ("worst", 2)):
        synthetic_run(tmp_path / name, many, profiles=8, dimensions=FOURTEEN, seed=seed)
    text = told(tmp_path / "average", tmp_path / "worst")
    head = text.partition("judged on both")[0]
    assert head.count("心理支持助手") >= 4 and max(map(cell_len, head.splitlines())) <= 100
    lines = [line for line in head.splitlines() if line.startswith((" system-15", " 心理"))][:2]
    ends = [cell_len(line.partition(".")[0]) for line in lines]
    assert ends[0] == ends[1], lines


def test_two_judges_of_a_run_are_compared(arms: Path, tmp_path: Path) -> None:
    worst = arms / "worst"
    found = sheets(tmp_path / "out", worst, f"{worst}@standard", "--dimension", "EP")
    assert set(found) == {"arms", "differences", "endings"}
    [low, *_] = found["differences"]
    assert (low["dimension"], low["n"]) == ("EP", "40")
    assert float(low["difference"]) == pytest.approx(0.8, abs=0.3)
    text = " ".join(told(worst, f"{worst}@standard", "--dimension", "empathetic").split())
    assert "worst@standard - worst" in text and "the judges differ" in text
    assert "internal_state_aware" in text and "standard, synthetic-14" in text
    # A folder's own name may hold an @.
    (tmp_path / "a@b").symlink_to(worst)
    assert "a@b beside average" in told(arms / "average", tmp_path / "a@b")


def test_a_later_judge_is_not_blamed_for_what_the_first_failed_at(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "run", {"bot": 3.0}, profiles=7, judged={"other": 0.5})
    lines = [json.loads(line) for line in run.records_file.read_text("utf-8").splitlines()]
    lines[0]["verdict"] = None
    lines[0]["failure"] = {
        "error": "VerdictError", "cause": None, "message": "no verdict", "node": "evaluator",
        "turn": 4,
    }  # fmt: skip
    run.records_file.write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
    found = sheets(tmp_path / "out", run.path, f"{run.path}@other")
    counts = {row["side"]: (row["scored"], row["failed"]) for row in found["endings"]}
    assert counts == {"run": ("6", "1"), "run@other": ("7", "0")}
    assert {row["n"] for row in found["differences"]} == {"6"}


def test_few_people_are_not_tested_and_one_supporter_has_no_letters(tmp_path: Path) -> None:
    for name, seed in (("a", 1), ("b", 2)):
        synthetic_run(tmp_path / name, {"bot": 3.0}, profiles=4, seed=seed)
    found = sheets(tmp_path / "out", tmp_path / "a", tmp_path / "b")
    assert all(row["p"] == "" and "under 6" in row["p_why"] for row in found["differences"])
    assert all("bot_note" not in row for row in found["arms"])
    assert "no regression under 6 people" in found["length"][0]["adjusted_why"]
    assert "nan" not in told(tmp_path / "a", tmp_path / "b").lower()


def test_supporters_of_other_names_are_paired_by_hand(tmp_path: Path) -> None:
    synthetic_run(tmp_path / "a", {"old": 2.5, "kept": 3.0}, profiles=8, repeats=2)
    synthetic_run(tmp_path / "b", {"new": 3.5, "kept": 3.0}, profiles=10, repeats=2, seed=1)
    found = sheets(tmp_path / "out", tmp_path / "a", tmp_path / "b", "--pair", "old=new")
    assert "arms" not in found
    assert {row["supporter"] for row in found["differences"]} == {"old -> new"}
    assert {row["n"] for row in found["differences"]} == {"8"}
    assert {row["dialogues"] for row in found["endings"]} == {"16", "20"}
    text = told(tmp_path / "a", tmp_path / "b", "--pair", "old=new")
    assert "old -> new: 8 pairs, 2 people without a partner" in text


def test_mistakes_are_told_in_words(arms: Path, tmp_path: Path) -> None:
    average, worst = arms / "average", arms / "worst"
    assert "did you mean 'empathetic'" in refused(average, worst, "--dimension", "empathic")
    assert "no supporter 'hihg'; did you mean 'high'" in refused(
        average, worst, "--pair", "hihg=high"
    )
    assert "FIRST=SECOND is wanted" in refused(average, worst, "--pair", "high")
    assert "'high' is compared with 'low' already" in refused(
        average, worst, "--pair", "high=low", "--pair", "high=same"
    )
    assert "are the same" in refused(average, average)
    assert "no judging 'standrad'; did you mean 'standard'" in refused(worst, f"{worst}@standrad")
    assert "holds no run" in refused(worst, tmp_path / "nothing")
    assert "later judges are kept in a run's folder" in refused(
        "worst", "worst@standard", "--store", "redis://127.0.0.1:1/0"
    )
    synthetic_run(tmp_path / "care", {"high": 3.0}, profiles=4, dimensions=["care"])
    assert "no dimension in common" in refused(worst, tmp_path / "care")
    synthetic_run(tmp_path / "others", {"high": 3.0}, profiles=["en-099", "en-100"])
    assert "nobody was met on both sides" in refused(worst, tmp_path / "others")
    synthetic_run(tmp_path / "named", {"b1": 3.0, "b2": 3.0}, profiles=4)
    assert "name a pair with --pair" in refused(worst, tmp_path / "named")


def test_runs_nobody_has_judged_are_told_without_marks(arms: Path, tmp_path: Path) -> None:
    for name in ("average", "worst"):
        run = synthetic_run(tmp_path / name, {"bot": 3.0}, profiles=5, states="appraisal")
        lines = [json.loads(line) for line in run.records_file.read_text("utf-8").splitlines()]
        origin = {"format": "chat", "where": "chat.jsonl"}
        bare = [{**line, "verdict": None, "imported": origin} for line in lines]
        run.records_file.write_text("".join(json.dumps(x) + "\n" for x in bare), encoding="utf-8")
    found = sheets(tmp_path / "out", tmp_path / "average", tmp_path / "worst")
    assert set(found) == {"endings", "feelings"}
    assert {row["unjudged"] for row in found["endings"]} == {"5"}
    # Five people give a mean, and no interval.
    assert all(row["exchanges"] and "exchanges_note" not in row for row in found["endings"])
    assert {row["kind"] for row in found["feelings"]} == {"appraisal"}
    text = told(tmp_path / "average", tmp_path / "worst")
    assert "there is no verdict on either side" in text
    half = told(arms / "worst", tmp_path / "worst", "--pair", "low=bot")
    assert "Paired differences" not in half and "by nobody in" in " ".join(half.split())
