"""What a dimension is called: a rubric's key, its short label, its title, or a word of a form."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from emoharbor.prompts.rubric import load_rubric
from emoharbor.state.profile import Language

RUBRIC = "worst-case-14"
LANGUAGES: tuple[Language, ...] = ("en", "zh")
# What the papers' own forms and tables call them.
ALSO = {
    "personalization": "response_appropriateness",
    "helpfulness": "problem_resolution",
    "empathy": "empathetic",
    "adaptive_strategy": "adaptive_strategies",
}


@cache
def dimension_key(name: str) -> str | None:
    """The key of one of the fourteen dimensions by any of its names; None for another one."""
    return _names().get(_plain(name))


def in_order(dimensions: Iterable[str]) -> list[str]:
    """The rubric's dimensions in its order, then others as they were met."""
    known = load_rubric(RUBRIC, "en").keys
    return sorted(dimensions, key=lambda d: known.index(d) if d in known else len(known))


@cache
def _names() -> dict[str, str]:
    found = dict(ALSO)
    for language in LANGUAGES:
        for d in load_rubric(RUBRIC, language).dimensions:
            found |= {_plain(name): d.key for name in (d.key, d.short, d.title)}
    return found


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().lower())
