"""Bringing people from other projects' data: drafts that say what is known, and what is lacking."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.profiles.drafts import Draft, examine
from emoharbor.profiles.formats import FORMATS, Format, FormatName
from emoharbor.profiles.identifiers import without_identifiers


@dataclass(frozen=True)
class Foreign:
    """One entry of a source: its file, where it stands there, its key, and what it holds."""

    file: Path
    place: str
    key: str
    value: Any


def read_foreign(source: Path, name: str) -> list[Draft]:
    """The people in a JSON file, a JSONL file or a folder of these, as drafts.

    Raises ConfigError with file and entry for one that is not in this format.
    """
    if name not in FORMATS:
        raise ConfigError(f"no format '{name}'{nearest(name, FORMATS)}")
    form = FORMATS[name]
    drafts: dict[str, Draft] = {}
    for entry in _entries(source):
        try:
            draft = _draft(entry, name, form)
        except ConfigError as error:
            raise ConfigError(f"{entry.file}, {entry.place}: {error}") from error
        if draft.id in drafts:
            raise ConfigError(f"{entry.file}, {entry.place}: '{draft.id}' stands there twice")
        drafts[draft.id] = draft
    if not drafts:
        raise ConfigError(f"{source}: nobody in it")
    return list(drafts.values())


def write_drafts(drafts: Sequence[Draft], file: Path) -> None:
    """One draft a line. Raises ConfigError where the file is there already."""
    if file.exists():
        raise ConfigError(f"{file} is there already; name another file with -o")
    lines = [json.dumps(d.model_dump(exclude_defaults=True), ensure_ascii=False) for d in drafts]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _draft(entry: Foreign, name: FormatName, form: Format) -> Draft:
    value = entry.value
    if not isinstance(value, dict) or not any(value.get(key) for key in form.keys):
        wanted = " or ".join(f"'{key}'" for key in form.keys)
        raise ConfigError(f"not a person of {name}: no {wanted}")
    person = _given(without_identifiers(form.read(entry.key, value)))
    bare = re.sub(r"[^A-Za-z0-9._-]+", "-", person["id"])
    source = f"{name}: {entry.file.name}, {entry.place}"
    person = {**person, "id": f"{name}-{bare}"[:64], "source": source}
    lacks, faults = examine(person)
    for part, field in {(str(fault["loc"][0]), str(fault["loc"][1])) for fault in faults}:
        # As an age of "young": the words stay, where they do no harm.
        person.setdefault("notes", {})[f"{part}.{field}"] = str(person[part].pop(field))
    if faults:
        person = _given(person)
        lacks = examine(person)[0]
    age = person.get("demographics", {}).get("age")
    minor = age is not None and age < 18
    return Draft.model_validate({**person, "lacks": lacks, "minor": minor})


def _given(value: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty."""
    parts = {key: _given(part) if isinstance(part, dict) else part for key, part in value.items()}
    return {key: part for key, part in parts.items() if part not in ("", [], {})}


def _entries(source: Path) -> Iterator[Foreign]:
    for file in _files(source):
        value = _json(file)
        if isinstance(value, list):
            for number, one in enumerate(value, start=1):
                yield Foreign(file, f"entry {number}", f"{number:04}", one)
        elif isinstance(value, dict) and all(isinstance(part, dict) for part in value.values()):
            for key, one in value.items():
                yield Foreign(file, key, key, one)
        else:
            yield Foreign(file, "entry 1", file.stem, value)


def _json(file: Path) -> Any:
    """The file's value; for JSONL the list of its lines' values."""
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix == ".jsonl":
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        return json.loads(text)
    except ValueError as error:
        raise ConfigError(f"{file}: not JSON: {error}") from error
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from error


def _files(source: Path) -> list[Path]:
    if not source.exists():
        raise ConfigError(f"no file or folder {source}")
    if source.is_file():
        return [source]
    return sorted(p for p in source.iterdir() if p.suffix in (".json", ".jsonl"))
