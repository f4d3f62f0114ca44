"""The tables over exchanges: what they count, what they leave out, and what they say of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import emoharbor
from emoharbor.errors import ConfigError
from emoharbor.frames import Frames
from emoharbor.reports.turns import Choices, turns_sheets
from emoharbor.runs.folder import RunFolder
from emoharbor.sheets import Cell, Sheet
from emoharbor.state.record import Judging
from tests.synthetic import synthetic_run


def sheets_of(frames: Frames, **choices: object) -> dict[str, Sheet]:
    made = Choices(**choices)  # type: ignore[arg-type]
    return {sheet.name: sheet for sheet in turns_sheets(frames, made)}


def value(sheet: Sheet, row: int, key: str) -> object:
    column = next(column for column in sheet.columns if column.key == key)
    return sheet.cell(sheet.rows[row], column).value


def prefixed(made: RunFolder, judge: str, every: int = 2) -> None:
    """Judges prefixes as well: their marks are those of the whole, whatever was said."""
    judged = RunFolder(made.path / "judged" / judge)
    found = [
        one.model_copy(update={"judging": Judging(run=made.path.name, upto=upto)})
        for one in judged.records().values()
        for upto in (*range(every, one.turns, every), None)
    ]
    text = "".join(one.model_dump_json() + "\n" for one in found)
    judged.records_file.write_text(text, encoding="utf-8")


def test_survival_counts_who_left_who_is_censored_and_who_failed(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0, "y": 3.0}, profiles=20, failed={"x": 3})
    frames = emoharbor.load(made.path)
    sheet = sheets_of(frames)["survival"]
    dialogues = frames.dialogues
    for row, its in enumerate(sheet.rows):
        own = dialogues[dialogues["supporter"] == its["system"]]
        left = int(own["ending"].isin(["user_gave_up", "user_left"]).sum())
        ended = int(own["ending"].notna().sum())
        assert (value(sheet, row, "n"), value(sheet, row, "left")) == (ended, left)
        assert value(sheet, row, "censored") == ended - left
        assert value(sheet, row, "failed") == 20 - ended
    notes = "\n".join(sheet.notes)
    assert "the event: user_gave_up, user_left" in notes and "at their end" in notes
    assert "3 dialogues failed before they ended; they are left out" in notes
    means = [value(sheet, row, "mean") for row in range(2)]
    assert means == sorted(means, reverse=True)  # type: ignore[type-var]


def test_every_two_supporters_are_beside_with_the_correction_told(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0, "y": 3.0, "z": 3.0}, profiles=12)
    sheet = sheets_of(emoharbor.load(made.path))["survival-pairs"]
    assert len(sheet.rows) == 3 and "Benjamini-Hochberg over 3 tests" in sheet.notes[1]


def test_few_dialogues_have_words_and_no_test(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0, "y": 3.0}, profiles=2)
    sheets = sheets_of(emoharbor.load(made.path))
    assert sheets["survival-pairs"].whys == ["no test under 6 dialogues"]
    assert "letters" not in {column.key for column in sheets["survival"].columns}
    alone = synthetic_run(tmp_path / "b", {"x": 3.0}, profiles=1)
    assert "survival-pairs" not in sheets_of(emoharbor.load(alone.path))


def test_nothing_that_ended_is_an_error_in_words(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=2, failed={"x": 2})
    with pytest.raises(ConfigError, match="none of these dialogues has ended"):
        sheets_of(emoharbor.load(made.path))


def test_without_judged_prefixes_it_says_what_to_run(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=2, judged={"other": 0.0})
    sheet = sheets_of(emoharbor.load(made.path))["dimensions-by-turn"]
    assert not sheet.rows and "emoharbor judge RUN --model MODEL --every 3" in sheet.notes[0]


def test_marks_by_exchange_are_over_the_dialogues_that_got_so_far(tmp_path: Path) -> None:
    made = synthetic_run(
        tmp_path / "a", {"x": 3.0}, profiles=10, judged={"other": 0.0}, unscored={"x": 1}
    )
    prefixed(made, "other")
    frames = emoharbor.load(made.path)
    sheet = sheets_of(frames)["dimensions-by-turn"]
    turns = frames.dialogues["turns"]
    assert sheet.rows[0]["dimension"] == "dialogues" and len(sheet.rows) == 11
    for turn in (2, 4, 6, 8):
        assert value(sheet, 0, f"t{turn}") == (turns >= turn).sum()
    marks = frames.scores[
        (frames.scores["judging"] == "other") & (frames.scores["dimension"] == "safety")
    ]
    ends = marks.merge(frames.dialogues, on=["run", "supporter", "profile", "repeat"])["turns"]
    marks = marks[marks["upto"].fillna(ends.set_axis(marks.index)) == 4]
    row = next(n for n, one in enumerate(sheet.rows) if one["dimension"] == "SF")
    assert value(sheet, row, "t4") == pytest.approx(float(marks["value"].mean()))
    # Every prefix has the marks of the whole.
    assert value(sheet, row, "trend") == pytest.approx(0.0)


def test_of_several_judges_one_is_chosen(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=2, judged={"one": 0.0, "two": 0.0})
    prefixed(made, "one")
    prefixed(made, "two")
    frames = emoharbor.load(made.path)
    with pytest.raises(ConfigError, match="choose one with --judging one | two"):
        sheets_of(frames)
    assert "judged by two" in sheets_of(frames, judging="two")["dimensions-by-turn"].notes[0]
    with pytest.raises(ConfigError, match="did you mean 'two'"):
        sheets_of(frames, judging="tow")


def test_inner_states_are_told_by_exchange_with_who_is_still_there(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=10, failed={"x": 1})
    frames = emoharbor.load(made.path)
    sheet = sheets_of(frames)["states-by-turn"]
    ended = frames.dialogues[frames.dialogues["ending"].notna()]
    assert [row["n"] for row in sheet.rows] == [
        (ended["turns"] >= turn).sum() for turn in range(1, ended["turns"].max() + 1)
    ]
    assert value(sheet, 0, "stay") == 1.0 and value(sheet, 1, "kept") == 1.0
    cell = sheet.rows[0]["intensity"]
    assert isinstance(cell, Cell) and cell.note.startswith("[")
    assert "depth" not in {column.key for column in sheet.columns}
    assert any("still there" in note for note in sheet.notes)


def test_labels_of_worst_case_seekers_have_their_depth(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=10, states="emotion")
    sheets = sheets_of(emoharbor.load(made.path))
    assert {row["depth"] for row in sheets["emotions"].rows} <= {1, 2, 3, 4, 5}
    shown = sum(int(str(row["n"])) for row in sheets["emotions"].rows)
    assert shown > 0 and sheets["turning-points"].rows
    assert all("depth" in str(row["change"]) for row in sheets["turning-points"].rows)


def test_without_inner_states_it_says_so(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=2, states=None)
    sheets = sheets_of(emoharbor.load(made.path))
    assert not sheets["states-by-turn"].rows
    assert "there are no inner states" in sheets["states-by-turn"].notes[0]
    assert "turning-points" not in sheets and "emotions" not in sheets


def test_turning_points_quote_both_lines(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0, "y": 3.0}, profiles=6)
    sheet = sheets_of(emoharbor.load(made.path), top=2)["turning-points"]
    assert [row["system"] for row in sheet.rows] == ["x", "x", "y", "y"]
    for row in sheet.rows:
        assert row["heard"] == f"tell me more of it, {row['turn']}"
        assert row["said"] == f"well, it was like this, {row['turn']}"
