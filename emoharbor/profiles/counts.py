"""How many people there are of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from emoharbor.state.profile import BigFive, Profile

MBTI = tuple(a + b + c + d for a in "IE" for b in "NS" for c in "FT" for d in "JP")
TRAITS = tuple(BigFive.model_fields)
OF: dict[str, Callable[[Profile], str]] = {
    "age": lambda p: decade(p.demographics.age),
    "gender": lambda p: p.demographics.gender,
    "occupation": lambda p: p.demographics.occupation,
    "MBTI": lambda p: p.preferences.mbti,
    "topic": lambda p: p.counselling.topic,
    "emotion": lambda p: p.counselling.emotion,
    "goal": lambda p: p.counselling.goal,
    "nationality": lambda p: p.demographics.nationality,
}
# Kinds that have an order of their own; the others go by how many.
ORDERED: dict[str, Callable[[str], int]] = {
    "age": lambda label: int(label.partition("-")[0]),
    "MBTI": MBTI.index,
}


def decade(age: int) -> str:
    """The age group, as "30-39"."""
    return f"{age // 10 * 10}-{age // 10 * 10 + 9}"


def count(profiles: Sequence[Profile], kind: str) -> dict[str, int]:
    """Label → people; by label for what has an order of its own, else the most frequent first."""
    counted = Counter(map(OF[kind], profiles))
    if kind in ORDERED:
        return {label: counted[label] for label in sorted(counted, key=ORDERED[kind])}
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0].casefold())))


def big_five(profiles: Sequence[Profile]) -> dict[str, list[int]]:
    """Trait → people on the levels 1 to 5."""
    levels = {trait: Counter[int]() for trait in TRAITS}
    for profile in profiles:
        for trait, counted in levels.items():
            counted[getattr(profile.preferences.big_five, trait)] += 1
    return {trait: [counted[level] for level in range(1, 6)] for trait, counted in levels.items()}
