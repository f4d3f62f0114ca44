"""Files of people for tests, made from the shipped ones, and free to be spoilt."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from emoharbor.profiles.load import SHIPPED
from tests.people import merged

Person = dict[str, Any]


def people(language: str = "en", number: int = 5) -> list[Person]:
    """The first few shipped people, as their file holds them."""
    lines = (SHIPPED / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[:number]]


def written(file: Path, persons: list[Person]) -> str:
    """A JSONL file of `persons`, and how it is called on the command line."""
    file.write_text("".join(json.dumps(one) + "\n" for one in persons), encoding="utf-8")
    return str(file)


def spoilt(person: Person, **changes: Any) -> Person:
    """Another person: `changes` are merged into a copy."""
    return merged(copy.deepcopy(person), changes)
