"""A figure, what it is of, and how it is defined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Literal

from emoharbor.audit.talks import Talks
from emoharbor.state.profile import Language

NAMED = 3


@dataclass(frozen=True)
class Figure:
    """`value` over `n`; None where nothing is there to be measured.

    Of a share, `hits` of `n` have what is counted. `names` are the dialogues it is about, where
    that is worth knowing; `detail` says what was found in words.
    """

    value: float | None
    n: int
    hits: int | None = None
    names: tuple[str, ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class Measure:
    """`kind`: a share of `over`, or another number. `says` defines it.

    `language` is set where it has a sense in that language alone; it is `bound` where people of
    another language say nothing about it.
    """

    key: str
    kind: Literal["share", "number"]
    over: str
    says: str
    of: Callable[[Talks], Figure]
    language: Language | None = None
    bound: bool = False


def share(found: Iterable[bool], names: Iterable[str] = (), detail: str = "") -> Figure:
    """How many of all are true."""
    each = list(found)
    hits = sum(each)
    value = hits / len(each) if each else None
    return Figure(value, len(each), hits, tuple(names), detail)


def named(found: Sequence[tuple[str, bool]]) -> Figure:
    """A share of dialogues, which it names."""
    return share((hit for _, hit in found), (name for name, hit in found if hit))


def mean(values: Sequence[float], detail: str = "") -> Figure:
    """Their mean."""
    return Figure(sum(values) / len(values) if values else None, len(values), detail=detail)


def decile(values: Sequence[float], tenth: int) -> Figure:
    """The value under which so many tenths lie; the fifth is the median."""
    if len(values) < 2:
        return Figure(values[0] if values else None, len(values))
    return Figure(quantiles(values, n=10, method="inclusive")[tenth - 1], len(values))


def most(counted: Counter[str], shown: int = 5) -> str:
    """The most frequent, with how often each was found."""
    return ", ".join(f"{text} {times}" for text, times in counted.most_common(shown))
