"""What the EmoHarbor paper printed: Tables 2, 3 and 5."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import fmean

from emoharbor.prompts.rubric import load_rubric
from emoharbor.state.profile import Language

FOLDER = Path(__file__).parents[1] / "data" / "reference"
FILES: Mapping[Language, tuple[str, str]] = {
    "zh": ("table3_zh.csv", "Table 3"),
    "en": ("table5_en.csv", "Table 5"),
}
JUDGE = "Qwen3-235B"
HALF_A_DIGIT = 0.005


@dataclass(frozen=True)
class Published:
    """A system of Table 3 or 5: its ten means (1 to 5) by dimension, and the average printed."""

    name: str
    group: str
    reasoning: bool
    marks: Mapping[str, float]
    printed: float

    @property
    def mean(self) -> float:
        """The average of the ten."""
        return fmean(self.marks.values())

    @property
    def follows(self) -> bool:
        """Whether the printed average is that of the ten, to two digits."""
        return abs(self.mean - self.printed) <= HALF_A_DIGIT + 1e-9


@dataclass(frozen=True)
class PublishedDiscrimination:
    """Table 2, over so many systems and users; its F was printed with p < 0.001."""

    msr: float
    mac: float
    f: float
    share: float
    systems: int
    users: int


@cache
def published(language: Language) -> tuple[Published, ...]:
    """The systems of Table 3 (zh) or Table 5 (en), in the order of the table."""
    keys = {one.short: one.key for one in load_rubric("emoharbor-10", "en").dimensions}
    rows = _rows(FILES[language][0])
    return tuple(
        Published(
            name=row["model"],
            group=row["group"],
            reasoning=row["reasoning"] == "1",
            marks={key: float(row[short]) for short, key in keys.items()},
            printed=float(row["avg"]),
        )
        for row in rows
    )


def published_discrimination() -> PublishedDiscrimination:
    """Table 2."""
    (row,) = _rows("table2.csv")
    return PublishedDiscrimination(
        msr=float(row["MSR"]),
        mac=float(row["MAC"]),
        f=float(row["anova_F"]),
        share=float(row["pairwise_discriminability"]),
        systems=int(row["M"]),
        users=int(row["U"]),
    )


def odd_rows(language: Language) -> list[str]:
    """A sentence for each system whose printed average does not follow from its ten means."""
    table = FILES[language][1]
    return [
        f"{table}, {one.name}: {one.printed:.2f} is printed, its ten means average {one.mean:.3f}"
        for one in published(language)
        if not one.follows
    ]


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
