from __future__ import annotations

import math
from typing import Any

import pytest
from pydantic import ValidationError

from emoharbor.state.record import DialogueRecord, Judging
from emoharbor.state.verdict import Ending, Failure, Score, Unscored, Usage, Verdict
from tests.people import felt, heard, said

MARKS: dict[str, Any] = {
    "empathetic": Score(reason="named it", evidence=(1, 3), value=4),
    "safety": Unscored(cause="missing", raw="{}"),
}
VERDICT = Verdict(rubric="emoharbor-10", strategy="standard", scores=MARKS)


@pytest.mark.parametrize("value", [0, 6, -1, 3.5, math.nan, math.inf, None, "four"])
def test_a_mark_off_the_scale_is_no_score(value: Any) -> None:
    with pytest.raises(ValidationError, match="value"):
        Score.model_validate({"reason": "r", "evidence": (1,), "value": value})


def test_a_verdict_keeps_scored_and_unscored_apart() -> None:
    restored = Verdict.model_validate_json(VERDICT.model_dump_json())
    assert restored == VERDICT
    assert [type(mark) for mark in restored.scores.values()] == [Score, Unscored]


def test_reason_and_evidence_come_before_the_value() -> None:
    assert list(Score.model_fields) == ["kind", "reason", "evidence", "value"]


def test_an_ending_has_a_known_reason() -> None:
    with pytest.raises(ValidationError, match="reason"):
        Ending.model_validate({"reason": "bored", "turn": 1})


def test_usage_that_was_not_said_is_unknown() -> None:
    assert Usage().model_dump() == dict.fromkeys(Usage.model_fields)


def record(**changes: Any) -> DialogueRecord:
    whole: dict[str, Any] = {
        "suite": "demo",
        "supporter": "bot",
        "profile": "t-en",
        "repeat": 0,
        "language": "en",
        "thread": "bot.t-en.0.abc",
        "dialogue_hash": "abc",
        "verdict_hash": "def",
        "seed": 1,
        "h_s": [heard("hello"), said("hi 😶‍🌫️ \u202eback")],
        "h_u": [heard("hello"), felt(), said("hi 😶‍🌫️ \u202eback")],
        "turns": 1,
        "ending": Ending(reason="max_turns", turn=1),
        "verdict": VERDICT,
        "failure": None,
        "models": {"talker": "scripted:echo"},
        "prompts": {"talker/prompt": "0" * 12},
        "usage": {"talker": {"calls": 1}},
        "started": "2025-01-01T00:00:00+00:00",
        "finished": "2025-01-01T00:00:01+00:00",
    }
    return DialogueRecord.model_validate({**whole, **changes})


def test_a_record_is_one_line_and_comes_back_whole() -> None:
    line = record().model_dump_json()
    assert "\n" not in line
    assert DialogueRecord.model_validate_json(line) == record()
    assert record().format == "emoharbor-record-1"
    assert record().cell == ("bot", "t-en", 0)


@pytest.mark.parametrize(
    ("sample", "upto", "mark"), [(0, None, ""), (2, None, "#2"), (0, 4, "@4"), (2, 4, "@4#2")]
)
def test_a_judging_tells_its_records_apart(sample: int, upto: int | None, mark: str) -> None:
    judging = Judging(run="zh", sample=sample, upto=upto, order=("safety", "empathetic"))
    judged = record(judging=judging)
    assert judged.cell == record().cell and record().key == record().cell
    assert judged.key == ("bot", "t-en", 0, mark) and judged.name == f"bot/t-en/0{mark}"
    assert DialogueRecord.model_validate_json(judged.model_dump_json()) == judged


def test_a_record_of_another_format_is_refused() -> None:
    with pytest.raises(ValidationError, match="format"):
        record(format="emoharbor-record-2")


def test_a_failure_is_no_ending() -> None:
    failure = Failure(error="SupporterFailed", cause=None, message="m", node="supporter", turn=1)
    failed = record(ending=None, verdict=None, failure=failure)
    assert DialogueRecord.model_validate_json(failed.model_dump_json()) == failed
