"""What is wrong with people who were written badly: asked again, mended, or set aside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.building import PARTS, asked, built, key_of, kinds, role_of
from tests.served import lines_of

BAD: list[Any] = ["Sure! Here is the person.", "", '{"demographics": ', {}, {"oops": 1}]


@pytest.mark.parametrize("bad", BAD, ids=["prose", "empty", "torn", "nothing", "other"])
@pytest.mark.parametrize("step", [*PARTS, "critic"])
def test_a_bad_reply_is_asked_for_once_more(tmp_path: Path, step: str, bad: Any) -> None:
    result, server = built(tmp_path, lambda r, data, nth, k: bad if (r, nth) == (step, 1) else None)
    assert len(result.accepted) == 1 and asked(server).count(step) == 2


@pytest.mark.parametrize("step", [*PARTS, "critic"])
def test_two_bad_replies_set_that_seed_aside_and_no_other(tmp_path: Path, step: str) -> None:
    def change(role: str, data: Any, nth: int, key: str) -> Any:
        return "no" if (role, key) == (step, "2") else None

    result, server = built(tmp_path, change, count=3)
    assert [r.id for r in result.accepted] == ["p-001", "p-003"]
    (record,) = result.set_aside
    assert kinds(result) == ["unusable"] and result.reasons == {"unusable": 1}
    assert "not one JSON object" in record.faults[0].says
    assert record.faults[0].part == (step if step != "critic" else None)
    (line,) = lines_of(tmp_path / "run" / "set_aside.jsonl")
    assert line["seed"]["words"]["background"].startswith("mark2") and line["id"] == "p-002"
    assert all(line["made"][part] for part in PARTS[: [*PARTS, "critic"].index(step)])
    assert [role_of(b) for b in server.bodies if key_of(b) == "2"][-2:] == [step, step]


def spoilt(part: str, field: str, value: Any) -> Any:
    """A writer that puts `value` into a field, in its first go alone."""

    def change(role: str, data: Any, nth: int, key: str) -> Any:
        if role == part:
            holder = data[part]
            *path, last = field.split(".")
            for name in path:
                holder = holder[name]
            holder[last] = value
            return data
        return None

    return change


@pytest.mark.parametrize(
    "part, field, value, says",
    [
        ("demographics", "age", "about forty", "demographics.age"),
        ("demographics", "age", 300, "demographics.age"),
        ("preferences", "mbti", "ABCD", "preferences.mbti"),
        ("preferences", "sample_lines", ["one"], "preferences.sample_lines"),
        ("counselling", "goal", "win", "counselling.goal"),
        ("counselling", "problem", "  ", "counselling.problem"),
        ("scenario", "withheld", [], "scenario.withheld"),
        ("scenario", "reactions", {"advice": "no"}, "scenario.reactions"),
    ],
)
def test_what_no_profile_may_hold_is_named(
    tmp_path: Path, part: str, field: str, value: Any, says: str
) -> None:
    result, _ = built(tmp_path, spoilt(part, field, value))
    assert kinds(result) == ["unusable"] and says in result.set_aside[0].faults[0].says


FAULTY = [
    ("identifiers", "preferences", "speech_style", "Write to me at jo@example.org."),
    (
        "identifiers",
        "counselling",
        "problem",
        "He lives at 12 Harbour View Road. " + "so it goes " * 30,
    ),
    (
        "copied",
        "counselling",
        "emotional_state",
        "drives the early ferry to the island every day " * 3,
    ),
    ("repeated", "scenario", "opens_up", "the very same"),
    (
        "language",
        "scenario",
        "leaves",
        "他一句话也没说就走了，后来再也没有回来过，我在门口站了半天。" * 9,
    ),
    ("length", "counselling", "problem", "and on and on it went for ever " * 60),
    (
        "risk",
        "counselling",
        "problem",
        "I wanted to kill myself. " + "then another day went by again " * 9,
    ),
]


@pytest.mark.parametrize("kind, part, field, value", FAULTY, ids=[f[0] for f in FAULTY])
def test_what_code_can_see_is_mended_though_the_critic_sees_nothing(
    tmp_path: Path, kind: str, part: str, field: str, value: str
) -> None:
    def change(role: str, data: Any, nth: int, key: str) -> Any:
        if kind == "repeated" and role == part:
            data[part]["opening"] = value
        return spoilt(part, field, value)(role, data, nth, key)

    result, server = built(tmp_path, change)
    (record,) = result.accepted
    assert kind in {fault.kind for fault in record.mended}
    assert asked(server) == [*PARTS, "critic", "mender", "critic"]


def test_what_is_not_mended_is_set_aside_and_the_critic_not_asked_again(tmp_path: Path) -> None:
    def change(role: str, data: Any, nth: int, key: str) -> Any:
        if "preferences" in data:
            data["preferences"]["speech_style"] += " jo@example.org"
        return data

    result, server = built(tmp_path, change)
    assert kinds(result) == ["identifiers"] and [f.kind for f in result.set_aside[0].mended]
    assert asked(server) == [*PARTS, "critic", "mender"]


def objects(times: int) -> Any:
    """A critic with something against the voice, so often."""

    def change(role: str, data: Any, nth: int, key: str) -> Any:
        if role == "critic" and nth <= times:
            data["voice"]["faults"] = [{"part": "preferences", "what": "sample_lines: too neat"}]
        return data

    return change


def test_the_mender_writes_only_what_was_faulted(tmp_path: Path) -> None:
    result, server = built(tmp_path, objects(1))
    (record,) = result.accepted
    assert [(f.kind, f.part, f.says) for f in record.mended] == [
        ("voice", "preferences", "sample_lines: too neat")
    ]
    (mending,) = [b for b in server.bodies if role_of(b) == "mender"]
    schema = mending["response_format"]["json_schema"]["schema"]
    assert list(schema["properties"]) == ["preferences"]
    assert "sample_lines: too neat" in mending["messages"][-1]["content"]


def test_a_person_is_mended_once(tmp_path: Path) -> None:
    result, server = built(tmp_path, objects(2))
    assert kinds(result) == ["voice"] and asked(server).count("mender") == 1


def test_a_critic_who_has_not_read_the_person_accepts_nobody(tmp_path: Path) -> None:
    def change(role: str, data: Any, nth: int, key: str) -> Any:
        if role == "critic":
            data["voice"]["quote"] = "words that nobody wrote"
        return data

    result, _ = built(tmp_path, change)
    assert kinds(result) == ["unusable"] and "voice.quote" in result.set_aside[0].faults[0].says


def test_an_age_that_was_stated_stays(tmp_path: Path) -> None:
    result, _ = built(tmp_path, stated={"age": 52})
    assert kinds(result) == ["faithful"]
