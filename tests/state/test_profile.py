from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from emoharbor.profiles import load_profiles
from emoharbor.state.profile import Feedback, Language, Profile
from tests.people import leaves, make_profile, merged, profile_data

LANGUAGES: tuple[Language, ...] = ("en", "zh")
PARTS = (
    (),
    ("demographics",),
    ("preferences",),
    ("preferences", "big_five"),
    ("counselling",),
    ("scenario",),
)
FIELDS = sorted(
    {path[: 1 + i] for path, _ in leaves(profile_data()) for i in range(len(path))}, key=str
)
REQUIRED = [path for path in FIELDS if isinstance(path[-1], str) and "reactions" not in path[:-1]]
TEXTS = [
    path
    for path, value in leaves(profile_data())
    if isinstance(value, str) and path[-1] not in ("id", "language", "mbti", "goal")
]


def fault(data: Any) -> dict[str, Any]:
    with pytest.raises(ValidationError) as caught:
        Profile.model_validate(data)
    return dict(caught.value.errors()[0])


def part(data: dict[str, Any], path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_invented_profile_is_valid(language: Language) -> None:
    profile = make_profile(language)
    assert profile.language == language
    assert Profile.model_validate_json(profile.model_dump_json()) == profile


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shipped_profiles_are_valid_and_speak_their_language(language: Language) -> None:
    profiles = load_profiles(language)
    assert len(profiles) >= 10
    assert {profile.language for profile in profiles} == {language}


@pytest.mark.parametrize("path", REQUIRED, ids=lambda p: ".".join(map(str, p)))
def test_a_missing_field_is_named(path: tuple[Any, ...]) -> None:
    data = profile_data()
    del part(data, path[:-1])[path[-1]]
    found = fault(data)
    assert (found["type"], found["loc"]) == ("missing", path)


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: ".".join(map(str, p)))
def test_a_blank_text_is_named(path: tuple[Any, ...]) -> None:
    data = profile_data()
    part(data, path[:-1])[path[-1]] = " \n\t"
    assert fault(data)["loc"] == path


@pytest.mark.parametrize("path", PARTS, ids=lambda p: ".".join(p) or "profile")
def test_an_unknown_key_is_named(path: tuple[str, ...]) -> None:
    data = profile_data()
    part(data, path)["shoe_size"] = 42
    found = fault(data)
    assert (found["type"], found["loc"]) == ("extra_forbidden", (*path, "shoe_size"))


@pytest.mark.parametrize(
    ("changes", "loc"),
    [
        ({"id": "no spaces"}, ("id",)),
        ({"id": "-first"}, ("id",)),
        ({"id": "x" * 65}, ("id",)),
        ({"language": "fr"}, ("language",)),
        ({"demographics": {"age": 9}}, ("demographics", "age")),
        ({"demographics": {"age": 111}}, ("demographics", "age")),
        ({"demographics": {"age": "old"}}, ("demographics", "age")),
        ({"preferences": {"mbti": "ISTX"}}, ("preferences", "mbti")),
        ({"preferences": {"mbti": "istj"}}, ("preferences", "mbti")),
        ({"preferences": {"big_five": {"openness": 0}}}, ("preferences", "big_five", "openness")),
        ({"preferences": {"big_five": {"openness": 6}}}, ("preferences", "big_five", "openness")),
        ({"preferences": {"big_five": {"openness": 2.5}}}, ("preferences", "big_five", "openness")),
        ({"preferences": {"habits": []}}, ("preferences", "habits")),
        ({"preferences": {"hobbies": "chess"}}, ("preferences", "hobbies")),
        ({"preferences": {"sample_lines": ["a", "b"]}}, ("preferences", "sample_lines")),
        ({"preferences": {"sample_lines": list("abcdefg")}}, ("preferences", "sample_lines")),
        ({"counselling": {"goal": "win"}}, ("counselling", "goal")),
        ({"counselling": {"goals": []}}, ("counselling", "goals")),
        ({"counselling": {"relations": []}}, ("counselling", "relations")),
        ({"scenario": {"withheld": []}}, ("scenario", "withheld")),
        ({"risk": ["boredom"]}, ("risk", 0)),
        ({"minor": "perhaps"}, ("minor",)),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_bad_value_is_named(changes: dict[str, Any], loc: tuple[Any, ...]) -> None:
    assert fault(merged(profile_data(), changes))["loc"] == loc


@pytest.mark.parametrize("kind", get_args(Feedback))
def test_a_reaction_to_every_kind_of_feedback_is_wanted(kind: str) -> None:
    data = profile_data()
    del data["scenario"]["reactions"][kind]
    assert fault(data)["loc"] == ("scenario", "reactions")


def test_a_reaction_to_something_else_is_refused() -> None:
    data = profile_data()
    data["scenario"]["reactions"]["applause"] = "Bows."
    assert fault(data)["loc"][:3] == ("scenario", "reactions", "applause")


@pytest.mark.parametrize("data", [None, [], "a person", 3])
def test_something_else_is_no_profile(data: Any) -> None:
    assert fault(data)["loc"] == ()


@pytest.mark.parametrize("path", PARTS, ids=lambda p: ".".join(p) or "profile")
def test_nothing_in_a_profile_can_be_set(path: tuple[str, ...]) -> None:
    held: BaseModel = make_profile()
    for name in path:
        held = getattr(held, name)
    for name in type(held).model_fields:
        with pytest.raises(ValidationError, match="frozen"):
            setattr(held, name, getattr(held, name))


def test_texts_are_stripped() -> None:
    profile = make_profile(demographics={"occupation": "  bus driver\n"})
    assert profile == make_profile()
