"""`profiles import`: what other projects say of a person comes along, and nothing is made up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from emoharbor.profiles.load import read_profiles
from tests.here import emoharbor
from tests.people import profile_data
from tests.profiles import foreign_files as files
from tests.profiles.crowd import people, written


def imported(tmp_path: Path, form: str, value: Any) -> list[dict[str, Any]]:
    """The drafts that `profiles import` writes of a file that holds `value`."""
    source, out = tmp_path / "source.json", tmp_path / "new" / "drafts.jsonl"
    source.write_text(json.dumps(value), encoding="utf-8")
    told = emoharbor("profiles", "import", str(source), "-o", str(out), "--from", form)
    assert told.returncode == 0, told.stderr
    lines = out.read_text(encoding="utf-8").splitlines()
    assert f"{len(lines)} drafts in " in told.stdout
    return [json.loads(line) for line in lines]


def test_the_worst_case_projects_seekers(tmp_path: Path) -> None:
    [draft] = imported(tmp_path, "worst_case", files.WORST_CASE)
    assert draft.pop("lacks")[-1] == "scenario"
    assert draft == {
        "id": "worst_case-007",
        "language": "zh",
        "source": "worst_case: source.json, entry 1",
        "demographics": {
            "age": 31,
            "gender": "女性",
            "occupation": "宠物美容师",
            "education": "大专",
            "relationship": "已婚",
        },
        "preferences": {"speech_style": "你说话绕，爱打比方。"},
        "counselling": {"problem": files.WORST_CASE["problem_summary"]},
        "notes": {
            "engagement_level": "你愿意聊，但常常走神。",
            "resistance_level": "你不喜欢别人替你下结论。",
            "self_disclosure": "你只讲店里的事。",
        },
    }


def test_role_cards_of_esc_eval(tmp_path: Path) -> None:
    first, second, third = imported(tmp_path, "esc_eval", files.ESC_EVAL)
    assert (first["id"], first["language"]) == ("esc_eval-4101", "en")
    assert first["demographics"] == {"gender": "Male", "occupation": "lifeguard"}
    problem = "The seeker froze during a rescue: a colleague stepped in."
    assert first["counselling"] == {"topic": "工作学习", "problem": problem}
    assert first["notes"] == {"source": "ESconv"}
    assert second["language"] == "zh" and second["demographics"] == {"age": 16}
    assert second["minor"] is True
    assert second["notes"]["occupation"] == "未提及，但在准备中考"
    assert third["demographics"] == {"gender": "女", "occupation": "会计"}
    assert third["notes"]["demographics.age"] == "中年" and "minor" not in third
    assert all("demographics.age" in one["lacks"] for one in (first, third))


def test_seekers_of_esconv(tmp_path: Path) -> None:
    first, second = imported(tmp_path, "esconv", files.ESCONV)
    assert first["id"] == "esconv-0001" and second["id"] == "esconv-0002"
    assert first["counselling"] == {
        "topic": "job crisis",
        "problem": "I told everyone I was promoted. Write to me: [e-mail].",
        "emotion": "shame",
    }
    assert first["notes"] == {"experience_type": "Current Experience"}
    assert {"demographics", "preferences", "counselling.goal"} <= set(first["lacks"])


def test_personas_of_personamem_lose_what_points_to_them(tmp_path: Path) -> None:
    first, second = imported(tmp_path, "personamem", files.PERSONAMEM)
    assert first["demographics"] == {
        "age": 47,
        "gender": "Female",
        "occupation": "Ferry engineer",
        "education": "Marine diploma",
        "residence": "Halifax, Canada",
        "relationship": "Divorced",
    }
    assert first["preferences"] == {
        "traits": "Stubborn, Warm",
        "hobbies": ["Crosswords", "Tin whistle"],
    }
    assert first["notes"] == {
        "persona": "A ferry engineer from Halifax, [name], who writes crosswords.",
        "therapy_background": "At 12 [name] moved twice.; Call [number] at night.",
        "goals": "Sell the boat [name] inherited",
    }
    assert second["demographics"]["age"] == 29
    assert second["demographics"]["nationality"] == "French"
    assert second["demographics"]["residence"] == "[address], Lyon"
    assert second["demographics"]["family"] == "[name] grew up over a bakery; see [link]"
    whole = json.dumps([first, second])
    for secret in ("Henrietta", "Etta", "Oakes", "Bastien", "etta@", "B3H", "Blue Line", "902"):
        assert secret not in whole


def test_values_that_no_profile_takes_are_noted(tmp_path: Path) -> None:
    persona = {"persona": "A clock.", "age": 400, "hobbies": ["ticking", "", None], "habits": "x"}
    [draft] = imported(tmp_path, "personamem", {"a b/c": persona})
    assert draft["id"] == "personamem-a-b-c" and draft["preferences"] == {"hobbies": ["ticking"]}
    assert draft["notes"] == {"persona": "A clock.", "demographics.age": "400"}
    assert "demographics" in draft["lacks"] and "preferences.habits" in draft["lacks"]


def test_lines_and_folders_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    folder.mkdir()
    for name, cards in (("a", files.ESC_EVAL[:2]), ("b", files.ESC_EVAL[2:])):
        text = "\n".join(json.dumps(card, ensure_ascii=False) for card in cards)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    out = tmp_path / "d.jsonl"
    told = emoharbor("profiles", "import", str(folder), "-o", str(out), "--from", "esc_eval")
    assert told.returncode == 0 and list(read_profiles(str(out)).drafts) == [
        f"{out}, line {number}" for number in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    "form, value, words",
    [
        ("esc-eval", {}, "no format 'esc-eval'; did you mean 'esc_eval'?"),
        ("esconv", [{"text": "hi"}], "entry 1: not a person of esconv: no 'situation'"),
        ("esconv", ["hi"], "source.json, entry 1: not a person of esconv"),
        ("esconv", [], "nobody in it"),
        ("esconv", "hi", "not a person of esconv"),
        ("worst_case", [files.WORST_CASE] * 2, "entry 2: 'worst_case-007' stands there twice"),
        ("esc_eval", [{**files.ESC_EVAL[0], "language": "latin"}], "entry 1: language 'latin'"),
    ],
)
def test_what_is_not_in_the_format_is_told(
    tmp_path: Path, form: str, value: Any, words: str
) -> None:
    source = tmp_path / "source.json"
    source.write_text(json.dumps(value), encoding="utf-8")
    out = tmp_path / "d.jsonl"
    told = emoharbor("profiles", "import", str(source), "-o", str(out), "--from", form)
    assert told.returncode == 2 and words in " ".join(told.stderr.split())
    assert not out.exists()


def test_a_file_that_is_there_is_kept(tmp_path: Path) -> None:
    drafts = imported(tmp_path, "worst_case", files.WORST_CASE)
    args = (str(tmp_path / "source.json"), "-o", str(tmp_path / "new" / "drafts.jsonl"))
    told = emoharbor("profiles", "import", *args, "--from", "worst_case")
    assert told.returncode == 2 and "is there already" in told.stderr
    assert imported(tmp_path / "new", "worst_case", files.WORST_CASE) == drafts


def test_a_draft_is_no_profile_yet(tmp_path: Path) -> None:
    drafts = imported(tmp_path, "worst_case", files.WORST_CASE)
    mixed = written(tmp_path / "mixed.jsonl", [people()[0], *drafts])
    told = emoharbor("profiles", "check", mixed, COLUMNS="2000")
    lacking = "'worst_case-007' is a draft that lacks demographics.nationality, "
    assert told.returncode == 1 and f"mixed.jsonl, line 2: {lacking}" in told.stdout
    run = emoharbor(
        "run", "demo", "--profiles", mixed, "--supporter", "bot=scripted:echo", "--model",
        "scripted:echo", "--out", str(tmp_path / "run"), COLUMNS="2000",
    )  # fmt: skip
    assert run.returncode == 2 and f"mixed.jsonl, line 2: {lacking}" in run.stderr
    assert "emoharbor profiles build" in run.stderr and not (tmp_path / "run").exists()


def test_a_draft_is_filled_by_hand_until_nothing_lacks(tmp_path: Path) -> None:
    draft = {**profile_data(), "lacks": ["scenario"], "source": "somewhere"}
    scenario = draft.pop("scenario")
    path = tmp_path / "d.jsonl"
    [one] = read_profiles(written(path, [draft])).drafts.values()
    assert one.lacks == ("scenario",)
    few = {**scenario, "reactions": {"advice": "Argues."}}
    [one] = read_profiles(written(path, [{**draft, "scenario": few}])).drafts.values()
    assert one.lacks == ("scenario.reactions",)
    whole = {**draft, "scenario": scenario}
    told = emoharbor("profiles", "list", written(path, [whole]))
    assert told.returncode == 2 and "remove lacks, source and notes" in told.stderr
    del whole["lacks"], whole["source"]
    assert "t-en" in emoharbor("profiles", "list", written(path, [whole])).stdout


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"demographics": {"age": "old"}}, "demographics.age"),
        ({"shoe_size": 43}, "shoe_size"),
        ({"source": ""}, "source"),
        ({"id": "no blanks"}, "id"),
    ],
)
def test_what_a_draft_says_must_fit_a_profile(
    tmp_path: Path, changes: dict[str, Any], field: str
) -> None:
    draft = {"id": "d", "language": "en", "source": "somewhere", "lacks": [], **changes}
    [broken] = read_profiles(written(tmp_path / "d.jsonl", [draft])).broken
    assert broken.field == field
