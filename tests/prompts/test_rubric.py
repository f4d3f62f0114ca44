from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.errors import PromptError
from emoharbor.prompts.rubric import Rubric, load_rubric
from emoharbor.state.profile import Language

KEYS = (
    "response_appropriateness adaptive_strategies redundancy consistency safety human_likeness "
    "engagement empathetic problem_resolution mood_improvement"
).split()
LANGUAGES: tuple[Language, ...] = ("en", "zh")


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Rubric]:
    """Writes a rubric and loads it anew."""

    def written(text: str) -> Rubric:
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        load_rubric.cache_clear()
        return load_rubric(str(path), "en")

    return written


def rubric_data() -> dict[str, Any]:
    """A small rubric as its file would hold it."""
    dimension = {
        "key": "warmth",
        "short": "WA",
        "title": "Warmth",
        "facet": "care",
        "question": "Was it warm?",
        "levels": {level: f"level {level}" for level in range(1, 6)},
    }
    return {
        "name": "mine",
        "language": "en",
        "version": 1,
        "facets": [{"key": "care", "title": "Care"}],
        "dimensions": [dimension],
    }


def spoilt(**changes: Any) -> str:
    """The small rubric with its one dimension changed."""
    data = rubric_data()
    data["dimensions"][0] |= changes
    return yaml.safe_dump(data)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_ten_dimensions_in_five_facets(language: Language) -> None:
    rubric = load_rubric("emoharbor-10", language)
    assert rubric.keys == KEYS
    assert (rubric.name, rubric.language) == ("emoharbor-10", language)
    assert Counter(d.facet for d in rubric.dimensions) == {
        "personalization_adaptation": 2,
        "quality_safety": 3,
        "believability": 2,
        "affective_understanding": 1,
        "goal_achievement": 2,
    }
    assert [d.short for d in rubric.dimensions] == "RA AS RD CS SF HL EG EP PR MI".split()


def test_both_languages_have_the_same_shape() -> None:
    en, zh = (load_rubric("emoharbor-10", language) for language in LANGUAGES)
    shapes = [[(d.key, d.short, d.facet) for d in rubric.dimensions] for rubric in (en, zh)]
    assert shapes[0] == shapes[1]
    assert [f.key for f in en.facets] == [f.key for f in zh.facets]
    assert en.version == zh.version
    assert en.hash != zh.hash


def test_an_own_rubric_is_read(write: Callable[[str], Rubric]) -> None:
    rubric = write(yaml.safe_dump(rubric_data()))
    assert rubric.keys == ["warmth"]
    assert len(rubric.hash) == 12
    assert write(spoilt(question="Was it very warm?")).hash != rubric.hash


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"levels": {1: "a", 2: "b", 3: "c", 5: "e"}}, "warmth: levels 1 to 5"),
        ({"levels": {n: "x" for n in range(1, 7)}}, "levels"),
        ({"levels": {n: "x" for n in range(5)}}, "levels"),
        ({"levels": {1: "a", 2: "b", 3: " ", 4: "d", 5: "e"}}, "levels"),
        ({"facet": "cost"}, "warmth: its facet 'cost'"),
        ({"key": "Warm th"}, "dimensions.0.key"),
        ({"question": ""}, "dimensions.0.question"),
        ({"weight": 2}, "dimensions.0.weight"),
    ],
)
def test_a_bad_dimension_is_told_with_its_place(
    write: Callable[[str], Rubric], changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(PromptError, match=r"mine\.yaml") as caught:
        write(spoilt(**changes))
    assert told in str(caught.value)


def test_a_dimension_that_stands_there_twice(write: Callable[[str], Rubric]) -> None:
    data = rubric_data()
    data["dimensions"] *= 2
    with pytest.raises(PromptError, match="warmth stands there twice"):
        write(yaml.safe_dump(data))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: [", "not YAML"),
        ("", "top level"),
        ("- a\n- b", "top level"),
        ("name: mine", "language"),
        (yaml.safe_dump({**rubric_data(), "dimensions": []}), "dimensions"),
        (yaml.safe_dump({**rubric_data(), "version": "one"}), "version"),
        (yaml.safe_dump({**rubric_data(), "colour": "red"}), "colour"),
    ],
)
def test_a_file_that_is_no_rubric(write: Callable[[str], Rubric], text: str, told: str) -> None:
    with pytest.raises(PromptError, match=r"mine\.yaml.*" + told):
        write(text)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"name: caf\xe9")
    with pytest.raises(PromptError, match=r"mine\.yaml"):
        load_rubric(str(tmp_path / "mine.yaml"), "en")


def test_a_rubric_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="no rubric 'emoharbor-11' in zh; shipped: emoharbor-10"):
        load_rubric("emoharbor-11", "zh")
    with pytest.raises(PromptError, match=r"gone\.yaml"):
        load_rubric(str(tmp_path / "gone.yaml"), "en")
