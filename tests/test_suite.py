"""Suites: what ships, what a flag changes, and what a mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.flags import suite_from_flags
from emoharbor.suite import load_suite, make_suite, parse_setting, shipped_suites

MINIMAL = """
name: mine
agents:
  thinker: {use: none}
  talker: {use: talker, model: "scripted:echo"}
  evaluator: {use: user_as_judge, model: "scripted:echo"}
"""


def told(text: str, tmp_path: Path) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as error:
        load_suite(str(path))
    return str(error.value)


def test_all_shipped_suites_load() -> None:
    assert {"demo", "emoharbor", "emoharbor_as_published"} <= set(shipped_suites())
    for name in shipped_suites():
        assert load_suite(name).name == name


def test_published_settings_are_the_papers() -> None:
    suite = load_suite("emoharbor_as_published")
    agents = suite.agents
    temperatures = [a.model_extra and a.model_extra.get("temperature") for a in
                    (agents.thinker, agents.talker, agents.evaluator)]  # fmt: skip
    assert temperatures == [0.1, 0.7, 0.0]
    assert (suite.max_turns, suite.opening) == (15, "supporter")
    assert "gpt-4o" in str(suite.models["user"].spec)
    assert "qwen3-235b" in str(suite.models["judge"].spec)


@pytest.mark.parametrize(
    "change, words",
    [
        ("max_turn: 3", "unknown key 'max_turn'; did you mean 'max_turns'?"),
        ("max_turns: many", "max_turns"),
        ("max_turns: 0", "max_turns"),
        ("language: fr", "language"),
        ("models: {user: {spek: x}}", "'models.user.spek'; did you mean 'spec'?"),
        ("supporters: [{name: a b, use: chat}]", "supporters.0.name"),
        (
            "supporters: [{name: a, use: chat}, {name: a, use: chat}]",
            "two supporters are named 'a'",
        ),
        ("- just\n- a list", "not YAML"),
    ],
)
def test_a_wrong_key_is_named(tmp_path: Path, change: str, words: str) -> None:
    message = told(MINIMAL + change, tmp_path)
    assert words in message and "mine.yaml" in message


def test_an_unknown_node_names_the_known_ones(tmp_path: Path) -> None:
    message = told(MINIMAL.replace("thinker:", "tinker:"), tmp_path)
    assert "agents.thinker" in message or "did you mean 'thinker'" in message


def test_an_unknown_suite_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'emoharbor'"):
        load_suite("emoharbour")


def test_set_reaches_every_depth() -> None:
    settings = ["agents.talker.temperature=0.9", "opening_line=Hi.", "models.user.timeout=5"]
    suite = suite_from_flags("emoharbor", settings=settings)
    assert suite.agents.talker.model_extra == {"temperature": 0.9, "prompt": "talker"}
    assert (suite.first_line, suite.models["user"].timeout) == ("Hi.", 5.0)


@pytest.mark.parametrize("text", ["agents.talker", "=3", "seed=[1"])
def test_a_broken_setting_is_told(text: str) -> None:
    with pytest.raises(ConfigError, match="--set"):
        parse_setting(text)


def test_a_setting_on_nothing_is_told() -> None:
    with pytest.raises(ConfigError, match="supporters"):
        suite_from_flags("demo", settings=["supporters.nobody.temperature=1"])


def test_language_brings_its_profiles_and_line() -> None:
    suite = suite_from_flags("emoharbor", plain={"language": "zh"})
    assert (suite.profiles, suite.first_line) == ("zh", "你好")
    own = suite_from_flags("emoharbor", plain={"language": "zh", "profiles": "mine.jsonl"})
    assert own.profiles == "mine.jsonl"


def test_model_and_judge_flags_fill_the_roles() -> None:
    suite = suite_from_flags("emoharbor", model="openai:a", judge="openai:b")
    assert (suite.models["user"].spec, suite.models["judge"].spec) == ("openai:a", "openai:b")


def test_a_key_named_for_one_endpoint_goes_to_no_other() -> None:
    suite = suite_from_flags("emoharbor_as_published", judge="openai:q@http://stranger.example/v1")
    assert suite.models["judge"].api_key_env is None
    same = suite_from_flags("emoharbor_as_published", model="openai:gpt-4.1")
    assert same.models["user"].api_key_env == "OPENAI_API_KEY"


def test_supporters_are_named_after_their_models() -> None:
    suite = suite_from_flags(
        "emoharbor",
        supporters=["openai:org/bot@http://127.0.0.1:1/v1", "mine=openai:b", "my_mod:agent"],
    )
    assert [(s.name, s.use) for s in suite.supporters] == [
        ("org-bot", "chat"),
        ("mine", "chat"),
        ("my_mod-agent", "my_mod:agent"),
    ]


def test_concurrency_holds_for_every_endpoint() -> None:
    suite = suite_from_flags("demo", plain={"concurrency": 7})
    assert suite.model_config_of("small").concurrency == 7
    assert suite.model_config_of("openai:x").concurrency == 7


def test_a_suite_file_says_no_default_of_a_model() -> None:
    """What a provider does without being told otherwise is its own affair, after a resume too."""
    suite = load_suite("demo")
    again = make_suite(suite.file_values(), "run.yaml")
    assert again == suite
    assert again.models["small"].model_fields_set == suite.models["small"].model_fields_set
