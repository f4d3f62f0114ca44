"""The systems of the paper's Tables 3 and 5 as rows below the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from emoharbor.reports.reference import FILES, JUDGE, Published, odd_rows, published
from emoharbor.reports.settings import Measured
from emoharbor.sheets import Cell
from emoharbor.state.profile import Language

Row = Mapping[str, Cell | float | int | str]
SIGN = "†"
NO_SPREAD = "no spread is published"


def best_first(language: Language) -> list[Published]:
    """By their printed average."""
    return sorted(published(language), key=lambda one: -one.printed)


def standing_row(one: Published) -> Row:
    """A published system in the leaderboard."""
    unknown = Cell(None, why=NO_SPREAD)
    note = "" if one.follows else f"(its ten means: {one.mean:.3f})"
    return {
        "supporter": f"{one.name} {SIGN}",
        "mean": Cell(one.printed, note),
        "low": unknown,
        "high": unknown,
        "judge": JUDGE,
    }


def dimension_row(one: Published, keys: Sequence[str]) -> Row:
    """A published system by dimension; one that the paper has not is left empty."""
    return {"supporter": f"{one.name} {SIGN}", **{k: one.marks[k] for k in keys if k in one.marks}}


def notes_on(found: Measured, language: Language | None) -> list[str]:
    """What to keep in mind about published rows."""
    if language is None:
        return []
    table = FILES[language][1]
    notes = [
        f"{SIGN} published, {table} of EmoHarbor: judged by another judge ({JUDGE}), with other "
        "simulated people and prompts; that is no common scale, so they are not ranked with yours"
    ]
    if found.setting.language != language:
        notes.append(f"{table} is of {language}, these dialogues are of {found.setting.language}")
    if set(found.dimensions) != set(published(language)[0].marks):
        notes.append(f"{table} has ten dimensions, not those of {found.setting.rubric}")
    return notes + odd_rows(language)
