"""Whole runs of the worst-case paper's two arms, as shipped and as published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from emoharbor.prompts.rubric import load_rubric
from emoharbor.state.dialogue import Emotion
from emoharbor.state.emotions import load_emotions
from emoharbor.state.profile import Language
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Ending
from emoharbor.suite import load_suite
from tests.runs.worst import run, sent
from tests.served import lines_of

LANGUAGES: tuple[Language, ...] = ("en", "zh")
ARMS = ("worst_case", "average_case")
PUBLISHED = tuple(f"{arm}_as_published" for arm in ARMS)
SET = load_emotions()
WORDS = "cold hands 手心发凉"


def sampling(name: str, node: str) -> dict[str, Any]:
    return getattr(load_suite(name).agents, node).model_extra or {}


def emotions(record: DialogueRecord) -> list[Emotion]:
    return [item for item in record.h_u if isinstance(item, Emotion)]


def feels(role: str, body: dict[str, Any], nth: int) -> Any:
    """Feels what is offered first, and thinks WORDS of it."""
    if role != "thinker":
        return None
    label = body["response_format"]["json_schema"]["schema"]["properties"]["label"]["enum"][0]
    return {"transition_reason": "r", "label": label, "description": WORDS}


@pytest.mark.parametrize("arms", [ARMS, PUBLISHED])
def test_both_arms_differ_in_thinker_and_controls_alone(arms: tuple[str, str]) -> None:
    worst, average = (load_suite(name).model_dump() for name in arms)
    assert {key for key in worst if worst[key] != average[key]} == {"name", "description", "agents"}
    differing = {n for n in worst["agents"] if worst["agents"][n] != average["agents"][n]}
    assert differing <= {"thinker", "talker", "evaluator"}
    assert worst["opening"] == "user" and worst["max_turns"] == 20
    assert sampling(arms[1], "talker") == {
        "temperature": 0.7,
        "prompt": "seeker",
        "preset": "average",
    }


def test_the_shipped_arms_have_one_judge_that_sees_no_inner_state() -> None:
    assert load_suite(ARMS[0]).agents.evaluator == load_suite(ARMS[1]).agents.evaluator
    assert sampling(ARMS[0], "evaluator")["strategy"] == "user_aware"
    assert sampling(ARMS[0], "thinker")["bounded"] is True


def test_published_settings_are_the_papers() -> None:
    for name in PUBLISHED:
        suite = load_suite(name)
        assert "deepseek-v3.2" in str(suite.models["user"].spec)
        assert "qwen3-max" in str(suite.models["judge"].spec)
        assert sampling(name, "talker")["temperature"] == 0.7
        assert sampling(name, "evaluator")["temperature"] == 0.0
    thinker = sampling(PUBLISHED[0], "thinker")
    assert (thinker["deterioration"], thinker["bounded"]) == (0.3, False)
    strategies = [sampling(name, "evaluator")["strategy"] for name in PUBLISHED]
    assert strategies == ["internal_state_aware", "user_aware"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [*ARMS, *PUBLISHED])
def test_a_whole_run(tmp_path: Path, name: str, language: Language) -> None:
    server, folder = run(tmp_path, name, language, change=feels)
    (record,) = folder.records().values()
    assert record.ending == Ending(reason="max_turns", turn=4, words=record.h_s[-1].text)
    assert [m.role for m in record.h_s] == ["user", "supporter"] * 4
    assert (
        record.verdict
        and list(record.verdict.scores) == load_rubric("worst-case-14", language).keys
    )
    assert all(mark.kind == "score" for mark in record.verdict.scores.values())
    worst = name.startswith("worst")
    assert len(emotions(record)) == (4 if worst else 0)
    calls = {role: usage.calls for role, usage in record.usage.items()}
    assert calls == {"talker": 4, "supporter": 4, "evaluator": 1} | (
        {"thinker": 4} if worst else {}
    )
    assert not [text for text in sent(server, "supporter") if WORDS in text]
    shown = [WORDS in text for text in sent(server, "evaluator")]
    assert shown == [name == "worst_case_as_published"]


def test_every_supporter_meets_the_same_schedule(tmp_path: Path) -> None:
    """Other words of the supporter, other feelings: the same exchanges are drawn."""

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return f"Reply {nth} of {body['model']}." if role == "supporter" else None

    _, folder = run(tmp_path, bots=("a", "b"), change=change, count=3, max_turns=12, repeats=2)
    records = folder.records()
    schedules = {
        record.cell: [emotion.deteriorated for emotion in emotions(record)]
        for record in records.values()
    }
    assert len(schedules) == 12
    for (_, profile, repeat), schedule in schedules.items():
        assert schedule == schedules["a", profile, repeat]
        assert not schedule[0]
    assert len({tuple(schedule) for schedule in schedules.values()}) == 6
    drawn = [flag for schedule in schedules.values() for flag in schedule[1:]]
    assert 0.15 < sum(drawn) / len(drawn) < 0.45
    assert records["a", "t-en-0", 0].h_s[1].text != records["b", "t-en-0", 0].h_s[1].text


def moody(role: str, body: dict[str, Any], nth: int) -> Any:
    """Is confused, and gets as bad as it may where a deterioration narrows what it may feel."""
    if role != "thinker":
        return None
    offered = body["response_format"]["json_schema"]["schema"]["properties"]["label"]["enum"]
    drawn = len(offered) < len(SET.labels)
    label = max(offered, key=SET.depth) if drawn else "confusion"
    return {"transition_reason": "r", "label": label, "description": "d"}


@pytest.mark.parametrize(("name", "steps"), [("worst_case", {1}), (PUBLISHED[0], {4})])
def test_how_far_one_deterioration_goes(tmp_path: Path, name: str, steps: set[int]) -> None:
    _, folder = run(tmp_path, name, change=moody, max_turns=20, count=3)
    found = set()
    for record in folder.records().values():
        felt = emotions(record)
        for before, now in zip(felt, felt[1:], strict=False):
            if now.deteriorated and not before.deteriorated:
                found.add(SET.depth(now.label) - SET.depth(before.label))
            if not now.deteriorated:
                assert now.label == "confusion"
    assert found == steps


def test_a_label_outside_the_set_is_repaired_in_the_run(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        wrong = {"transition_reason": "r", "label": "rage", "description": "d"}
        return wrong if role == "thinker" and nth == 2 else None

    server, folder = run(tmp_path, change=change)
    (record,) = folder.records().values()
    assert record.usage["thinker"].calls == 5
    assert {e.label for e in emotions(record)} <= set(SET.labels)
    assert not [text for text in sent(server, "talker") if "rage" in text]


def test_the_four_are_judged_in_a_call_of_their_own_where_the_suite_says_so(tmp_path: Path) -> None:
    judge = {**sampling("worst_case", "evaluator"), "use": "user_as_judge", "model": "judge"}
    agents = load_suite("worst_case").model_dump()["agents"]
    agents["evaluator"] = {**judge, "apart": ["worst_case"]}
    server, folder = run(tmp_path, agents=agents)
    (record,) = folder.records().values()
    ten, four = sent(server, "evaluator")
    assert "empathetic (" in ten and "guided_exploration (" not in ten
    assert "empathetic (" not in four and "guided_exploration (" in four
    assert record.verdict and len(record.verdict.scores) == 14
    assert record.usage["evaluator"].calls == 2
    assert len(lines_of(tmp_path / "run" / "records.jsonl")) == 1
