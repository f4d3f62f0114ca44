"""What people show: the figures of human corpora, and which figures none of them has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import yaml

from emoharbor.audit.figures import Figure, Measure
from emoharbor.state.profile import Frozen, Language

FILE = Path(__file__).parent.parent / "data" / "reference" / "people.yaml"
# A number that is no share is marked beyond so many times the greatest of people, or under the
# smallest by as much; and from so many lines on.
FACTOR, FEWEST = 1.5, 30
Mark = Literal["", "above people", "below people"]


class Source(Frozen):
    """Where figures are from. `lines` is None where the number is not known."""

    kind: Literal["people", "simulator"]
    language: Language
    lines: int | None = None
    from_: str


class Reference(Frozen):
    """Figures by measure and source: a value, or a value and the lines that it is of."""

    sources: dict[str, Source]
    measures: dict[str, dict[str, float | tuple[float, int]]]


@dataclass(frozen=True)
class Known:
    """One source's figure of a measure; `n` is None where it is not known."""

    source: str
    kind: Literal["people", "simulator"]
    value: float
    n: int | None


@cache
def load_reference() -> Reference:
    """The figures that come with the package."""
    values = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    for source in values["sources"].values():
        source["from_"] = source.pop("from")
    return Reference.model_validate(values)


def known(measure: Measure, language: Language) -> list[Known]:
    """What others show of a measure, those of this language alone where that matters."""
    reference = load_reference()
    found = []
    for name, value in reference.measures.get(measure.key, {}).items():
        source = reference.sources[name]
        if not measure.bound or source.language == language:
            number, n = value if isinstance(value, tuple) else (value, source.lines)
            found.append(Known(name, source.kind, number, n))
    return found


def mark(measure: Measure, figure: Figure, others: list[Known]) -> Mark:
    """Whether no human corpus shows such a figure.

    A share is marked when its 95 % interval lies outside those of all human corpora (Wilson's,
    which takes lines as independent), anything else by FACTOR.
    """
    people = [one for one in others if one.kind == "people"]
    if not people or figure.value is None:
        return ""
    if measure.kind == "share":
        low, high = interval(figure.value, figure.n)
        ranges = [interval(one.value, one.n) for one in people]
        lowest, highest = min(r[0] for r in ranges), max(r[1] for r in ranges)
    else:
        if figure.n < FEWEST:
            return ""
        low = high = figure.value
        lowest, highest = (
            min(one.value for one in people) / FACTOR,
            max(one.value for one in people) * FACTOR,
        )
    if low > highest:
        return "above people"
    return "below people" if high < lowest else ""


def interval(value: float, n: int | None) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; the share itself where `n` is not known."""
    from scipy.stats import binomtest

    if not n:
        return value, value
    found = binomtest(round(value * n), n).proportion_ci(method="wilson")
    return float(found.low), float(found.high)
