"""What a judging comes to: means of repeats, the spread between them, and what is missing."""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import pytest

from emoharbor.judging.summary import Marks, judged_summary
from emoharbor.judging.wanted import Wanted, Work
from emoharbor.state.record import DialogueRecord, Judging
from emoharbor.state.verdict import Failure, Score, Unscored, Verdict
from emoharbor.suite import load_suite
from emoharbor.terminal.judging import judged_sheet
from tests.state.test_verdict import record


def verdict(value: int | None) -> Verdict:
    mark = (
        Unscored(cause="no number")
        if value is None
        else Score(reason="r", evidence=(1,), value=value)
    )
    return Verdict(rubric="r", strategy="standard", scores={"warmth": mark})


def judged(profile: str, sample: int, value: int | None, upto: int | None = None) -> DialogueRecord:
    judging = Judging(run="r", sample=sample, upto=upto)
    return record(profile=profile, verdict=verdict(value), judging=judging)


def failed(profile: str) -> DialogueRecord:
    failure = Failure(error="ModelError", cause=None, message="m", node="evaluator", turn=1)
    return record(profile=profile, verdict=None, failure=failure, judging=Judging(run="r"))


def test_means_are_of_dialogues_and_the_spread_is_within_them() -> None:
    # The first dialogue's mean is 2 (variance 1 with 2 degrees of freedom), the second's 5.
    first = [judged("a", sample, value) for sample, value in enumerate((1, 2, 3))]
    second = [judged("b", 0, 5), judged("b", 1, 5), judged("b", 2, None)]
    prefixes = [judged("a", 0, 1, upto=1), judged("a", 1, 1, upto=2)]
    (one,) = judged_summary([*first, *second, *prefixes, failed("c")])
    marks = one.dimensions["warmth"]
    assert marks.spread == pytest.approx(sqrt(2 / 3))
    assert (marks.mean, marks.scored, marks.unscored) == (3.5, 5, 1)
    assert (one.dialogues, one.verdicts, one.prefixes, one.failed) == (2, 6, 2, 1)


def test_one_repeat_has_no_spread_and_no_mark_no_mean() -> None:
    (single,) = judged_summary([judged("a", 0, 4), judged("b", 0, 2)])
    assert single.dimensions["warmth"] == Marks(3.0, None, 2, 0)
    (nothing,) = judged_summary([judged("a", 0, None)])
    assert nothing.dimensions["warmth"] == Marks(None, None, 0, 1)
    (broken,) = judged_summary([failed("a")])
    assert (broken.dimensions, broken.failed) == ({}, 1)
    assert judged_summary([]) == []


def test_the_sheet_says_why_there_is_no_mean() -> None:
    suite = load_suite("emoharbor", {"models.judge.spec": "scripted:echo"})
    work = Work(Wanted(run="zh", source="."), suite, Path("zh"))
    sheet = judged_sheet(work, [judged("a", 0, None), judged("b", 0, None)])
    cell = sheet.cell(sheet.rows[0], sheet.columns[1])
    assert sheet.title == "zh judged by scripted:echo, internal_state_aware, emoharbor-10"
    assert sheet.text(cell, sheet.columns[1]) == "– (0/2) [1]" and "no repeat" in cell.why
    assert sheet.notes == ("mean of the dialogues' marks (marks scored / unscored)",)
