"""Reading seeds: questionnaires, personas and drafts, and every mistake with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.errors import ConfigError
from emoharbor.profiles.seeds import read_seeds
from emoharbor.runs.build_plan import draw_lots
from emoharbor.state.building import Person, Seed
from tests.people import profile_data
from tests.processes import ROOT

ANSWERS = {"background": "drives a bus", "problem": "nobody speaks to me"}


def seeds(folder: Path, *items: Any) -> list[tuple[str, Seed]]:
    file = folder / "seeds.yaml"
    file.write_text(yaml.safe_dump(list(items), sort_keys=False), encoding="utf-8")
    return read_seeds(file, "en")


def person(seed: Seed) -> Person:
    return Person(id="p-001", language="en", seed=seed, lots=draw_lots(0, 1))


def test_a_questionnaire_may_state_whatever_a_profile_holds_of_its_first_part(
    tmp_path: Path,
) -> None:
    ((where, seed),) = seeds(tmp_path, {**ANSWERS, "age": 40, "occupation": "driver"})
    assert where == f"{tmp_path / 'seeds.yaml'}, line 1 (item 1)"
    assert seed.words == ANSWERS and seed.given == {
        "demographics": {"age": 40, "occupation": "driver"}
    }
    assert person(seed).category is None
    assert dict(person(seed).facts()) == {"age": "40", "occupation": "driver"}


def test_a_persona_has_a_category_or_draws_one(tmp_path: Path) -> None:
    (_, named), (_, drawn), (_, told) = seeds(
        tmp_path,
        {"persona": {"work": ["nurse", "nights"], "temper": "calm"}, "category": "Job Crisis"},
        {"persona": "keeps bees"},
        {"persona": "keeps bees", "problem": "they left"},
    )
    assert named.words["persona"] == "work: nurse; nights\ntemper: calm"
    assert person(named).category == "job crisis"
    assert person(drawn).category == person(drawn).lots.category
    assert person(told).category is None


def test_a_draft_keeps_whole_parts_and_tells_the_rest_as_facts(tmp_path: Path) -> None:
    data = profile_data()
    draft = {
        "id": "d-1",
        "language": "en",
        "source": "elsewhere",
        "lacks": ["preferences", "scenario"],
        "demographics": data["demographics"],
        "counselling": {"problem": "the boat leaks", "topic": "money"},
        "notes": {"resistance": "high"},
        "risk": ["abuse"],
    }
    file = tmp_path / "drafts.jsonl"
    file.write_text(json.dumps(draft) + "\n", encoding="utf-8")
    ((_, seed),) = read_seeds(file, "en")
    assert person(seed).whole("demographics") is not None
    assert person(seed).whole("counselling") is None
    facts = {"problem": "the boat leaks", "topic": "money"}
    assert dict(person(seed).facts()) == facts
    assert seed.words == {"resistance": "high"} and seed.risk == ("abuse",)
    assert person(seed).category is None and seed.source == "d-1, elsewhere"


def test_what_leads_to_somebody_is_taken_out(tmp_path: Path) -> None:
    ((_, seed),) = seeds(tmp_path, {**ANSWERS, "background": "write to jo@example.org, @jo_of_old"})
    assert seed.words["background"] == "write to [e-mail], [handle]"


def test_the_example_is_read() -> None:
    found = read_seeds(ROOT / "examples" / "seeds.yaml", "en")
    assert len(found) == 5
    assert [set(seed.words) & {"persona", "problem", "trouble"} for _, seed in found] == [
        {"problem"}, {"problem"}, {"persona"}, {"persona", "problem"}, {"trouble"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "item, words",
    [
        ("a text", "item 2): keys and values are wanted"),
        ({"background": "x"}, "item 2), problem: missing"),
        ({**ANSWERS, "background": ""}, "item 2), background: missing"),
        ({**ANSWERS, "problem": ["x"]}, "item 2), problem: a text is wanted"),
        ({**ANSWERS, "agee": 3}, "item 2), agee: there is no such key; did you mean 'age'?"),
        ({**ANSWERS, "age": 4}, "item 2), age: Input should be greater than or equal to 10"),
        ({**ANSWERS, "age": "old"}, "item 2), age: Input should be a valid integer"),
        ({**ANSWERS, "category": "sleep"}, "category: 'sleep'; did you mean 'sleep problems'?"),
        ({"persona": "x", "background": "y"}, "item 2), background: there is no such key"),
        ({"lacks": [], "language": "zh"}, "the draft is in 'zh', the build in 'en'"),
        ({"lacks": [], "preferences": {"mbti": "XX"}}, "item 2), preferences.mbti"),
        ({"lacks": [], "preferences": {"mbty": "INTP"}}, "did you mean 'mbti'?"),
    ],
)
def test_a_mistake_is_told_with_file_item_and_key(tmp_path: Path, item: Any, words: str) -> None:
    with pytest.raises(ConfigError) as told:
        seeds(tmp_path, ANSWERS, item)
    assert words in str(told.value) and str(told.value).startswith(f"{tmp_path / 'seeds.yaml'}, ")


@pytest.mark.parametrize(
    "name, text, words",
    [
        ("seeds.txt", "x", "ends in .yaml or .yml or .jsonl"),
        ("seeds.yaml", "[", "not YAML"),
        ("seeds.yaml", "[]", "no seed in it"),
        ("seeds.jsonl", '{"background": ', "line 1: not JSON"),
        ("seeds.yaml", None, "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_told(
    tmp_path: Path, name: str, text: str | None, words: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(ConfigError, match=words):
        read_seeds(tmp_path / name, "en")


def test_lots_differ_from_seed_to_seed_and_not_from_go_to_go() -> None:
    lots = [draw_lots(7, number) for number in range(1, 61)]
    assert lots == [draw_lots(7, number) for number in range(1, 61)]
    for name in ("mbti", "length", "opening", "gender", "hard", "category"):
        assert len({getattr(one, name) for one in lots}) >= 2
    assert len({one.mbti for one in lots}) >= 14 and draw_lots(8, 1) != lots[0]
