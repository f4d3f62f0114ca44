"""Frames as files: what is read back is what was written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import emoharbor
from emoharbor.errors import ConfigError
from emoharbor.frames import COLUMNS, Frames
from emoharbor.frames.files import FrameFormat, write_frames
from tests.processes import ROOT
from tests.synthetic import synthetic_run

# A module that is None is one that cannot be imported.
SCRIPT = """import sys; sys.modules["pyarrow"] = None
import emoharbor
from emoharbor.errors import ConfigError
from emoharbor.frames.files import FrameFormat, write_frames
from pathlib import Path
try:
    write_frames(emoharbor.load(sys.argv[1]), Path(sys.argv[2]), FrameFormat.parquet)
except ConfigError as error:
    print(error)
"""


@pytest.fixture
def frames(tmp_path: Path) -> Frames:
    made = synthetic_run(
        tmp_path / "a", {"x": 3.0}, profiles=3, unscored={"x": 1}, language="zh"
    )  # fmt: skip
    return emoharbor.load(made.path)


def test_csv_has_a_header_its_lists_are_json_and_a_spreadsheet_knows_it_is_utf_8(
    tmp_path: Path, frames: Frames
) -> None:
    files = write_frames(frames, tmp_path / "out", FrameFormat.csv)
    assert [file.name for file in files] == [f"{name}.csv" for name in COLUMNS]
    assert files[0].read_bytes().startswith(b"\xef\xbb\xbfrun,supporter")
    scores = pd.read_csv(tmp_path / "out" / "scores.csv")
    assert len(scores) == len(frames.scores) and scores["value"].isna().sum() == 1
    known = scores[scores["value"].notna()]
    assert {json.loads(cell)[0] for cell in known["evidence"]} == {1}
    people = pd.read_csv(tmp_path / "out" / "people.csv")
    assert people["occupation"].tolist() == frames.people["occupation"].tolist()


def test_of_json_lines_each_is_a_row(tmp_path: Path, frames: Frames) -> None:
    (file,) = write_frames(frames, tmp_path, FrameFormat.jsonl, ["scores"])
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(frames.scores) and rows[0]["evidence"] == [1]
    assert [row["value"] for row in rows].count(None) == 1 and rows[0]["upto"] is None


def test_parquet_keeps_whole_numbers_whole(tmp_path: Path, frames: Frames) -> None:
    pytest.importorskip("pyarrow")
    (file,) = write_frames(frames, tmp_path, FrameFormat.parquet, ["scores"])
    read = pd.read_parquet(file)
    assert read["value"].tolist()[0] == frames.scores["value"].tolist()[0]
    assert list(read["evidence"][0]) == [1]


def test_what_parquet_needs_is_told(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=1)
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(made.path), str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pip install pyarrow" in told.stdout and not (tmp_path / "out").exists()


def test_no_such_frame_and_no_such_place_are_told(tmp_path: Path, frames: Frames) -> None:
    with pytest.raises(ConfigError, match="no frame 'marks'; there are dialogues, messages"):
        write_frames(frames, tmp_path, FrameFormat.csv, ["marks"])
    (tmp_path / "taken").write_text("")
    with pytest.raises(ConfigError, match="cannot write into"):
        write_frames(frames, tmp_path / "taken", FrameFormat.csv)
