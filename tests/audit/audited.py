"""What `emoharbor audit -o` writes, looked up by measure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.here import emoharbor

Row = dict[str, Any]


class Rows:
    """The figures of an audit; of a measure in all dialogues, or in those of a name."""

    def __init__(self, whole: Row) -> None:
        self.whole = whole
        self._rows = {(r["language"], r["name"], r["measure"]): r for r in whole["figures"]}

    def row(self, measure: str, name: str = "all", language: str = "zh") -> Row:
        """One figure with all that is said of it."""
        found: Row = self._rows[(language, name, measure)]
        return found

    def share(self, measure: str, name: str = "all", language: str = "zh") -> tuple[int, int]:
        """How many of how many."""
        row = self.row(measure, name, language)
        return row["hits"], row["n"]

    def value(self, measure: str, name: str = "all", language: str = "zh") -> float | None:
        """The figure alone."""
        found: float | None = self.row(measure, name, language)["value"]
        return found


def audited(source: Path, *args: str) -> Rows:
    """An audit that must end well."""
    file = source.parent / f"{source.name}.audit.json"
    done = emoharbor("audit", str(source), *args, "-o", str(file))
    assert done.returncode == 0, done.stderr
    return Rows(json.loads(file.read_text(encoding="utf-8")))
