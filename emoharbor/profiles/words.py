"""The words that are looked for in a line; the lists are data."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

from emoharbor.state.profile import Language

WORDS = Path(__file__).parent.parent / "data" / "audit_words.yaml"
List = Literal[
    "thanks", "relief", "greeting", "assistant", "flip", "simile", "particle", "marks",
    "rejection", "evasion", "filler",
]  # fmt: skip


@cache
def pattern(language: Language, name: List) -> re.Pattern[str]:
    """Any entry of a list, in English as whole words."""
    words = "|".join(_lists()[language][name].split("\n")[:-1])
    whole = language == "en" and name != "marks"
    return re.compile(rf"\b(?:{words})\b" if whole else words, re.IGNORECASE)


@cache
def _lists() -> dict[Language, dict[List, str]]:
    lists: dict[Language, dict[List, str]] = yaml.safe_load(WORDS.read_text(encoding="utf-8"))
    return lists
