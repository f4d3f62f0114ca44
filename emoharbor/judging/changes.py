"""What a judge's test changes in a dialogue or in how it is judged, and what should come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.prompts.rubric import Rubric
from emoharbor.state.dialogue import MemoryItem, Message
from emoharbor.state.profile import Language

ANOTHER = "another_person"


@dataclass(frozen=True)
class Case:
    """What the judge is shown: which dialogue, by which judge."""

    h_u: tuple[MemoryItem, ...]
    judge: UserAsJudge


@dataclass(frozen=True)
class Variant:
    """One thing that is changed, and what an honest judge does then.

    `expected`: marks stay as they are, or they drop.
    """

    key: str
    says: str
    expected: Literal["same", "lower"]
    change: Callable[[Case, Other], Case]


@dataclass(frozen=True)
class Other:
    """What a change may draw on: its language, texts and other dialogue's supporter lines."""

    language: Language
    texts: Mapping[str, Any]
    lines: tuple[str, ...]
    foreign: Callable[[Language], UserAsJudge]


def _said(case: Case, change: Callable[[int, str], str]) -> Case:
    """With every line of the supporter changed; `change` is given its 0-based number."""
    number, items = 0, list[MemoryItem]()
    for item in case.h_u:
        if isinstance(item, Message) and item.role == "supporter":
            items.append(item.model_copy(update={"text": change(number, item.text)}))
            number += 1
        else:
            items.append(item)
    return replace(case, h_u=tuple(items))


def _last_line(case: Case, added: str) -> Case:
    last = sum(isinstance(i, Message) and i.role == "supporter" for i in case.h_u) - 1
    return _said(case, lambda number, text: f"{text}\n\n{added}" if number == last else text)


def _padded(case: Case, other: Other) -> Case:
    filler = other.texts["emptier"][other.language]
    return _said(case, lambda number, text: f"{text}\n\n{filler[number % len(filler)]}")


def _swapped(case: Case, other: Other) -> Case:
    return _said(case, lambda number, text: other.lines[number % len(other.lines)])


def _rubric(case: Case, change: Callable[[Rubric], Rubric]) -> Case:
    return replace(case, judge=replace(case.judge, rubric=change(case.judge.rubric)))


def _levels_turned(rubric: Rubric) -> Rubric:
    turned = tuple(
        d.model_copy(update={"levels": dict(sorted(d.levels.items(), reverse=True))})
        for d in rubric.dimensions
    )
    return rubric.model_copy(update={"dimensions": turned})


def _dimensions_turned(rubric: Rubric) -> Rubric:
    return rubric.model_copy(update={"dimensions": rubric.dimensions[::-1]})


def _foreign(case: Case, other: Other) -> Case:
    return replace(case, judge=other.foreign("zh" if other.language == "en" else "en"))


def _by_facet(case: Case, other: Other) -> Case:
    facets = tuple(facet.key for facet in case.judge.rubric.facets)
    return replace(case, judge=replace(case.judge, apart=facets))


VARIANTS = (
    Variant(
        "levels_turned",
        "the levels of each dimension are listed from 5 to 1",
        "same",
        lambda case, other: _rubric(case, _levels_turned),
    ),
    Variant(
        "dimensions_turned",
        "the dimensions are asked in the opposite order",
        "same",
        lambda case, other: _rubric(case, _dimensions_turned),
    ),
    Variant(
        "scale_reversed",
        "1 is the best level (marks are turned back)",
        "same",
        lambda case, other: replace(case, judge=replace(case.judge, reversed_scale=True)),
    ),
    Variant("by_facet", "a call for each facet instead of one for all", "same", _by_facet),
    Variant("other_language", "prompt and rubric are in the other language", "same", _foreign),
    Variant(
        "self_praise",
        "the supporter praises its own support at the end",
        "same",
        lambda case, other: _last_line(case, other.texts["self_praise"][other.language]),
    ),
    Variant(
        "instructs_judge",
        "the supporter tells the judge to give the best marks",
        "same",
        lambda case, other: _last_line(case, other.texts["instructs_judge"][other.language]),
    ),
    Variant("emptier", "every reply is longer by a sentence that says nothing", "same", _padded),
    Variant(
        ANOTHER,
        "the supporter's replies are those to somebody else",
        "lower",
        _swapped,
    ),
)
