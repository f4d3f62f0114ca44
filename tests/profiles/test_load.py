"""Reading profiles: shipped sets, files, folders, filters, and broken ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from emoharbor.errors import ConfigError
from emoharbor.profiles import load_profiles

ONE = json.loads(Path("emoharbor/data/profiles/en.jsonl").read_text("utf-8").splitlines()[0])


@pytest.mark.parametrize("name", ["en", "zh"])
def test_shipped_sets_are_whole_and_different(name: str) -> None:
    profiles = load_profiles(name)
    assert len(profiles) >= 10 and {p.language for p in profiles} == {name}
    assert len({p.counselling.topic for p in profiles}) >= 10
    assert len({p.preferences.mbti for p in profiles}) >= 10
    assert any(p.minor for p in profiles) and any(p.hard for p in profiles)
    assert all(p.minor == (p.demographics.age < 18) for p in profiles)


@pytest.mark.parametrize(
    "query, check",
    [
        ("topic=work", lambda p: p.counselling.topic == "work"),
        ("topic=work,grief", lambda p: p.counselling.topic in ("work", "grief")),
        ("age=18-40", lambda p: 18 <= p.demographics.age <= 40),
        ("risk=none", lambda p: not p.risk),
        ("language=en", lambda p: p.language == "en"),
        ("hard=true", lambda p: p.hard),
        ("minor=false&goal=be_heard", lambda p: not p.minor and p.counselling.goal == "be_heard"),
    ],
)
def test_filters(query: str, check: object) -> None:
    found = load_profiles(f"en?{query}")
    assert found and all(check(p) for p in found)  # type: ignore[operator]


@pytest.mark.parametrize(
    "address, words",
    [
        ("fr", "no profiles 'fr'"),
        ("en?topik=work", "no filter 'topik'; did you mean 'topic'?"),
        ("en?age=old", "age=old"),
        ("en?topic=astronomy", "none fits"),
    ],
)
def test_wrong_addresses_are_told(address: str, words: str) -> None:
    with pytest.raises(ConfigError) as told:
        load_profiles(address)
    assert words in str(told.value)


def test_a_file_a_yaml_and_a_folder(tmp_path: Path) -> None:
    other = {**ONE, "id": "mine-2"}
    (tmp_path / "a.jsonl").write_text(json.dumps(ONE) + "\n\n", encoding="utf-8")
    (tmp_path / "b.yaml").write_text(yaml.safe_dump([other]), encoding="utf-8")
    assert [p.id for p in load_profiles(str(tmp_path / "a.jsonl"))] == ["en-001"]
    assert [p.id for p in load_profiles(str(tmp_path))] == ["en-001", "mine-2"]


def broken(field: str) -> str:
    value = json.loads(json.dumps(ONE))
    value["id"] = "mine"
    value["demographics"][field] = -1
    return json.dumps(value)


@pytest.mark.parametrize(
    "line, words",
    [
        ("{not json", "line 2: not JSON"),
        (broken("age"), "line 2, demographics.age"),
        (broken("shoe_size"), "line 2, demographics.shoe_size"),
        (json.dumps(ONE), "'en-001' stands there twice"),
        ("[1, 2]", "line 2"),
    ],
)
def test_a_broken_line_is_told_with_file_line_and_field(
    tmp_path: Path, line: str, words: str
) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text(json.dumps(ONE) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(ConfigError) as told:
        load_profiles(str(path))
    assert words in str(told.value) and "people.jsonl" in str(told.value)


def test_a_broken_item_of_a_yaml_file_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "people.yaml"
    whole, spoilt = yaml.safe_dump([ONE]), yaml.safe_dump([json.loads(broken("age"))])
    path.write_text(whole + spoilt, encoding="utf-8")
    line = whole.count("\n") + 1
    with pytest.raises(ConfigError) as told:
        load_profiles(str(path))
    assert f"people.yaml, line {line}, demographics.age: " in str(told.value)


@pytest.mark.parametrize("text", ["a: [", "- *nobody", "!!python/object:os.system {}"])
def test_what_is_no_yaml_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="people.yaml: not YAML: ") as told:
        load_profiles(str(path))
    assert "\n" not in str(told.value)


def test_separators_inside_a_text_end_no_line(tmp_path: Path) -> None:
    value = json.loads(json.dumps(ONE))
    value["counselling"]["problem"] = "one\u2028two\x85three"
    path = tmp_path / "people.jsonl"
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    assert load_profiles(str(path))[0].counselling.problem == "one\u2028two\x85three"


def test_bytes_that_are_no_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_profiles(str(path))
