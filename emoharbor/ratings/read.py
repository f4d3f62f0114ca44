"""Reading the long table; whatever is wrong in it is told with its line and column."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.profiles.entries import Finding, entries
from emoharbor.ratings.names import dimension_key
from emoharbor.ratings.table import COLUMNS, JUDGE, NEEDED, PEOPLE, Rating

# What stands in a table where no mark was given.
BLANK = ("", "na", "n/a", "none", "null")
KINDS = (*PEOPLE, JUDGE)


@dataclass(frozen=True)
class Row:
    """One row of a file; `where` says in which file and line it stands."""

    where: str
    values: Mapping[str, Any]


def read_ratings(file: Path) -> tuple[Rating, ...]:
    """The ratings in a CSV or JSONL file; columns that are not COLUMNS are passed over.

    An empty score is a missing one. Raises ConfigError for the first value that is not what it
    must be, with its line and column and how many more there are: a score outside its scale too,
    and a rater who marks the same thing twice in the same sample.
    """
    rows = list(_json_rows(file) if file.suffix == ".jsonl" else csv_rows(file, NEEDED))
    found: list[Rating] = []
    wrong: list[str] = []
    for row in rows:
        try:
            found.append(_rating(row))
        except ConfigError as error:
            wrong.append(str(error))
    if not wrong:
        wrong = list(_twice(rows, found))
    if wrong:
        more = f" (and {len(wrong) - 1} more like this)" if len(wrong) > 1 else ""
        raise ConfigError(f"{wrong[0]}{more}")
    if not found:
        raise ConfigError(f"{file} holds no rating")
    return tuple(found)


def csv_rows(file: Path, needed: Iterable[str]) -> Iterator[Row]:
    """The rows of a CSV file by the names in its first line. Raises ConfigError."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 (byte {error.start})") from error
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        head = [name.strip() for name in next(reader, [])]
        for name in needed:
            if name not in head:
                raise ConfigError(f"{file}: no column '{name}'{nearest(name, head)}")
        line = reader.line_num + 1
        for cells in reader:
            where, line = f"{file}, line {line}", reader.line_num + 1
            if not any(cells):
                continue
            if len(cells) != len(head):
                raise ConfigError(f"{where}: {len(cells)} cells under {len(head)} columns")
            yield Row(where, dict(zip(head, (cell.strip() for cell in cells), strict=True)))
    except csv.Error as error:
        raise ConfigError(f"{file}, line {reader.line_num}: no CSV: {error}") from error


def _json_rows(file: Path) -> Iterator[Row]:
    for entry in entries(file):
        if isinstance(entry, Finding):
            raise ConfigError(str(entry))
        if not isinstance(entry.value, dict):
            raise ConfigError(f"{entry.where}: no object with {', '.join(NEEDED)}")
        for name in NEEDED:
            if name not in entry.value:
                known = nearest(name, map(str, entry.value))
                raise ConfigError(f"{entry.where}: no '{name}'{known}")
        yield Row(entry.where, entry.value)


def _rating(row: Row) -> Rating:
    texts = {name: _text(row, name) for name in COLUMNS if name in row.values}
    for name in ("item_id", "rater_id", "rater_kind", "dimension"):
        if not texts[name]:
            raise ConfigError(f"{row.where}, column {name}: empty")
    kind = texts["rater_kind"].lower()
    if kind not in KINDS:
        raise ConfigError(f"{row.where}, column rater_kind: '{kind}'{nearest(kind, KINDS)}")
    low, high = number(row, "scale_min"), number(row, "scale_max")
    if low >= high:
        raise ConfigError(f"{row.where}, column scale_max: {high:g} is not above {low:g}")
    return Rating(
        item_id=texts["item_id"],
        rater_id=texts["rater_id"],
        rater_kind=kind,
        dimension=dimension_key(texts["dimension"]) or texts["dimension"],
        score=score(row, "score", low, high),
        scale_min=low,
        scale_max=high,
        profile_id=texts.get("profile_id", ""),
        model=texts.get("model", ""),
        strategy=texts.get("strategy", ""),
        sample=_whole(row, "sample") if texts.get("sample") else 0,
        missing=texts.get("missing", ""),
    )


def score(row: Row, name: str, low: float, high: float) -> float | None:
    """The mark in a column, None where it is blank. Raises ConfigError outside the scale."""
    if _text(row, name).lower() in BLANK:
        return None
    value = number(row, name)
    if not low <= value <= high:
        where = f"{row.where}, column {name}"
        raise ConfigError(f"{where}: {value:g} is outside the scale {low:g} to {high:g}")
    return value


def number(row: Row, name: str) -> float:
    """The number in a column. Raises ConfigError that says what stands there instead."""
    value = row.values[name]
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise ConfigError(f"{row.where}, column {name}: a number is wanted, not {value!r}")
    return found


def _whole(row: Row, name: str) -> int:
    found = number(row, name)
    if found != int(found) or found < 0:
        raise ConfigError(f"{row.where}, column {name}: 0, 1, 2, … is wanted, not {found:g}")
    return int(found)


def _text(row: Row, name: str) -> str:
    value = row.values[name]
    if isinstance(value, dict | list):
        raise ConfigError(f"{row.where}, column {name}: a text or a number is wanted")
    return "" if value is None else str(value).strip()


def _twice(rows: list[Row], ratings: list[Rating]) -> Iterator[str]:
    seen: dict[tuple[object, ...], str] = {}
    for row, r in zip(rows, ratings, strict=True):
        key = (r.item_id, r.rater_id, r.rater_kind, r.dimension, r.strategy, r.sample)
        if key in seen:
            what = f"{r.rater_id} marks {r.dimension} of {r.item_id}"
            how = "number repeated marks in a column 'sample'"
            yield f"{row.where}: {what} a second time, after {seen[key]}; {how}"
        seen[key] = row.where
