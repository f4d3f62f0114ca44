"""Compact letters against brute force: who shares a letter, and that no letter is in vain."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.stats.letters import compact_letters

Pairs = frozenset[frozenset[str]]


@st.composite
def matrices(draw: st.DrawFn) -> tuple[str, Pairs]:
    """Up to seven systems, best first, and which pairs of them differ."""
    names = "".join(draw(st.permutations("ABCDEFG")))[: draw(st.integers(1, 7))]
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    different = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return names, frozenset(different)


def alike(names: str, different: Pairs) -> set[frozenset[str]]:
    """Every largest set of systems of which no two differ, by looking at all sets."""
    sets = [
        frozenset(some)
        for size in range(1, len(names) + 1)
        for some in combinations(names, size)
        if not any(frozenset(pair) in different for pair in combinations(some, 2))
    ]
    return {one for one in sets if not any(one < other for other in sets)}


def groups(told: dict[str, str]) -> dict[str, frozenset[str]]:
    """Who has each letter."""
    letters = sorted({letter for its in told.values() for letter in its})
    return {x: frozenset(name for name, its in told.items() if x in its) for x in letters}


def shared(groups: list[frozenset[str]]) -> set[frozenset[str]]:
    """Pairs and single systems that stand together in a group."""
    return {frozenset({a, b}) for group in groups for a in group for b in group}


@given(matrices())
def test_two_share_a_letter_exactly_where_they_do_not_differ(case: tuple[str, Pairs]) -> None:
    names, different = case
    told = compact_letters(names, [tuple(sorted(pair)) for pair in different])  # type: ignore[misc]
    assert list(told) == list(names) and all(told.values())
    for a, b in combinations(names, 2):
        assert bool(set(told[a]) & set(told[b])) == (frozenset({a, b}) not in different)


@given(matrices())
def test_every_letter_is_a_largest_set_and_is_needed(case: tuple[str, Pairs]) -> None:
    names, different = case
    told = compact_letters(names, [tuple(sorted(pair)) for pair in different])  # type: ignore[misc]
    found = groups(told)
    assert set(found.values()) <= alike(names, different)
    assert len(set(found.values())) == len(found)
    for letter in found:
        others = [group for other, group in found.items() if other != letter]
        assert shared(others) != shared(list(found.values()))


@given(matrices())
def test_letters_follow_the_order_of_the_names(case: tuple[str, Pairs]) -> None:
    names, different = case
    told = compact_letters(names, [tuple(sorted(pair)) for pair in different])  # type: ignore[misc]
    assert told[names[0]].startswith("a")
    assert (
        sorted({x for its in told.values() for x in its})
        == list("abcdefghijklmnop")[: len(groups(told))]
    )
    assert all(its == "".join(sorted(its)) for its in told.values())


def test_the_textbook_case() -> None:
    # Best to worst, only neighbours and those two apart are alike.
    told = compact_letters("PQRS", [("P", "S"), ("S", "Q")])
    assert told == {"P": "a", "Q": "a", "R": "ab", "S": "b"}
    assert compact_letters(["one"], []) == {"one": "a"}


def test_what_cannot_be_lettered_is_refused() -> None:
    left, right = "ABCDEFGHIJ", "KLMNOPQRST"
    within = [*combinations(left, 2), *combinations(right, 2)]
    # Nobody differs from the other ten, who all differ: each of 100 pairs needs a letter.
    with pytest.raises(ValueError, match="100 letters would be needed"):
        compact_letters(left + right, within)
    for names, different in (("AA", []), ("AB", [("A", "A")]), ("AB", [("A", "C")])):
        with pytest.raises(ValueError):
            compact_letters(names, different)


def test_sixty_systems_in_steps_are_lettered() -> None:
    names = [f"s{n:02d}" for n in range(60)]
    different = [(a, b) for a, b in combinations(names, 2) if abs(int(a[1:]) - int(b[1:])) > 4]
    told = compact_letters(names, different)
    assert len(groups(told)) == 56 and len(told["s30"]) == 5
