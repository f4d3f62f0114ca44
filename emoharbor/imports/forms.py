"""A form that people filled in: a row a dialogue and rater, a column a dimension."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from emoharbor.errors import ConfigError
from emoharbor.ratings import Rating, dimension_key
from emoharbor.ratings.read import Row, csv_rows, score

# That of the papers' forms.
SCALE = (1.0, 5.0)
# What names a row, under the first name that there is.
RATER = ("rater_id", "rater", "expert", "participant")
ITEM = ("item_id", "item")
MODEL = ("model", "supporter", "system")
PERSON = ("profile_id", "profile", "person")


def read_form(file: Path, kind: str = "expert") -> tuple[tuple[Rating, ...], tuple[str, ...]]:
    """The ratings in a CSV form, and the columns that were not read.

    Columns are found by the dimensions' keys, short labels or titles, in English or Chinese. A
    dialogue is named by `item_id`, or by a supporter, a person and a repeat (0 when left out).
    Marks are from 1 to 5. Raises ConfigError with file, line and column.
    """
    rows = list(csv_rows(file, ()))
    if not rows:
        raise ConfigError(f"{file} holds no row")
    head = list(rows[0].values)
    dimensions = {name: key for name in head if (key := dimension_key(name))}
    if not dimensions:
        raise ConfigError(f"{file}: no column is a dimension (RA, response_appropriateness, …)")
    if len(set(dimensions.values())) < len(dimensions):
        raise ConfigError(f"{file}: two columns are one dimension: {', '.join(dimensions)}")
    names = {
        "rater": _column(head, RATER),
        "item": _column(head, ITEM),
        "model": _column(head, MODEL),
        "person": _column(head, PERSON),
    }
    if names["rater"] is None:
        raise ConfigError(f"{file}: no column 'rater_id' says who rated")
    if names["item"] is None and (names["model"] is None or names["person"] is None):
        raise ConfigError(f"{file}: neither 'item_id' nor 'supporter' and 'profile' name dialogues")
    found = tuple(rating for row in rows for rating in _ratings(row, names, dimensions, kind))
    used = {*names.values(), *dimensions, "repeat"}
    return found, tuple(name for name in head if name not in used)


def _column(head: list[str], names: tuple[str, ...]) -> str | None:
    return next((name for name in head if name.lower() in names), None)


def _ratings(
    row: Row, names: Mapping[str, str | None], dimensions: Mapping[str, str], kind: str
) -> Iterator[Rating]:
    said = {what: row.values[name] if name else "" for what, name in names.items()}
    place = (said["model"], said["person"], row.values.get("repeat") or "0")
    item = said["item"] if names["item"] else "/".join(place)
    for what in ("rater", "item") if names["item"] else ("rater", "model", "person"):
        if not said[what]:
            raise ConfigError(f"{row.where}, column {names[what]}: empty")
    for name, dimension in dimensions.items():
        yield Rating(
            item_id=item,
            rater_id=said["rater"],
            rater_kind=kind,
            dimension=dimension,
            score=score(row, name, *SCALE),
            scale_min=SCALE[0],
            scale_max=SCALE[1],
            profile_id=said["person"],
            model=said["model"],
        )
