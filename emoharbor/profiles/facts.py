"""The facts of a profile, and whether somebody has told one: by its words, without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from emoharbor.profiles.load import load_profiles
from emoharbor.profiles.texts import ENDS, runs, texts, units
from emoharbor.state.profile import Language, Profile

# A key is a word, in Chinese two characters in a row, that at most this share of the people who
# ship have in their profile: "hook" is one, "mother" is none.
RARE = 0.2
# A fact is told by this share of its keys, and by no fewer of them than FEWEST.
SHARE, FEWEST = 1 / 3, 2
# As much of an English word as its forms have in common, when their endings are off.
STEM = 5
ENDING = re.compile(r"(?<=\w\w\w)(?:['’]?s|ed|ing)$")
CLAUSE = re.compile(r"[^\w]+")


@dataclass(frozen=True)
class Fact:
    """One thing that a person could tell; `withheld`: not unasked. `keys` are its own words."""

    text: str
    withheld: bool
    keys: frozenset[str]

    def told_by(self, said: Collection[str]) -> bool:
        """Whether the keys of what was `said` tell it."""
        found = sum(key in said for key in self.keys)
        return found >= max(FEWEST, SHARE * len(self.keys))


def facts_of(profile: Profile) -> list[Fact]:
    """What it withholds, and what its C says, a sentence or a relation each.

    One with too few words of its own is no fact.
    """
    each = [(text, True) for text in profile.scenario.withheld]
    each += [(text, False) for text in _sentences(profile)]
    found = (Fact(text, kept, _own(text, profile.language)) for text, kept in each)
    return [fact for fact in found if len(fact.keys) >= FEWEST]


def keys_of(text: str, language: Language) -> set[str]:
    """Words, cut where their forms part; in Chinese every two characters in a row."""
    if language == "en":
        return {ENDING.sub("", word)[:STEM] for word in units(text, language)}
    return {run for clause in CLAUSE.split(text) for run in runs(clause, language, 2)}


def _sentences(profile: Profile) -> Iterator[str]:
    counselling = profile.counselling
    for part in (counselling.problem, counselling.emotional_state):
        yield from filter(None, (sentence.strip() for sentence in ENDS.split(part)))
    yield from counselling.relations


def _own(text: str, language: Language) -> frozenset[str]:
    return frozenset(key for key in keys_of(text, language) if key not in _common(language))


@cache
def _common(language: Language) -> frozenset[str]:
    """The keys that more than RARE of the people who ship have."""
    people = load_profiles(language)
    whole = (keys_of("\n".join(text for _, text in texts(one)), language) for one in people)
    counted = Counter(key for keys in whole for key in keys)
    return frozenset(key for key, times in counted.items() if times > RARE * len(people))
