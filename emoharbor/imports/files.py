"""What stands in a folder of dialogues, file by file; what cannot be read is named."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.imports.shapes import form_of
from emoharbor.profiles.entries import Finding

ENDS = (".json", ".jsonl")
PACKED = ".gz"


@dataclass(frozen=True)
class Found:
    """One entry: its file, where it stands for a reader, a key that is its own there, its value."""

    file: Path
    where: str
    key: str
    value: Any


def found_in(source: Path) -> Iterator[Found | Finding]:
    """Every entry of a JSON or JSONL file, or of all in a folder and the folders in it, by name.

    A file that ends in .gz is unpacked.
    Raises ConfigError where there is no such file or folder.
    """
    if not source.exists():
        raise ConfigError(f"no file or folder {source}")
    for file in [source] if source.is_file() else _files(source):
        name = file.name if file == source else str(file.relative_to(source))
        plain = Path(file.name.removesuffix(PACKED))
        if plain.suffix not in ENDS:
            yield Finding(name, "", "neither .json nor .jsonl")
            continue
        text = _text(file, name)
        if isinstance(text, Finding):
            yield text
        else:
            told = _lines if plain.suffix == ".jsonl" else _whole
            yield from told(file, name, plain.stem, text)


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


def _text(file: Path, name: str) -> str | Finding:
    try:
        raw = file.read_bytes()
        return (gzip.decompress(raw) if file.suffix == PACKED else raw).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return Finding(name, "", f"not UTF-8 (byte {error.start})")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        return Finding(name, "", f"cannot be unpacked: {error}")
    except OSError as error:
        return Finding(name, "", f"cannot be read: {error.strerror}")


def _lines(file: Path, name: str, stem: str, text: str) -> Iterator[Found | Finding]:
    # Not splitlines(), which also breaks at characters that may stand in a text.
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{name}, line {number}"
        try:
            if line.strip():
                yield Found(file, where, f"{stem}-{number}", json.loads(line))
        except ValueError as error:
            yield Finding(where, "", f"not JSON: {error}")


def _whole(file: Path, name: str, stem: str, text: str) -> Iterator[Found | Finding]:
    try:
        value = json.loads(text)
    except ValueError as error:
        yield Finding(name, "", f"not JSON: {error}")
        return
    if form_of(value) or not isinstance(value, list | dict) or not value:
        yield Found(file, name, stem, value)
    elif isinstance(value, list):
        for number, one in enumerate(value, start=1):
            yield Found(file, f"{name}, entry {number}", f"{stem}-{number}", one)
    elif all(isinstance(one, dict | list) and form_of(one) for one in value.values()):
        for key, one in value.items():
            yield Found(file, f"{name}, {key}", key, one)
    else:
        yield Found(file, name, stem, value)
