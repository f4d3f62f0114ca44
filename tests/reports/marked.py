"""Made-up marks of people and judges, for tests of agreement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from emoharbor.ratings import Rating

STRATEGIES = ("standard", "user_aware", "internal_state_aware")


def marks(items: int, noise: float, seed: int) -> list[int]:
    """From 1 to 5: how good each item is, and somebody's noise."""
    good = np.random.default_rng(0).normal(size=items)
    own = np.random.default_rng(seed).normal(size=items)
    return [int(one) for one in np.clip(np.round(3 + good + noise * own), 1, 5)]


def people(
    dimensions: Sequence[str] = ("RA",), raters: int = 3, items: int = 30, noise: float = 0.6
) -> list[Rating]:
    """Everybody marks every item; the smaller the noise, the more they agree."""
    return [
        rating(f"h{rater}", "human", dimension, item, mark)
        for number, dimension in enumerate(dimensions)
        for rater in range(raters)
        for item, mark in enumerate(marks(items, noise, 10 * number + rater + 1))
    ]


def judge(
    name: str,
    noises: Sequence[float],
    dimensions: Sequence[str] = ("RA",),
    items: int = 30,
    repeats: int = 1,
) -> list[Rating]:
    """A judge's marks under so many of STRATEGIES, each with its noise."""
    return [
        rating(name, "judge", dimension, item, mark, strategy, sample)
        for strategy, noise in zip(STRATEGIES, noises, strict=False)
        for number, dimension in enumerate(dimensions)
        for sample in range(repeats)
        for item, mark in enumerate(marks(items, noise, 500 + 10 * number + sample))
    ]


def rating(
    who: str, kind: str, dimension: str, item: int, mark: int, strategy: str = "", sample: int = 0
) -> Rating:
    """A mark of one of the three dialogues that each person had."""
    person = f"p{item // 3:02}"
    name = f"bot/{person}/{item % 3}"
    return Rating(name, who, kind, dimension, mark, 1, 5, person, "bot", strategy, sample)
