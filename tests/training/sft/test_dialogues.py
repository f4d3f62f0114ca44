from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.training.sft.dialogues import read_data
from tests.training.sft.made import TALK, line, write


def test_a_folder_of_two_files(tmp_path: Path) -> None:
    train = write(tmp_path / "train.jsonl", line() + "\n" + line(TALK[:3]))
    checked = write(tmp_path / "validation.jsonl", line())
    data = read_data(tmp_path)
    assert data.counts() == {"train": 2, "validation": 1}
    assert data.train[0].messages == TALK and data.train[1].place == f"{train}:3"
    both = train.read_bytes() + checked.read_bytes()
    assert data.sha256 == hashlib.sha256(both).hexdigest()


def test_a_file_alone_has_no_validation(tmp_path: Path) -> None:
    data = read_data(write(tmp_path / "any.jsonl", line()))
    assert data.counts() == {"train": 1, "validation": 0}


def test_a_line_separator_in_a_text_is_no_end_of_line(tmp_path: Path) -> None:
    said = [TALK[1], {"role": "assistant", "content": "one\u2028two"}]
    text = json.dumps({"messages": said}, ensure_ascii=False) + "\n"
    assert len(read_data(write(tmp_path / "x.jsonl", text)).train) == 1


def talk(role: str, content: object) -> str:
    return line([{"role": role, "content": content}, TALK[2]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"conversations": []}\n', r"x.jsonl:2: this is of another format \(sharegpt\); wanted"),
        ('{"instruction": "a", "output": "b"}', r"x.jsonl:2: .*another format \(alpaca\)"),
        ('{"thread": "a", "h_s": []}', r"x.jsonl:2: .*\(a run's records\)"),
        ('{"foo": 1}', "x.jsonl:2: there are no messages; wanted"),
        ("[1]", "x.jsonl:2: the line is no JSON object"),
        ("[\n", "x.jsonl:2: the line is a list"),
        ("{oh", "x.jsonl:2: the line is no JSON "),
        (talk("tool", "x"), "x.jsonl:2: message 1 has the role 'tool'; known: system, user"),
        (talk("user", " "), "x.jsonl:2: message 1 has no text in content"),
        (talk("user", [1]), "x.jsonl:2: message 1 has no text in content"),
        (line(TALK[:2]), "x.jsonl:2: the supporter says nothing"),
        (line([TALK[1], TALK[0], TALK[2]]), "x.jsonl:2: message 2 is a system text; only"),
        (line(["hi", TALK[2]]), "x.jsonl:2: message 1 is no object"),
    ],
)
def test_the_line_that_is_wrong_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_data(write(tmp_path / "x.jsonl", line() + text))


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no file or folder .*nowhere"):
        read_data(tmp_path / "nowhere")
    write(tmp_path / "train.json", "[]")
    with pytest.raises(ConfigError, match=r"holds no train.jsonl; it holds train.json; wanted"):
        read_data(tmp_path)
    with pytest.raises(ConfigError, match="empty.jsonl holds no dialogue"):
        read_data(write(tmp_path / "empty.jsonl", "\n"))
