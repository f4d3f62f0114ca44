"""What people marked in dialogues of other projects becomes one long table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from emoharbor.imports import bring
from emoharbor.ratings import Rating, read_ratings
from emoharbor.runs.folder import open_run
from tests.here import emoharbor
from tests.imports.foreign_dialogues import ESCONV as PLAIN
from tests.imports.foreign_dialogues import write_json
from tests.imports.foreign_marks import ESCONV, FORM, RATERS, mindeval_file


def of(ratings: tuple[Rating, ...], dimension: str) -> list[tuple[str, float | None, str]]:
    return [(r.rater_id, r.score, r.missing) for r in ratings if r.dimension == dimension]


def test_mindeval_becomes_a_run_and_a_table_of_the_same_items(tmp_path: Path) -> None:
    source, run, table = mindeval_file(tmp_path), tmp_path / "run", tmp_path / "marks.csv"
    done = emoharbor("import", "mindeval", str(source), "-o", str(run), "--ratings", str(table))
    assert done.returncode == 0, done.stderr
    assert "4 dialogues in" in done.stdout and "32 marks of 4 dialogues by 3 raters" in done.stdout
    assert "missing: 1 (0, taken as not applicable)" in done.stdout
    records, ratings = open_run(run).records(), read_ratings(table)
    names = {"/".join(map(str, one.cell)) for one in records.values()}
    assert {one.item_id for one in ratings} == names
    people = {one.profile for one in records.values()}
    assert len(people) == 2 and {one.profile_id for one in ratings} == people
    assert {one.supporter for one in records.values()} == {"maker-model-0", "maker-model-1"}
    one = next(iter(records.values()))
    assert one.h_s[0].role == "supporter" and one.imported
    assert one.imported.format == "mindeval" and "Name: Ida" in one.imported.person[0]


def test_mindeval_s_quirks_are_told(tmp_path: Path) -> None:
    ratings = bring(mindeval_file(tmp_path), "mindeval").ratings
    assert {(r.scale_min, r.scale_max, r.rater_kind) for r in ratings} == {(1, 6, "human")}
    second = of(ratings, "criterion_2")
    assert second[0] == ("r-a", None, "0, taken as not applicable")
    assert second[4] == ("r-b", None, "left empty")
    assert second[8] == ("r-c", None, "9 is no mark from 1 to 6")
    assert of(ratings, "criterion_1")[10] == ("r-b", None, "draft, not submitted")
    # Its users are not named; those of the other criteria are.
    assert [rater for rater, _, _ in of(ratings, "criterion_11")] == [*RATERS] * 4


def test_raters_that_cannot_be_told_are_nobody_else(tmp_path: Path) -> None:
    ratings = bring(mindeval_file(tmp_path, users=False), "mindeval").ratings
    raters = [rater for rater, _, _ in of(ratings, "criterion_11")]
    assert len(set(raters)) == 12 and raters[0] == "unnamed 1 of d0"


def test_esconv_s_surveys_and_feedback_are_marks(tmp_path: Path) -> None:
    source = write_json(tmp_path / "ESConv.json", ESCONV)
    ratings = bring(source, "esconv").ratings
    assert Counter(r.dimension for r in ratings) == Counter(
        {
            "initial_emotion_intensity": 1, "empathy": 1, "relevance": 1,
            "final_emotion_intensity": 1, "relevance_of_seeker": 1, "feedback": 2,
        }
    )  # fmt: skip
    seeker = "seeker of people/ESConv-1/0"
    assert of(ratings, "feedback") == [(seeker, 3, ""), (seeker, 5, "")]
    assert [r.sample for r in ratings if r.dimension == "feedback"] == [0, 1]
    assert of(ratings, "relevance") == [(seeker, None, "left empty")]
    supporter = "supporter of people/ESConv-1/0"
    assert of(ratings, "relevance_of_seeker") == [(supporter, None, "'7' is no mark from 1 to 5")]


def test_a_form_has_a_column_a_dimension(tmp_path: Path) -> None:
    form, table = tmp_path / "form.csv", tmp_path / "marks.jsonl"
    form.write_text(FORM.replace("专家", "expert"), encoding="utf-8")
    done = emoharbor("import", "form", str(form), "--ratings", str(table))
    assert done.returncode == 0, done.stderr
    assert "Columns not read: notes" in done.stdout
    assert "8 marks of 3 dialogues by 2 raters" in done.stdout
    assert "missing: 1 (left empty)" in done.stdout
    first, *_ = ratings = read_ratings(table)
    assert (first.item_id, first.rater_id, first.rater_kind) == ("Doubao/p1/0", "E1", "expert")
    assert (first.profile_id, first.model, first.score) == ("p1", "Doubao", 4)
    assert {r.dimension for r in ratings} == {
        "response_appropriateness",
        "mood_improvement",
        "safety",
    }


def test_a_form_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    form, table = tmp_path / "form.csv", str(tmp_path / "marks.csv")
    for text, says in (
        (FORM, "no column 'rater_id' says who rated"),
        (FORM.replace("专家", "rater").replace("4,3,5", "4,8,5"), "line 2, column Mood"),
        (FORM.replace("专家", "rater").replace("E2,", ",", 1), "line 4, column rater: empty"),
        (FORM.replace("专家,supporter", "rater,bot"), "neither 'item_id' nor 'supporter'"),
        ("rater,item\nE1,a\n", "no column is a dimension"),
        ("rater,item,RA,Personalization\nE1,a,1,2\n", "two columns are one dimension"),
        ("rater,item,RA\n", "holds no row"),
    ):
        form.write_text(text, encoding="utf-8")
        done = emoharbor("import", "form", str(form), "--ratings", table)
        assert done.returncode == 2 and says in " ".join(done.stderr.split()), done.stderr


def test_where_to_is_asked_for(tmp_path: Path) -> None:
    source = write_json(tmp_path / "ESConv.json", ESCONV)
    plain = write_json(tmp_path / "plain.json", PLAIN)
    run, table = str(tmp_path / "run"), str(tmp_path / "marks.csv")
    for args, says in (
        (("esconv", str(source)), "say where to"),
        (("form", str(source), "-o", run), "say where to"),
        (("form", str(source), "-o", run, "--ratings", table), "a form holds no dialogue"),
        (("esconv", str(source), "--ratings", "marks.txt"), "ends in .csv or .jsonl"),
        (("esconv", str(plain), "--ratings", table), "holds no mark that people gave"),
    ):
        done = emoharbor("import", *args)
        assert done.returncode == 2 and says in " ".join(done.stderr.split()), done.stderr
    done = emoharbor("import", "esconv", str(source), "-o", run)
    assert "7 marks of people are there too: --ratings FILE keeps them" in done.stdout


def test_a_packed_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "torn.jsonl.gz").write_bytes(mindeval_file(tmp_path).read_bytes()[:60])
    (tmp_path / "plain.json.gz").write_text("[]")
    found = bring(tmp_path, "mindeval")
    assert len(found.records) == 4
    left = {one.where: one.says for one in found.left_out}
    assert left["torn.jsonl.gz"].startswith("cannot be unpacked")
    assert left["plain.json.gz"].startswith("cannot be unpacked")
