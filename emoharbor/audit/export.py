"""An audit as a file: a row a figure as CSV, or the same as JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from emoharbor.audit.measures import defined
from emoharbor.audit.report import Audit, Group, Part
from emoharbor.errors import ConfigError

ENDS = (".csv", ".json")


def checked(file: Path) -> Path:
    """The file, whose ending says how it is written. Raises ConfigError for another one."""
    if file.suffix not in ENDS:
        raise ConfigError(f"-o {file}: a name that ends in {' or '.join(ENDS)} is wanted")
    return file


def write(audit: Audit, file: Path) -> None:
    """Writes every figure. Raises ConfigError when the file cannot be written."""
    rows = list(_rows(audit))
    text = _json(audit, rows) if checked(file).suffix == ".json" else _csv(audit, rows)
    try:
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise ConfigError(f"cannot write {file}: {error.strerror}") from error


def _rows(audit: Audit) -> Iterator[dict[str, Any]]:
    for part in audit.parts:
        for group in part.groups:
            yield from _of_group(part, group)


def _of_group(part: Part, group: Group) -> Iterator[dict[str, Any]]:
    for measure in (m for section in part.sections.values() for m in section):
        figure, others = group.figures[measure.key], part.people(measure)
        yield {
            "language": part.language,
            "of": group.kind,
            "name": group.name,
            "measure": measure.key,
            "value": figure.value,
            "n": figure.n,
            "hits": figure.hits,
            "over": defined(measure.over, part.language),
            "definition": defined(measure.says, part.language),
            "mark": part.mark(measure, group),
            "people": {one.source: one.value for one in others if one.kind == "people"},
            "simulators": {one.source: one.value for one in others if one.kind == "simulator"},
            "detail": figure.detail,
            "dialogues": list(figure.names),
        }


def _json(audit: Audit, rows: list[dict[str, Any]]) -> str:
    whole = {
        "where": audit.where,
        "against": audit.against,
        "notes": list(audit.notes),
        "left_out": [{"where": one.where, "says": one.says} for one in audit.left_out],
        "contradictions": [
            {"dialogue": name, **one.model_dump()} for name, one in audit.contradictions
        ],
        "figures": rows,
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def _csv(audit: Audit, rows: list[dict[str, Any]]) -> str:
    """What was left out is the rows of the measure `left_out`."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]))
    writer.writeheader()
    for row in rows:
        people, simulators = (
            "; ".join(f"{name} {value:g}" for name, value in row[key].items())
            for key in ("people", "simulators")
        )
        flat = {
            "people": people,
            "simulators": simulators,
            "dialogues": "; ".join(row["dialogues"]),
        }
        writer.writerow(row | flat)
    for one in audit.left_out:
        writer.writerow({"measure": "left_out", "name": one.where, "detail": one.says})
    return out.getvalue()
