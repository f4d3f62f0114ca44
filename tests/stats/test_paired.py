"""Paired differences: what is a pair, what is counted beside it, and what is undefined."""

from __future__ import annotations

import pytest

from emoharbor.errors import ConfigError
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Failure, Score, Unscored, Verdict
from emoharbor.stats.paired import compare, matched


def record(
    profile: str, mark: int | None, *, supporter: str = "a", failed: bool = False
) -> DialogueRecord:
    scored = (
        Unscored(cause="no mark") if mark is None else Score(reason="r", evidence=(1,), value=mark)
    )
    verdict = Verdict(rubric="r", strategy="standard", scores={"care": scored})
    failure = Failure(error="E", cause=None, message="m", node="talker", turn=1)
    return DialogueRecord.model_validate(
        {
            "suite": "s", "supporter": supporter, "profile": profile, "repeat": 0, "language": "en",
            "thread": "t", "dialogue_hash": "d", "verdict_hash": "v", "seed": 0, "h_s": [],
            "h_u": [], "turns": 1, "ending": None, "verdict": None if failed else verdict,
            "failure": failure if failed else None, "models": {}, "prompts": {}, "usage": {},
            "started": "", "finished": "",
        }
    )  # fmt: skip


def test_pairs_are_by_profile_and_the_figures_are_those_of_the_textbook() -> None:
    before = [record(f"p{i}", mark) for i, mark in enumerate([2, 3, 3, 1, 4, 2])]
    after = [record(f"p{i}", mark) for i, mark in enumerate([3, 3, 5, 2, 3, 5])]
    [result] = compare(before, reversed(after), {"a": "a"})
    [row] = result.dimensions
    # Differences 1, 0, 2, 1, -1, 3: mean 1, s = sqrt(2), t(0.975, 5) = 2.5706.
    assert (row.n, row.difference, row.before, row.after) == (6, 1.0, 2.5, 3.5)
    assert row.low == pytest.approx(1 - 2.5706 * 2**0.5 / 6**0.5, abs=1e-3)
    assert row.high == pytest.approx(1 + 2.5706 * 2**0.5 / 6**0.5, abs=1e-3)
    assert (row.higher, row.same, row.lower) == (4, 1, 1)
    # Of 1 2 1 -1 3 the ranks are 2 4 2 2 5, W- = 2: 4 of the 32 signs lead to no more, twice.
    assert row.p == pytest.approx(0.25)


def test_what_has_no_mark_no_verdict_or_no_partner_is_counted_and_left_out() -> None:
    before = [record("p1", 2), record("p2", None), record("p3", 3, failed=True), record("p4", 1)]
    after = [record("p1", 4), record("p2", 5), record("p3", 3), record("p5", 5)]
    [result] = compare(before, after, {"a": "a"})
    assert (result.pairs, result.failed, result.unpaired) == (3, 1, 2)
    [row] = result.dimensions
    assert (row.n, row.unscored, row.difference) == (1, 1, 2.0)
    assert row.low is None and row.p is None and row.note == "one pair is no sample"


def test_no_difference_at_all_has_no_p() -> None:
    same = [record("p1", 2), record("p2", 3)]
    [row] = compare(same, same, {"a": "a"})[0].dimensions
    assert (row.difference, row.p, row.note) == (0.0, None, "no pair differs")


def test_supporters_are_matched_by_name_or_when_there_is_no_choice() -> None:
    a, b = record("p", 1), record("p", 1, supporter="b")
    assert matched([a], [b]) == {"a": "b"}
    assert matched([a, b], [b]) == {"b": "b"}
    with pytest.raises(ConfigError, match="--pair FIRST=SECOND"):
        matched([a, b], [record("p", 1, supporter="c")])
