"""Presets of one's own, published texts from a file, and what is said of mistakes in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.agents.template import load_preset
from emoharbor.errors import ConfigError
from tests.agents.asked import CHAT, LINES, ask, text_of
from tests.people import heard, said

DOCS = Path("docs/in_domain_systems.md")
OWN = """
lines: {user: "用户：", counsellor: "心理咨询师："}
sampling: {temperature: 0.95, top_p: 0.75}
"""


def own_file(folder: Path, text: str = OWN) -> str:
    path = folder / "own.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_names_in_the_rules_are_words_and_no_patterns(tmp_path: Path) -> None:
    preset = own_file(tmp_path, 'strip: ["A.I (bot)", B]\ncut: ["(user)"]')
    assert ask((), "A.I (bot): hi\n(user): x", preset=preset).reply == "hi"
    assert ask((), "AxI (bot): hi\nuser: x", preset=preset).reply == "AxI (bot): hi\nuser: x"


def test_a_preset_of_ones_own(tmp_path: Path) -> None:
    asked = ask([said("你好")], preset=own_file(tmp_path))
    assert asked.messages == [{"role": "user", "content": "用户：你好\n心理咨询师："}]
    assert asked.sampling == {"temperature": 0.95, "top_p": 0.75}


def test_an_own_preset_may_have_another_cue_and_opening(tmp_path: Path) -> None:
    text = 'lines: {user: "C: ", counsellor: "T: ", heading: "\\n--\\n", cue: "Therapist:"}\n'
    text += "system: Be kind.\nopening: (waits)"
    (message,) = ask([heard("hi"), said("yes")], preset=own_file(tmp_path, text)).messages
    assert message["content"] == "Be kind.\n--\nC: (waits)\nT: hi\nC: yes\nTherapist:"


def test_an_empty_own_preset_is_plain_chat_with_the_suites_opening(tmp_path: Path) -> None:
    asked = ask(preset=own_file(tmp_path, "{}"))
    assert asked.messages == [{"role": "user", "content": "你好"}]


@pytest.mark.parametrize("preset", ["soulchat2", "mechat"])
def test_the_published_text_comes_from_a_file(tmp_path: Path, preset: str) -> None:
    file = tmp_path / "published.txt"
    file.write_text("原文 {x}\n第二段\n", encoding="utf-8")
    asked = ask(preset=preset, system=str(file))
    assert asked.messages[0]["content"].startswith("原文 {x}\n第二段")
    assert text_of(preset) not in str(asked.messages)
    file.write_text("改过的原文", encoding="utf-8")
    again = ask(preset=preset, system=str(file))
    prints = [a.seat.fingerprint["preset file"] for a in (asked, again, ask(preset=preset))]
    assert len(set(prints)) == 3


def test_every_change_of_a_preset_but_its_sampling_makes_another_hash(tmp_path: Path) -> None:
    texts = ["{}", "system: a", "opening: a", "strip: [a]", "cut: [a]"]
    texts += ['lines: {user: "", counsellor: ""}', 'lines: {user: "", counsellor: "", cue: a}']
    hashes = [load_preset(own_file(tmp_path, text)).hash for text in texts]
    assert len(set(hashes)) == len(texts)
    assert load_preset(own_file(tmp_path, "sampling: {top_p: 0.5}")).hash == hashes[0]


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"preset": "soulchat"}, "no preset 'soulchat'; did you mean 'soulchat2'?"),
        ({"preset": "xyzzy"}, "no preset 'xyzzy'; known: cpsycounx, emollm, mechat"),
        ({}, "use: template wants a 'preset'.*; known: cpsycounx, emollm, mechat"),
        ({"preset": 3}, "use: template wants a 'preset'"),
        ({"preset": "no/such.yaml"}, "preset no/such.yaml: cannot be read: No such file"),
        ({"preset": "mechat", "system": "no.txt"}, "system: cannot read 'no.txt': No such file"),
        ({"preset": "mechat", "system": "你是" * 500}, "cannot read '你是.*path of a file"),
        ({"preset": "mechat", "system": 3}, "system: cannot read '3'"),
        ({"preset": "mechat", "temperature": 9}, "agents.supporter.temperature: .*less than"),
        ({"preset": "mechat", "colour": "red"}, "template takes no 'colour'"),
    ],
)
def test_a_mistake_in_the_suite_is_told(keys: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        ask(**keys)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sytem: a", "own.yaml: unknown key 'sytem'; did you mean 'system'?"),
        ("lines: {user: a, counselor: b}", "lines.counsellor: Field required"),
        (
            "lines: {user: a, counsellor: b, head: c}",
            "unknown key 'lines.head'; did you mean 'heading'?",
        ),
        (
            "sampling: {temprature: 1}",
            "unknown key 'sampling.temprature'; did you mean 'temperature'?",
        ),
        ("sampling: {top_p: 7}", "sampling.top_p: Input should be less than or equal to 1"),
        ("strip: 咨询师", "strip: .*tuple.*given: '咨询师'"),
        ("system: '  '", "system: .*at least 1 character"),
        ("- a", "own.yaml: keys and values are wanted at the top"),
        ("a: [", "own.yaml: not YAML"),
    ],
)
def test_a_mistake_in_an_own_preset_names_file_and_key(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(told) if "*" not in told else told):
        ask(preset=own_file(tmp_path, text))


def test_an_empty_or_unreadable_text_is_told(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text(" \n", encoding="utf-8")
    with pytest.raises(ConfigError, match="text is empty"):
        ask(preset="mechat", system=str(file))
    file.write_bytes("咨询师".encode("gb18030"))
    with pytest.raises(ConfigError, match="no UTF-8 text"):
        ask(preset="mechat", system=str(file))


def test_the_docs_name_every_preset_and_their_examples_are_valid(tmp_path: Path) -> None:
    text = DOCS.read_text(encoding="utf-8")
    for preset in [*CHAT, *LINES]:
        assert f"`{preset}`" in text
    examples = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert len(examples) > 1
    for example in map(yaml.safe_load, examples):
        if "supporters" in example:
            for supporter in example["supporters"]:
                assert supporter["use"] == "template"
                assert supporter["preset"] in (*CHAT, *LINES) or ".yaml" in supporter["preset"]
        else:
            load_preset(own_file(tmp_path, yaml.safe_dump(example, allow_unicode=True)))
