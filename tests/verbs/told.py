"""What a verb with tables says and writes."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.here import emoharbor

Tables = dict[str, list[dict[str, str]]]


def refused_by(verb: str, *args: str | Path) -> str:
    """Its error, when it refuses what it is given."""
    done = emoharbor(verb, *map(str, args))
    assert done.returncode == 2, done.stdout
    return " ".join(done.stderr.split())


def tables_of(verb: str, where: Path, *args: str | Path) -> Tables:
    """Its tables by name, as it writes them into a folder."""
    done = emoharbor(verb, *map(str, args), "-o", str(where), COLUMNS="200")
    assert done.returncode == 0, done.stderr
    return {
        file.stem: list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
        for file in where.glob("*.csv")
    }
