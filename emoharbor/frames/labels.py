"""What a dimension is called, and in which facet it stands."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from emoharbor.prompts.rubric import Rubric, load_rubric
from emoharbor.state.profile import Language

# The largest of the shipped rubrics first: it has the dimensions of the others too.
SHIPPED = ("worst-case-14", "emoharbor-10")


@dataclass(frozen=True)
class Label:
    """A dimension's short label and its facet's title."""

    short: str
    facet: str


@cache
def label_of(dimension: str, language: Language = "en") -> Label:
    """A dimension's label; one that no shipped rubric has is its own, and a facet by itself."""
    rubrics: list[Rubric] = [load_rubric(name, language) for name in SHIPPED]
    for rubric in rubrics:
        titles = {facet.key: facet.title for facet in rubric.facets}
        for one in rubric.dimensions:
            if one.key == dimension:
                return Label(one.short, titles[one.facet])
    name = dimension.replace("_", " ")
    return Label(name, name)
