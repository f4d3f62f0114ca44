"""What stands in a folder of dialogues, file by file; what cannot be read is named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.imports.shapes import form_of
from emoharbor.profiles.entries import Entry, Finding, entries

ENDS = (".json", ".jsonl")


@dataclass(frozen=True)
class Found:
    """One entry: its file, where it stands for a reader, a key that is its own there, its value."""

    file: Path
    where: str
    key: str
    value: Any


def found_in(source: Path) -> Iterator[Found | Finding]:
    """Every entry of a JSON or JSONL file, or of all in a folder and the folders in it, by name.

    Raises ConfigError where there is no such file or folder.
    """
    if not source.exists():
        raise ConfigError(f"no file or folder {source}")
    for file in [source] if source.is_file() else _files(source):
        name = file.name if file == source else str(file.relative_to(source))
        if file.suffix in ENDS:
            yield from (_lines if file.suffix == ".jsonl" else _whole)(file, name)
        else:
            yield Finding(name, "", "neither .json nor .jsonl")


def _files(folder: Path) -> list[Path]:
    found = (p for p in folder.rglob("*") if p.is_file())
    kept = [p for p in found if not any(x.startswith(".") for x in p.relative_to(folder).parts)]
    return sorted(kept, key=_by_number)


def _by_number(path: Path) -> list[list[tuple[str, int]]]:
    """So that 10.json comes after 9.json."""
    return [
        [(text, int(n or 0)) for text, n in re.findall(r"(\D+)(\d*)", f" {part}")]
        for part in path.parts
    ]


def _lines(file: Path, name: str) -> Iterator[Found | Finding]:
    for entry in entries(file):
        where = entry.where.removeprefix(str(file))
        if isinstance(entry, Entry):
            number = where.rpartition(" ")[2]
            yield Found(file, f"{name}{where}", f"{file.stem}-{number}", entry.value)
        else:
            yield Finding(f"{name}{where}", "", entry.says)


def _whole(file: Path, name: str) -> Iterator[Found | Finding]:
    try:
        value = json.loads(file.read_text(encoding="utf-8-sig"))
    except ValueError as error:
        yield Finding(name, "", f"not JSON: {error}")
        return
    except OSError as error:
        yield Finding(name, "", f"cannot be read: {error.strerror}")
        return
    if form_of(value) or not isinstance(value, list | dict) or not value:
        yield Found(file, name, file.stem, value)
    elif isinstance(value, list):
        for number, one in enumerate(value, start=1):
            yield Found(file, f"{name}, entry {number}", f"{file.stem}-{number}", one)
    elif all(isinstance(one, dict | list) and form_of(one) for one in value.values()):
        for key, one in value.items():
            yield Found(file, f"{name}, {key}", key, one)
    else:
        yield Found(file, name, file.stem, value)
