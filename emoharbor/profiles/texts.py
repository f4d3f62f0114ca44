"""The words of a profile: its texts by field, its length, its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from emoharbor.state.profile import Language, Profile

PARTS = ("demographics", "preferences", "counselling", "scenario")
LABELS = {"preferences.mbti", "counselling.topic", "counselling.emotion", "counselling.goal"}
# What counts as a sentence that no two people share, in words and in characters.
SHORTEST: dict[Language, int] = {"en": 6, "zh": 10}
# A run that two texts may have in common, and one that nobody hits upon by chance; as above.
GRAM: dict[Language, int] = {"en": 4, "zh": 6}
COPIED: dict[Language, int] = {"en": 8, "zh": 14}
ENDS = re.compile(r"[.!?;:\n。！？；：…]+")


def texts(profile: Profile) -> list[tuple[str, str]]:
    """Field and text of everything that is written out, in order; labels are left out."""
    data = profile.model_dump(include=set(PARTS))
    return [(field, text) for field, text in _leaves(data, ()) if field not in LABELS]


def length(profile: Profile) -> int:
    """How much is written out: words in English, characters without spaces in Chinese."""
    return sum(size(text, profile.language) for _, text in texts(profile))


def sentences(profile: Profile) -> set[str]:
    """The sentences that are long enough to be somebody's own, in lower case, unpunctuated."""
    parts = (part for _, text in texts(profile) for part in ENDS.split(text.lower()))
    bare = (" ".join(re.findall(r"[\w'’]+", part)) for part in parts)
    return {s for s in bare if size(s, profile.language) >= SHORTEST[profile.language]}


def grams(profile: Profile) -> set[str]:
    """All runs of four words; in Chinese of six characters."""
    return grams_of(" ".join(text for _, text in texts(profile)), profile.language)


def grams_of(text: str, language: Language) -> set[str]:
    """As `grams`, of any text."""
    return set(runs(text, language, GRAM[language]))


def size(text: str, language: Language) -> int:
    """Words in English, characters without spaces in Chinese."""
    words = text.split()
    return len(words) if language == "en" else sum(map(len, words))


def runs(text: str, language: Language, long: int) -> list[str]:
    """Every run of `long` words, characters in Chinese, in order and as `units` have them."""
    parts, between = units(text, language), "" if language == "zh" else " "
    return [between.join(parts[i : i + long]) for i in range(len(parts) - long + 1)]


def units(text: str, language: Language) -> list[str]:
    """The words in lower case, in Chinese the characters; without punctuation."""
    return re.findall(r"\w" if language == "zh" else r"[\w'’]+", text.lower())


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, (*path, key))
    elif isinstance(value, tuple):
        for part in value:
            yield from _leaves(part, path)
    elif isinstance(value, str):
        yield ".".join(path), value
