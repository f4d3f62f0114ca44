"""What two people have in common that they should not: sentences, and ways of putting things."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from emoharbor.profiles.texts import grams, sentences
from emoharbor.state.profile import Profile


@dataclass(frozen=True)
class Pair:
    """Two ids, and the Jaccard similarity of their runs of words, from 0 to 1."""

    first: str
    second: str
    similarity: float


def shared_sentences(profiles: Sequence[Profile]) -> dict[str, tuple[str, ...]]:
    """Sentences that more than one person says or is told, and whose they are."""
    said: dict[str, list[str]] = defaultdict(list)
    for profile in profiles:
        for sentence in sorted(sentences(profile)):
            said[sentence].append(profile.id)
    return {sentence: tuple(ids) for sentence, ids in said.items() if len(ids) > 1}


def pairs(profiles: Sequence[Profile]) -> list[Pair]:
    """Every two that have any run of words in common, the most similar first."""
    return alike({profile.id: grams(profile) for profile in profiles})


def alike(runs: Mapping[str, set[str]]) -> list[Pair]:
    """As `pairs`, of any texts: an id and its runs of words each."""
    holders = defaultdict(list)
    for name, own in runs.items():
        for gram in own:
            holders[gram].append(name)
    shared = Counter(pair for ids in holders.values() for pair in combinations(ids, 2))
    found = [
        Pair(first, second, common / (len(runs[first]) + len(runs[second]) - common))
        for (first, second), common in shared.items()
    ]
    return sorted(found, key=lambda pair: (-pair.similarity, pair.first, pair.second))
