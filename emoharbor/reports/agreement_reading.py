"""Marks from where they lie: long tables, judged runs, or a source that people marked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.frames import load
from emoharbor.imports import bring
from emoharbor.ratings import frame_of, judged, read_ratings


def read_marks(sources: Sequence[Path]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The marks of all sources in one frame with the columns of emoharbor.ratings, and notes.

    A folder is a run, whose verdicts of whole dialogues are a judge's marks; a file is the long
    table (CSV or JSONL), or one that `import` reads and that holds marks of people. Raises
    ConfigError with what is wrong where.
    """
    runs = [source for source in sources if source.is_dir()]
    found, notes = list[pd.DataFrame](), list[str]()
    for source in sources:
        if source not in runs:
            marks, its = _file(source)
            found.append(marks)
            notes += its
    if runs:
        frames = load(*runs, calls=False)
        if frames.scores.empty:
            named = ", ".join(map(str, runs))
            raise ConfigError(f"no dialogue of {named} has been judged: emoharbor judge RUN")
        found.append(judged(frames.scores))
        failed = int(frames.failures["upto"].isna().sum())
        notes += [f"{failed} dialogues or verdicts of the runs failed"] if failed else []
        part = frames.scores["upto"].notna()
        notes += ["verdicts on beginnings of dialogues are left out"] if part.any() else []
    marks = pd.concat(found, ignore_index=True)
    _once(marks)
    return marks, tuple(notes)


def _file(source: Path) -> tuple[pd.DataFrame, list[str]]:
    if not source.exists():
        raise ConfigError(f"no file or run {source}")
    if source.suffix == ".csv" or _is_table(source):
        return frame_of(read_ratings(source)), []
    brought = bring(source)
    if not brought.ratings:
        raise ConfigError(f"{source} holds no mark that people gave")
    left = len(brought.left_out)
    return frame_of(brought.ratings), [f"{source.name}: {left} entries left out"] if left else []


def _is_table(source: Path) -> bool:
    """Whether the first line is a row of the long table, or meant to be."""
    if source.suffix != ".jsonl":
        return False
    with source.open(encoding="utf-8-sig", errors="replace") as file:
        line = next((line for line in file if line.strip()), "")
    try:
        first = json.loads(line)
    except ValueError:
        return True
    return not isinstance(first, dict) or "rater_id" in first or "dimension" in first


def _once(marks: pd.DataFrame) -> None:
    key = ["item_id", "rater_id", "rater_kind", "dimension", "strategy", "sample"]
    again = marks[marks.duplicated(key)]
    if not again.empty:
        one = again.iloc[0]
        raise ConfigError(
            f"two sources hold {one['dimension']} of {one['item_id']} by {one['rater_id']}; "
            "name each source once, or number repeats in a column 'sample'"
        )
