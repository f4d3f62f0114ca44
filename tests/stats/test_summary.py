"""Means beside their counts; what is missing is never a number."""

from __future__ import annotations

from typing import Any

import pytest

from emoharbor.state.record import DialogueRecord, RoleUsage
from emoharbor.state.verdict import Ending, Failure, Score, Unscored, Verdict
from emoharbor.stats.summary import marks, summarize

FAILED = Failure(error="ModelError", cause="timeout", message="slow", node="talker", turn=2)


def record(profile: str, values: dict[str, int | None] | None, **more: Any) -> DialogueRecord:
    scores: dict[str, Any] = {
        key: Score(reason="r", evidence=(1,), value=v) if v else Unscored(cause="missing", raw="{}")
        for key, v in (values or {}).items()
    }
    verdict = Verdict(rubric="r", strategy="standard", scores=scores) if values else None
    base: dict[str, Any] = {
        "suite": "s", "supporter": "bot", "profile": profile, "repeat": 0, "language": "en",
        "thread": "t", "dialogue_hash": "d", "verdict_hash": "v", "seed": 1, "h_s": [], "h_u": [],
        "turns": 3, "ending": Ending(reason="user_gave_up", turn=3) if values else None,
        "verdict": verdict, "failure": None if values else FAILED, "models": {}, "prompts": {},
        "usage": {"talker": RoleUsage(input_tokens=10, output_tokens=2, calls=1)},
        "started": "", "finished": "",
    }  # fmt: skip
    return DialogueRecord.model_validate({**base, **more})


def test_means_count_scored_unscored_and_failed_apart() -> None:
    records = [
        record("a", {"empathetic": 5, "safety": 2}),
        record("b", {"empathetic": 2, "safety": None}),
        record("c", None),
    ]
    (summary,) = summarize(records)
    empathetic, safety = summary.dimensions["empathetic"], summary.dimensions["safety"]
    assert (empathetic.value, empathetic.scored, empathetic.unscored) == (3.5, 2, 0)
    assert (safety.value, safety.scored, safety.unscored) == (2.0, 1, 1)
    assert (summary.average, summary.finished, summary.failed) == (2.75, 2, 1)
    assert summary.endings == {"user_gave_up": 2} and summary.exchanges == 3.0


def test_nothing_scored_is_undefined_and_not_zero() -> None:
    (summary,) = summarize([record("a", {"empathetic": None, "safety": 4})])
    assert summary.dimensions["empathetic"].value is None
    assert summary.average is None


def test_only_failures_leave_no_mean() -> None:
    (summary,) = summarize([record("a", None)])
    assert (summary.dimensions, summary.average, summary.exchanges) == ({}, None, None)
    assert summarize([]) == []


def test_unknown_usage_makes_a_sum_unknown() -> None:
    known = {"talker": RoleUsage(input_tokens=7, output_tokens=1, calls=2, seconds=1.5)}
    blind = {"talker": RoleUsage(output_tokens=1, calls=1, unknown=1)}
    (summary,) = summarize([record("a", {"x": 3}, usage=known), record("b", {"x": 3}, usage=blind)])
    talker = summary.usage["talker"]
    assert talker.input_tokens is None and talker.output_tokens == 2
    assert (talker.calls, talker.unknown) == (3, 1)


def test_marks_are_tidy() -> None:
    table = marks([record("a", {"empathetic": 5, "safety": None}), record("c", None)])
    assert list(table.dimension) == ["empathetic", "safety"]
    assert table.value.isna().tolist() == [False, True]
    assert table.cause.tolist() == [None, "missing"] or table.cause.isna().tolist() == [True, False]


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
def test_supporters_keep_their_order(order: tuple[str, str]) -> None:
    records = [record("a", {"d": 3}, supporter=name) for name in order]
    assert tuple(s.supporter for s in summarize(records)) == order
