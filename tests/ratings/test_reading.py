"""The long table of marks: what is read, and how what is wrong in it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from emoharbor.errors import ConfigError
from emoharbor.ratings import COLUMNS, Rating, frame_of, judged, read_ratings, write_ratings

HEAD = "item_id,rater_id,rater_kind,dimension,score,scale_min,scale_max"
GIVEN = (
    Rating("bot/p1/0", "ann", "human", "safety", 4, 1, 5, "p1", "bot"),
    Rating("bot/p1/0", "ann", "human", "warmth", None, 1, 5, "p1", "bot", missing="skipped"),
    Rating("bot/p1/0", "gpt, new", "judge", "safety", 3.25, 1, 5, strategy="standard", sample=2),
)


def table(tmp_path: Path, *lines: str, head: str = HEAD) -> Path:
    file = tmp_path / "marks.csv"
    file.write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    return file


@pytest.mark.parametrize("name", ["marks.csv", "marks.jsonl"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    file = tmp_path / "new" / name
    write_ratings(GIVEN, file)
    assert read_ratings(file) == GIVEN
    assert list(frame_of(GIVEN).columns) == list(COLUMNS)
    assert frame_of(GIVEN)["score"].isna().tolist() == [False, True, False]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"marks\.xlsx: a name that ends in \.csv or \.jsonl"):
        write_ratings(GIVEN, tmp_path / "marks.xlsx")


def test_dimensions_go_by_any_of_their_names(tmp_path: Path) -> None:
    names = ("RA", "Mood improvement", "共情", "Helpfulness", "my own")
    lines = [f"a,ann,Human,{name},,1,5" for name in names]
    found = read_ratings(table(tmp_path, *lines))
    keys = ["response_appropriateness", "mood_improvement", "empathetic", "problem_resolution"]
    assert [one.dimension for one in found] == [*keys, "my own"]
    assert all(one.score is None and one.rater_kind == "human" for one in found)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("a,ann,human,x,6,1,5", "line 2, column score: 6 is outside the scale 1 to 5"),
        ("a,ann,human,x,four,1,5", "line 2, column score: a number is wanted, not 'four'"),
        ("a,ann,human,x,nan,1,5", "line 2, column score: a number is wanted, not 'nan'"),
        ("a,ann,human,x,3,5,1", "line 2, column scale_max: 1 is not above 5"),
        ("a,ann,jugde,x,3,1,5", "column rater_kind: 'jugde'; did you mean 'judge'?"),
        ("a,,human,x,3,1,5", "line 2, column rater_id: empty"),
        ("a,ann,human,x,3,1", "line 2: 6 cells under 7 columns"),
    ],
)
def test_a_wrong_value_is_told_with_its_place(tmp_path: Path, line: str, says: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_ratings(table(tmp_path, line))
    assert str(error.value).startswith(f"{tmp_path}/marks.csv") and says in str(error.value)


def test_lines_are_counted_as_an_editor_does(tmp_path: Path) -> None:
    first, wrong = '"a\nlong name",ann,human,x,3,1,5', "b,ann,human,x,9,1,5"
    with pytest.raises(ConfigError, match=r"line 5, column score.*\(and 1 more like this\)"):
        read_ratings(table(tmp_path, first, "", wrong, wrong))


def test_a_mark_given_twice_names_both_lines(tmp_path: Path) -> None:
    line = "a,ann,human,x,3,1,5"
    with pytest.raises(
        ConfigError, match=r"line 3: ann marks x of a a second time, after .*line 2"
    ):
        read_ratings(table(tmp_path, line, line))
    numbered = read_ratings(table(tmp_path, line + ",0", line + ",1", head=HEAD + ",sample"))
    assert [one.sample for one in numbered] == [0, 1]
    with pytest.raises(ConfigError, match="column sample: 0, 1, 2, … is wanted, not 0.5"):
        read_ratings(table(tmp_path, line + ",0.5", head=HEAD + ",sample"))


def test_a_missing_column_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no column 'rater_id'; did you mean 'raterid'"):
        read_ratings(table(tmp_path, "a", head=HEAD.replace("rater_id", "raterid")))
    with pytest.raises(ConfigError, match="holds no rating"):
        read_ratings(table(tmp_path))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_ratings(tmp_path / "nowhere.csv")


def test_lines_of_json_are_checked_alike(tmp_path: Path) -> None:
    row = dict(zip(HEAD.split(","), ("a", 7, "human", "x", 3, 1, 5), strict=True))
    file = tmp_path / "marks.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps({**row, "score": True}) + "\n")
    with pytest.raises(ConfigError, match="line 2, column score: a number is wanted, not True"):
        read_ratings(file)
    file.write_text(json.dumps({**row, "dimension": ["x"]}))
    with pytest.raises(ConfigError, match="line 1, column dimension: a text or a number"):
        read_ratings(file)
    file.write_text("[1]")
    with pytest.raises(ConfigError, match="line 1: no object with item_id"):
        read_ratings(file)
    file.write_text('{"item": 1}')
    with pytest.raises(ConfigError, match="line 1: no 'item_id'; did you mean 'item'"):
        read_ratings(file)


def scores(*rows: tuple[str, str, str, int, int | None]) -> pd.DataFrame:
    """Verdicts of one judge and dimension: run, profile, judging, value, exchange of a prefix."""
    made = [
        {
            "run": run, "supporter": "bot", "profile": profile, "repeat": 0, "judge": "gpt",
            "strategy": "standard", "judging": judging, "sample": 0, "upto": upto,
            "dimension": "safety", "value": value, "cause": None,
        }
        for run, profile, judging, value, upto in rows
    ]  # fmt: skip
    return pd.DataFrame(made).astype({"upto": "Int64", "value": "Int64"})


def test_verdicts_become_marks_of_whole_dialogues() -> None:
    found = judged(
        scores(("r", "p1", "", 4, None), ("r", "p1", "", 2, 3), ("r", "p2", "", 5, None))
    )
    assert list(found.columns) == list(COLUMNS)
    assert found["item_id"].tolist() == ["bot/p1/0", "bot/p2/0"]
    assert found["score"].tolist() == [4.0, 5.0] and set(found["rater_id"]) == {"gpt"}


def test_two_runs_and_two_judgings_are_told_apart() -> None:
    found = judged(scores(("a", "p1", "", 4, None), ("b", "p1", "", 2, None)))
    assert found["item_id"].tolist() == ["a/bot/p1/0", "b/bot/p1/0"]
    found = judged(scores(("a", "p1", "", 4, None), ("a", "p1", "second", 2, None)))
    assert found["rater_id"].tolist() == ["gpt (the run's own)", "gpt (second)"]
    assert judged(scores(("a", "p1", "", 4, 2))).empty
