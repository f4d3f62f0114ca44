"""Compact letters: systems that share no letter differ (Piepho 2004, insert and absorb)."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence

ALPHABET = string.ascii_lowercase + string.ascii_uppercase + "αβγδεζηθικλμνξοπρστυφχψω"


def compact_letters(names: Sequence[str], different: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Letters for each of `names`, best first: two share one exactly where they do not differ.

    `different` are the pairs that differ, in either order; no letter is redundant. Raises
    ValueError when more letters than ALPHABET has would be needed, for a name that stands there
    twice or is none of `names`, and for one that differs from itself.
    """
    apart = {frozenset(pair) for pair in different}
    if len(set(names)) < len(names) or any(len(pair) < 2 for pair in apart):
        raise ValueError("every name is wanted once, and differs from others alone")
    columns = [frozenset(names)]
    for pair in sorted(apart, key=lambda one: sorted(map(names.index, one))):
        split = [
            c - {name} if pair <= c else c
            for c in columns
            for name in (pair if pair <= c else ("",))
        ]
        columns = [c for c in dict.fromkeys(split) if not any(c < other for other in split)]
    columns = sorted(_needed(columns, apart), key=lambda c: sorted(map(names.index, c)))
    if len(columns) > len(ALPHABET):
        raise ValueError(f"{len(columns)} letters would be needed, there are {len(ALPHABET)}")
    lettered = list(zip(ALPHABET, columns, strict=False))
    return {name: "".join(letter for letter, c in lettered if name in c) for name in names}


def _needed(columns: list[frozenset[str]], apart: set[frozenset[str]]) -> list[frozenset[str]]:
    """Without a column whose every pair, and every member, stands together in another one."""
    kept = list(columns)
    for column in sorted(columns, key=len):
        others = [c for c in kept if c != column]
        pairs = (frozenset({a, b}) for a in column for b in column)
        if others and all(any(pair <= c for c in others) for pair in pairs):
            kept = others
    return kept
