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
ORDERED = ("age", "MBTI")


def decade(age: int) -> str:
    """The age group, as "30-39"."""
    return f"{age // 10 * 10}-{age // 10 * 10 + 9}"


def count(profiles: Sequence[Profile], kind: str) -> dict[str, int]:
    """Label → people; by label for what has an order of its own, else the most frequent first."""
    counted = Counter(map(OF[kind], profiles))
    by_label = sorted(counted.items(), key=lambda item: _rank(item[0]))
    if kind in ORDERED:
        return dict(by_label)
    return dict(sorted(by_label, key=lambda item: -item[1]))


def big_five(profiles: Sequence[Profile]) -> dict[str, list[int]]:
    """Trait → people on the levels 1 to 5."""
    levels = {trait: Counter[int]() for trait in TRAITS}
    for profile in profiles:
        for trait, counted in levels.items():
            counted[getattr(profile.preferences.big_five, trait)] += 1
    return {trait: [counted[level] for level in range(1, 6)] for trait, counted in levels.items()}


def _rank(label: str) -> tuple[int, str]:
    """Types in their own order, all else by the alphabet."""
    return (MBTI.index(label) if label in MBTI else 0, label.casefold())
