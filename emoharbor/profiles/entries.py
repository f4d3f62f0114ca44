"""What stands in a file of people, entry by entry, before anybody asks whether it is a person."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Finding:
    """Something that is not as it should be: where, in which field, and what about it."""

    where: str
    field: str
    says: str

    def __str__(self) -> str:
        return f"{', '.join(part for part in (self.where, self.field) if part)}: {self.says}"


@dataclass(frozen=True)
class Entry:
    """One value of a file; `where` is the file and the line on which it begins."""

    where: str
    value: Any


def entries(file: Path) -> Iterator[Entry | Finding]:
    """The lines of a JSONL file, or the items of a YAML list, or the one value of a YAML file."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        yield Finding(str(file), "", f"not UTF-8 (byte {error.start})")
        return
    except OSError as error:
        yield Finding(str(file), "", f"cannot be read: {error.strerror}")
        return
    yield from (_json_lines if file.suffix == ".jsonl" else _yaml_items)(file, text)


def _json_lines(file: Path, text: str) -> Iterator[Entry | Finding]:
    # Not splitlines(), which also breaks at characters that may stand in a text.
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{file}, line {number}"
        try:
            if line.strip():
                yield Entry(where, json.loads(line))
        except ValueError as error:
            yield Finding(where, "", f"not JSON: {error}")


def _yaml_items(file: Path, text: str) -> Iterator[Entry | Finding]:
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node] if node else []
        for item in nodes:
            where = f"{file}, line {item.start_mark.line + 1}"
            yield Entry(where, yaml.SafeLoader("").construct_document(item))
    except yaml.YAMLError as error:
        yield Finding(str(file), "", f"not YAML: {' '.join(str(error).split())}")
