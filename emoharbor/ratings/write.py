"""Writing the long table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from emoharbor.errors import ConfigError
from emoharbor.ratings.table import COLUMNS, Rating

ENDS = (".csv", ".jsonl")


def checked(file: Path) -> Path:
    """The file, whose ending must say CSV or JSONL. Raises ConfigError."""
    if file.suffix not in ENDS:
        raise ConfigError(f"{file}: a name that ends in {' or '.join(ENDS)} is wanted")
    return file


def write_ratings(ratings: Iterable[Rating], file: Path) -> None:
    """Writes ratings as CSV or JSONL, as the ending of `file` says; None is left empty.

    Raises ConfigError for another ending and for what cannot be written.
    """
    told = _lines if checked(file).suffix == ".jsonl" else _csv
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # Excel knows by the mark that a CSV file is UTF-8.
        coding = "utf-8" if file.suffix == ".jsonl" else "utf-8-sig"
        file.write_text(told(ratings), encoding=coding, newline="")
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error


def _lines(ratings: Iterable[Rating]) -> str:
    return "".join(json.dumps(asdict(r), ensure_ascii=False) + "\n" for r in ratings)


def _csv(ratings: Iterable[Rating]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: _cell(v) for k, v in asdict(r).items()} for r in ratings)
    return out.getvalue()


def _cell(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value
