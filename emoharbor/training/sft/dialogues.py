"""Reading dialogues to learn from, and saying early what is wrong with a file of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from emoharbor.errors import ConfigError
from emoharbor.models.base import ChatMessage

TRAIN, VALIDATION = "train.jsonl", "validation.jsonl"
_ROLES = ("system", "user", "assistant")
_WANTED = 'wanted is {"messages": [{"role": …, "content": …}, …]} a line (emoharbor export … chat)'
# A key that only this other format has.
_OTHER = {
    "conversations": "sharegpt",
    "instruction": "alpaca",
    "prompt": "prompt and completion",
    "chosen": "preferences",
    "h_s": "a run's records",
    "text": "plain text",
}


@dataclass(frozen=True)
class Dialogue:
    """One dialogue; `place` is its file and 1-based line."""

    messages: tuple[ChatMessage, ...]
    place: str


@dataclass(frozen=True)
class Data:
    """What is learnt from, and what the loss is checked on, if any; `sha256` is of both files."""

    train: tuple[Dialogue, ...]
    validation: tuple[Dialogue, ...]
    sha256: str

    def counts(self) -> dict[str, int]:
        """How many dialogues of each kind there are."""
        return {"train": len(self.train), "validation": len(self.validation)}


def read_data(path: Path) -> Data:
    """The dialogues of a JSONL file, or of a folder's train.jsonl and validation.jsonl.

    Raises ConfigError that names the file and line, and what was expected there.
    """
    files = _files(path)
    digest, sets = hashlib.sha256(), []
    for file in files:
        content = _content(file)
        digest.update(content)
        sets.append(_dialogues(content, file))
    train, *rest = sets
    if not train:
        raise ConfigError(f"{files[0]} holds no dialogue")
    return Data(train, rest[0] if rest else (), digest.hexdigest())


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise ConfigError(f"data: there is no file or folder {path}")
    if not (path / TRAIN).is_file():
        there = ", ".join(sorted(each.name for each in path.iterdir())[:8]) or "nothing"
        raise ConfigError(f"data: {path} holds no {TRAIN}; it holds {there}; {_WANTED}")
    return [path / name for name in (TRAIN, VALIDATION) if (path / name).is_file()]


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error


def _dialogues(content: bytes, file: Path) -> tuple[Dialogue, ...]:
    found = []
    # Not splitlines(): what somebody said may hold U+2028, which JSON leaves as it is.
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            place = f"{file}:{number}"
            found.append(Dialogue(_messages(_value(line, place), place), place))
    return tuple(found)


def _value(line: bytes, place: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        kind = "a list" if line.lstrip().startswith(b"[") else f"no JSON ({error})"
        raise ConfigError(f"{place}: the line is {kind}; {_WANTED}") from error
    if not isinstance(value, Mapping):
        raise ConfigError(f"{place}: the line is no JSON object; {_WANTED}")
    return value


def _messages(value: Mapping[str, Any], place: str) -> tuple[ChatMessage, ...]:
    messages = value.get("messages")
    if not isinstance(messages, list):
        other = next((name for key, name in _OTHER.items() if key in value), None)
        said = f"this is of another format ({other})" if other else "there are no messages"
        raise ConfigError(f"{place}: {said}; {_WANTED}")
    for number, message in enumerate(messages, 1):
        if wrong := _fault(message, number):
            raise ConfigError(f"{place}: message {number} {wrong}")
    if not any(message["role"] == "assistant" for message in messages):
        raise ConfigError(f"{place}: the supporter says nothing, so nothing can be learnt from it")
    kept = [{"role": m["role"], "content": m["content"]} for m in messages]
    return tuple(cast(list[ChatMessage], kept))


def _fault(message: object, number: int) -> str | None:
    if not isinstance(message, Mapping):
        return "is no object"
    role, content = message.get("role"), message.get("content")
    if role not in _ROLES:
        return f"has the role {role!r}; known: {', '.join(_ROLES)}"
    if role == "system" and number > 1:
        return "is a system text; only the first message can be one"
    if not isinstance(content, str) or not content.strip():
        return "has no text in content"
    return None
