"""Data frames as files, one a frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.frames.load import COLUMNS, Frames


class FrameFormat(StrEnum):
    """What frames are written as."""

    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


def write_frames(
    frames: Frames, out: Path, form: FrameFormat, names: Iterable[str] = COLUMNS
) -> list[Path]:
    """Writes each of the frames `names` into the folder `out`, as `out`/NAME.csv and so on.

    CSV is UTF-8 with a header, a missing value is empty and a list is JSON; of JSON lines each is
    an object, a missing value is null. Raises ConfigError for a name that no frame has, where
    parquet lacks its library, and for what cannot be written.
    """
    chosen = list(names)
    if strangers := [name for name in chosen if name not in COLUMNS]:
        raise ConfigError(f"no frame '{strangers[0]}'; there are {', '.join(COLUMNS)}")
    if form is FrameFormat.parquet:
        _needs_pyarrow()
    try:
        out.mkdir(parents=True, exist_ok=True)
        return [
            _written(getattr(frames, name), out / f"{name}.{form.value}", form) for name in chosen
        ]
    except OSError as error:
        raise ConfigError(f"cannot write into {out}: {error.strerror or error}") from error


def _needs_pyarrow() -> None:
    try:
        import_module("pyarrow")
    except ImportError as error:
        raise ConfigError(
            "parquet is written by pyarrow: pip install pyarrow; or choose csv or jsonl"
        ) from error


def _written(frame: pd.DataFrame, file: Path, form: FrameFormat) -> Path:
    _WRITERS[form](frame, file)
    return file


def _csv(frame: pd.DataFrame, file: Path) -> None:
    lists = {str(key): frame[key].map(_as_json) for key in frame if _has_lists(frame[key])}
    # A spreadsheet knows by the mark that the file is UTF-8.
    frame.assign(**lists).to_csv(file, index=False, encoding="utf-8-sig", lineterminator="\n")


def _jsonl(frame: pd.DataFrame, file: Path) -> None:
    frame.to_json(file, orient="records", lines=True, force_ascii=False, double_precision=15)


def _parquet(frame: pd.DataFrame, file: Path) -> None:
    lists = {str(key): frame[key].map(list) for key in frame if _has_lists(frame[key])}
    frame.assign(**lists).to_parquet(file, index=False)


def _has_lists(column: pd.Series[Any]) -> bool:
    return column.map(lambda value: isinstance(value, tuple | list)).any().item()


def _as_json(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, tuple | list) else value


_WRITERS: Mapping[FrameFormat, Callable[[pd.DataFrame, Path], None]] = {
    FrameFormat.csv: _csv,
    FrameFormat.jsonl: _jsonl,
    FrameFormat.parquet: _parquet,
}
