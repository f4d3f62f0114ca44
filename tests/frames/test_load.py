"""Runs as data frames: every dialogue, message, state, mark and failure is a row, and no other."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import emoharbor
from emoharbor.errors import ConfigError
from emoharbor.frames import COLUMNS, Frames
from emoharbor.judging.wanted import Asked
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.state.dialogue import Message
from emoharbor.state.record import Judging
from tests.checkpoints.conftest import redis_url, run
from tests.fake_openai import fake_openai
from tests.here import emoharbor as emoharbor_says
from tests.judging.judged import judge
from tests.served import plays_all, small_suite
from tests.small_runs import echo_run
from tests.synthetic import synthetic_run

__all__ = ["redis_url", "run"]


def rewritten(folder: RunFolder, **changes: Any) -> None:
    """The run's records with other values."""
    records = [one.model_copy(update=changes) for one in folder.records().values()]
    lines = "".join(one.model_dump_json() + "\n" for one in records)
    folder.records_file.write_text(lines, encoding="utf-8")


def test_every_part_of_a_run_is_in_its_frame(tmp_path: Path) -> None:
    """The counts are those of the records; a failed dialogue has no marks and one failure."""
    made = synthetic_run(
        tmp_path / "a", {"x": 2.0, "y": 4.0}, profiles=4, failed={"x": 1}, unscored={"y": 1}
    )
    records = list(made.records().values())
    frames = emoharbor.load(made.path)
    assert {name: list(getattr(frames, name).columns) for name in COLUMNS} == COLUMNS
    assert len(frames.dialogues) == 8 and len(frames.scores) == 70 and len(frames.failures) == 1
    assert len(frames.messages) == sum(len(one.h_s) for one in records)
    assert len(frames.inner_states) == sum(len(one.h_u) - len(one.h_s) for one in records)
    assert frames.scores["value"].isna().sum() == 1 and frames.scores["upto"].isna().all()
    unscored = frames.scores[frames.scores["value"].isna()].iloc[0]
    assert (unscored["supporter"], unscored["cause"]) == ("y", "missing")
    failed = frames.dialogues[frames.dialogues["failure"].notna()].iloc[0]
    assert (failed["supporter"], failed["judged"]) == ("x", False) and failed["ending"] is None
    assert set(frames.dialogues["profile"]) <= set(frames.people["profile"]) and not frames.notes


def test_an_exchange_is_counted_from_the_side_that_opens(tmp_path: Path) -> None:
    """A state belongs to the exchange in which the user then speaks."""
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=1, turns=(3, 3))
    frames = emoharbor.load(made.path)
    assert frames.messages["turn"].tolist() == [1, 1, 2, 2, 3, 3]
    assert frames.inner_states["turn"].tolist() == [1, 2, 3]
    assert frames.inner_states["before_message"].tolist() == [2, 4, 6]


def test_a_length_is_in_words_and_in_chinese_in_characters(tmp_path: Path) -> None:
    said = [
        Message(role="supporter", text="今天 过得好吗？"),
        Message(role="user", text="well, no"),
    ]
    for language, lengths in (("en", [2, 2]), ("zh", [7, 7])):
        made = synthetic_run(tmp_path / language, {"x": 3.0}, profiles=1)
        rewritten(made, h_s=said, h_u=said, language=language)
        assert emoharbor.load(made.path).messages["length"].tolist() == lengths


def test_runs_of_one_name_are_told_apart_and_none_is_read_twice(tmp_path: Path) -> None:
    first = synthetic_run(tmp_path / "a" / "zh", {"x": 3.0}, profiles=2)
    second = synthetic_run(tmp_path / "b" / "zh", {"x": 3.0}, profiles=1)
    frames = emoharbor.load(first.path, second.path)
    assert frames.dialogues["run"].tolist() == ["a/zh", "a/zh", "b/zh"]
    with pytest.raises(ConfigError, match="named twice"):
        emoharbor.load(first.path, first.path / ".." / "zh")


