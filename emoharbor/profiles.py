"""Finding and reading profiles: the shipped sets, a file, or a folder, with filters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import yaml
from pydantic import ValidationError

from emoharbor.errors import ConfigError, nearest
from emoharbor.state.profile import Profile

SHIPPED = Path(__file__).parent / "data" / "profiles"
Test = Callable[[Profile, str], bool]


def _age(profile: Profile, wanted: str) -> bool:
    low, _, high = wanted.partition("-")
    try:
        return int(low) <= profile.demographics.age <= int(high or low)
    except ValueError as error:
        raise ConfigError(f"profiles: age={wanted}: a number or a range as 18-30") from error


FILTERS: dict[str, Test] = {
    "id": lambda p, wanted: p.id in wanted.split(","),
    "topic": lambda p, wanted: p.counselling.topic in wanted.split(","),
    "goal": lambda p, wanted: p.counselling.goal in wanted.split(","),
    "mbti": lambda p, wanted: p.preferences.mbti in wanted.upper().split(","),
    "gender": lambda p, wanted: p.demographics.gender in wanted.split(","),
    "age": _age,
    "risk": lambda p, wanted: bool(set(p.risk or ("none",)) & set(wanted.split(","))),
    "minor": lambda p, wanted: str(p.minor).lower() == wanted.lower(),
    "hard": lambda p, wanted: str(p.hard).lower() == wanted.lower(),
}


def load_profiles(address: str) -> list[Profile]:
    """The profiles at `address`: "en", "people.jsonl", "folder/", each with filters "?topic=work".

    Raises ConfigError with file, line and field for a broken one, and when none is left.
    """
    source, _, query = address.partition("?")
    path = SHIPPED / f"{source}.jsonl" if source in shipped_sets() else Path(source)
    if not path.exists():
        raise ConfigError(f"no profiles '{source}'{nearest(source, shipped_sets())}")
    profiles = [profile for file in _files(path) for profile in _read(file)]
    _refuse_twins(profiles, source)
    for key, wanted in parse_qsl(query, keep_blank_values=True):
        if key not in FILTERS:
            raise ConfigError(f"profiles: no filter '{key}'{nearest(key, FILTERS)}")
        profiles = [profile for profile in profiles if FILTERS[key](profile, wanted)]
    if not profiles:
        raise ConfigError(f"profiles '{address}': none fits")
    return profiles


def shipped_sets() -> list[str]:
    """The names of the sets that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.jsonl"))


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = sorted(p for p in path.iterdir() if p.suffix in (".jsonl", ".yaml", ".yml"))
    if not files:
        raise ConfigError(f"{path}: no .jsonl, .yaml or .yml file in this folder")
    return files


def _read(file: Path) -> Iterator[Profile]:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 (byte {error.start})") from error
    for where, value in _entries(file, text):
        try:
            yield Profile.model_validate(value)
        except ValidationError as error:
            fault = error.errors()[0]
            field = ".".join(str(part) for part in fault["loc"]) or "profile"
            raise ConfigError(f"{where}, {field}: {fault['msg']}") from error


def _entries(file: Path, text: str) -> Iterator[tuple[str, Any]]:
    if file.suffix == ".jsonl":
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                try:
                    yield f"{file}, line {number}", json.loads(line)
                except ValueError as error:
                    raise ConfigError(f"{file}, line {number}: not JSON: {error}") from error
        return
    try:
        values = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"{file}: not YAML: {error}") from error
    for number, value in enumerate(values if isinstance(values, list) else [values], start=1):
        yield f"{file}, profile {number}", value


def _refuse_twins(profiles: list[Profile], source: str) -> None:
    seen: set[str] = set()
    for profile in profiles:
        if profile.id in seen:
            raise ConfigError(f"{source}: the id '{profile.id}' stands there twice")
        seen.add(profile.id)
