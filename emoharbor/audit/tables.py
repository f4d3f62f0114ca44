"""What a model's readings come to, as a table of its own."""

from __future__ import annotations

from dataclasses import replace

from emoharbor.agents.auditor import Contradiction
from emoharbor.audit.figures import Figure, Measure
from emoharbor.audit.reading import Corpus, Readings
from emoharbor.audit.readings import MEASURES
from emoharbor.audit.report import LANGUAGES, audit
from emoharbor.sheets import Cell, Column, Sheet

COLUMNS = (
    Column("of", "of"),
    Column("measure", "measure"),
    Column("value", "share", digits=1, percent=True),
    Column("hits", "number"),
    Column("n", "n"),
)
ONE = ("dialogue", "line", "kind", "quote", "against", "says")


def reading_sheets(corpus: Corpus, readings: Readings) -> list[Sheet]:
    """The figures of each language, and the contradictions themselves where there are any."""
    found = audit(replace(corpus, readings=readings))
    sheets = []
    for part in found.parts:
        (group,) = part.of("all")
        rows = tuple(_row(measure, group.figures[measure.key]) for measure in MEASURES)
        title = f"{corpus.where}: read by {readings.by}, {LANGUAGES[part.language]}"
        sheets.append(Sheet(f"read-{part.language}", title, COLUMNS, rows, found.notes))
    if found.contradictions:
        shown = tuple({"dialogue": name, **_told(one)} for name, one in found.contradictions)
        columns = tuple(Column(name, name) for name in ONE)
        sheets.append(Sheet("contradictions", "Contradictions", columns, shown))
    return sheets


def _row(measure: Measure, figure: Figure) -> dict[str, Cell | float | int | str]:
    value = Cell(figure.value, why="" if figure.n else "there is none")
    return {
        "of": measure.over,
        "measure": measure.says,
        "value": value,
        "hits": figure.hits or 0,
        "n": figure.n,
    }


def _told(one: Contradiction) -> dict[str, Cell | float | int | str]:
    against = one.against if one.earlier is None else f"[{one.earlier}] {one.against}"
    return {
        "line": one.line,
        "kind": one.kind.replace("_", " "),
        "quote": one.quote,
        "against": against,
        "says": one.says,
    }