def test_a_later_judges_marks_stand_beside_the_runs_own(tmp_path: Path) -> None:
    """With every repeat and prefix, and none of the dialogues twice."""
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=2, judged={"other": 1.0})
    judged = RunFolder(made.path / "judged" / "other")
    lines = [
        one.model_copy(update={"judging": Judging(run="a", sample=sample, upto=upto)})
        for one in judged.records().values()
        for sample, upto in ((0, None), (1, None), (0, 2))
    ]
    text = "".join(one.model_dump_json() + "\n" for one in lines)
    judged.records_file.write_text(text, encoding="utf-8")
    frames = emoharbor.load(made.path)
    assert len(frames.dialogues) == 2 and len(frames.own_scores) == 20
    others = frames.scores[frames.scores["judging"] == "other"]
    assert len(others) == 60 and set(others["run"]) == {"a"}
    assert (others["upto"] == 2).sum() == 20 and (others["sample"] == 1).sum() == 20


@pytest.mark.parametrize(
    "plan, says",
    [
        ("build: {}\n", "is a build of profiles"),
        ("judging: {}\n", "is a later judging: load the run that was judged"),
        ("- 1\n", "holds no settings"),
        ("a: [\n", "is not YAML"),
    ],
)
def test_what_is_no_run_of_dialogues_is_refused(tmp_path: Path, plan: str, says: str) -> None:
    """Before its records are read: those of a build are of another form."""
    (tmp_path / "run.yaml").write_text(plan)
    (tmp_path / "records.jsonl").write_text('{"format": "of something else"}\n')
    with pytest.raises(ConfigError, match=says):
        emoharbor.load(tmp_path)


def test_nothing_and_a_folder_without_a_run_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="name a run's folder"):
        emoharbor.load()
    with pytest.raises(ConfigError, match="holds no run"):
        emoharbor.load(tmp_path)


def test_people_who_cannot_be_read_any_more_are_told(tmp_path: Path) -> None:
    made = synthetic_run(tmp_path / "a", {"x": 3.0}, profiles=2)
    plan = made.plan_file.read_text().replace("profiles: en", "profiles: gone.jsonl")
    made.plan_file.write_text(plan)
    frames = emoharbor.load(made.path)
    assert frames.people.empty and len(frames.dialogues) == 2
    assert len(frames.notes) == 1 and "gone.jsonl" in frames.notes[0]


def test_a_run_is_read_where_an_event_loop_runs_as_in_a_notebook(tmp_path: Path) -> None:
    made = echo_run(tmp_path / "a")

    async def cell() -> Frames:
        return emoharbor.load(made.path)

    frames = asyncio.run(cell())
    assert len(frames.dialogues) == 1 and len(frames.calls) == frames.dialogues["calls"].sum()
    assert emoharbor.load(made.path, calls=False).calls.empty


def test_a_run_in_redis_is_the_same_with_its_judgings(
    tmp_path: Path, redis_url: str, run: str
) -> None:
    """Also on a machine where nothing of it lies in a folder."""
    options = RunOptions(store=redis_url)

    async def go() -> Path:
        async with fake_openai(plays_all()) as server:
            await run_suite(small_suite(server.url), tmp_path / run, options=options)
            asked = Asked(f"openai:other@{server.url}")
            return (await judge(tmp_path / run, asked, options=options, every=1)).work.folder

    judged = asyncio.run(go())
    here, there = emoharbor.load(tmp_path / run), emoharbor.load(run, store=redis_url)
    for name in COLUMNS:
        pd.testing.assert_frame_equal(getattr(here, name), getattr(there, name))
    assert set(there.scores["judging"]) == {"", judged.name} and there.scores["upto"].notna().any()
    for folder in (judged, tmp_path / run):
        told = emoharbor_says("delete", str(folder), "--store", redis_url, "--yes")
        assert told.returncode == 0
