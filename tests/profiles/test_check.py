"""`profiles check`: each kind of thing that may be wrong, and nothing where nothing is."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from emoharbor.profiles.checks import check
from tests.here import emoharbor
from tests.profiles.crowd import people, spoilt, written

LINE = "Every other Tuesday the two of us counted buttons in the shed."
TEXT = {"en": LINE + " ", "zh": "每隔一个礼拜二我们俩在棚子里数扣子。"}


def found(source: str, *options: str) -> tuple[int, list[str]]:
    """The exit code of a check, and the lines of its findings."""
    told = emoharbor("profiles", "check", source, *options, COLUMNS="2000")
    lines = [line.strip() for line in told.stdout.splitlines()]
    return told.returncode, [line for line in lines if re.match(r"[^│┃└┡┏]*: ", line)]


def findings(tmp_path: Path, persons: list[dict[str, Any]]) -> list[str]:
    """What is found in a file of these, without what a check says of any file."""
    code, lines = found(written(tmp_path / "p.jsonl", persons))
    said = [line for line in lines if not line.startswith(("length (", "most similar: "))][:-1]
    assert code == bool(said)
    return said


@pytest.mark.parametrize("name", ["en", "zh"])
def test_the_shipped_sets_are_clean(name: str) -> None:
    code, lines = found(name)
    assert code == 0, lines


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_good_file_of_ones_own_is_clean_and_needs_no_coverage(
    tmp_path: Path, language: str
) -> None:
    assert findings(tmp_path, people(language)) == []
    told = emoharbor("profiles", "check", str(tmp_path / "p.jsonl")).stdout
    assert "at least 28 different" in told and "23 more" in told
    assert re.search(rf"length \({language}\): \d+ to \d+ \w+ a person; ", told)


def test_a_shipped_set_must_be_covered_and_a_part_of_it_need_not() -> None:
    whole, part = check("en"), check("en?age=18-30")
    assert whole.covered and not part.covered and any(row.lacks for row in part.coverage)
    assert not part.findings


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"minor": True}, "en-001, minor: true, at the age of 41"),
        ({"demographics": {"age": 17}}, "en-001, minor: false, at the age of 17"),
        ({"risk": ["abuse"]}, "en-001, risk: names abuse, and no text shows a trace of it"),
        (
            {"scenario": {"opens_up": "He says he wants to die."}},
            "en-001, scenario.opens_up: speaks of self_harm ('wants to die'), which",
        ),
    ],
)
def test_fields_are_held_against_age_and_words(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    [told] = findings(tmp_path, [spoilt(people()[0], **changes)])
    assert told.startswith(says)


@pytest.mark.parametrize(
    "language, times, says",
    [
        ("en", 40, r"en-001: \d+ words in all; 250 to 500 are wanted"),
        ("zh", 40, r"zh-001: \d+ characters in all; 450 to 950 are wanted"),
        ("en", 0, r"en-001: \d+ words in all; 250 to 500 are wanted"),
    ],
)
def test_too_long_and_too_short(tmp_path: Path, language: str, times: int, says: str) -> None:
    person = people(language)[0]
    if times:
        person["counselling"]["problem"] = TEXT[language] * times
    else:
        person["scenario"]["reactions"] = dict.fromkeys(person["scenario"]["reactions"], "No.")
        person["counselling"]["problem"] = person["preferences"]["speech_style"] = "No."
    [told] = findings(tmp_path, [person])
    assert re.fullmatch(says, told)


@pytest.mark.parametrize(
    "language, said",
    [
        ("en", "every other tuesday the two of us counted buttons in the shed"),
        ("zh", "每隔一个礼拜二我们俩在棚子里数扣子"),
    ],
)
def test_a_sentence_belongs_to_one_person(tmp_path: Path, language: str, said: str) -> None:
    crowd = people(language, 3)
    crowd[0]["counselling"]["problem"] += TEXT[language]
    crowd[2]["scenario"]["opening"] = TEXT[language].upper()
    [told] = findings(tmp_path, crowd)
    ids = f"{language}-001, {language}-003"
    assert told == f"{ids}: the same sentence: '{said}'"


def test_two_who_are_nearly_the_same(tmp_path: Path) -> None:
    first, second, third = people(number=3)
    for name in ("traits", "speech_style"):
        # Word by word the same, and no sentence of six words.
        second["preferences"][name] = first["preferences"][name].replace(" ", ". ")
    second["scenario"] = json.loads(json.dumps(first["scenario"]).replace(" a ", " a. "))
    told = findings(tmp_path, [first, third, second])
    assert any(re.match(r"en-001, en-002: too similar: 0\.\d\d, at most 0.12", s) for s in told)
    nearest = check(str(tmp_path / "p.jsonl")).nearest
    assert nearest and (nearest.first, nearest.second) == ("en-001", "en-002")


def test_every_broken_field_is_told_and_the_rest_is_checked_all_the_same(tmp_path: Path) -> None:
    first, second, third = people(number=3)
    second["demographics"] |= {"age": 7, "shoe_size": 43}
    second["scenario"]["reactions"].pop("generic")
    second["preferences"]["sample_lines"] = ["aye", "naw"]
    path = tmp_path / "p.jsonl"
    lines = [json.dumps(one) for one in (first, second, {**third, "minor": True})]
    path.write_text("\n".join([lines[0], "{not json", *lines[1:]]), encoding="utf-8")
    code, told = found(str(path))
    broken = [line for line in told if line.startswith(f"{path}, line")]
    assert code == 1 and broken[0].startswith(f"{path}, line 2: not JSON")
    assert [line.split(",")[2].split(":")[0].strip() for line in broken[1:]] == [
        "demographics.age",
        "demographics.shoe_size",
        "preferences.sample_lines",
        "scenario.reactions",
    ]
    assert all(line.startswith(f"{path}, line 3, ") for line in broken[1:])
    assert any(line.startswith("en-003, minor:") for line in told)


def test_two_of_one_name(tmp_path: Path) -> None:
    one = people()[0]
    [told] = findings(tmp_path, [one, one])
    assert told.endswith("line 2, id: 'en-001' stands there twice")


def test_filters_narrow_what_is_checked(tmp_path: Path) -> None:
    first, second = people(number=2)
    source = written(tmp_path / "p.jsonl", [spoilt(first, minor=True), second])
    assert found(source)[0] == 1 and found(source, "--topic", "study")[0] == 0
