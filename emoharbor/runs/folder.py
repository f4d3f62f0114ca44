"""A run's folder and the plan that is kept in it."""

from __future__ import annotations

import platform
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from emoharbor.errors import CheckpointError, ConfigError
from emoharbor.runs.fingerprint import changes, digest
from emoharbor.runs.jsonl import read_lines
from emoharbor.state.record import FORMAT, DialogueRecord, Key

# Whoever only reads a run does without LangGraph and the model libraries.
if TYPE_CHECKING:
    from emoharbor.runs.plan import Plan
    from emoharbor.runs.store import RunStore

NOTED = ("aiohttp", "langgraph", "pydantic")
Records = dict[Key, DialogueRecord]


@dataclass(frozen=True)
class RunFolder:
    """Where the files of one run lie."""

    path: Path

    @property
    def plan_file(self) -> Path:
        """The resolved suite, which can be run again as an input."""
        return self.path / "run.yaml"

    @property
    def records_file(self) -> Path:
        """One line a finished or failed cell; the last line of a cell wins."""
        return self.path / "records.jsonl"

    @property
    def calls_file(self) -> Path:
        """The call journal."""
        return self.path / "calls.jsonl"

    def records(self) -> Records:
        """The newest record of every cell. Raises CheckpointError for a line that is none."""
        return newest(line for _, line in read_lines(self.records_file))


def newest(lines: Iterable[dict[str, Any]]) -> Records:
    """The last record of every cell."""
    records = (record_of(line, number) for number, line in enumerate(lines, start=1))
    return {record.key: record for record in records}


def record_of(line: dict[str, Any], number: int) -> DialogueRecord:
    """The record in a line, the `number`-th one. Raises CheckpointError."""
    if line.get("format") != FORMAT:
        raise CheckpointError(
            f"record {number}: format {line.get('format')!r}, this version reads {FORMAT}"
        )
    try:
        return DialogueRecord.model_validate(line)
    except ValidationError as error:
        raise CheckpointError(f"record {number}: {error.errors()[0]['msg']}") from error


async def stored_records(lines: AsyncIterator[tuple[int, dict[str, Any]]]) -> Records:
    """The last record of every cell in a store."""
    return newest([line async for _, line in lines])


def open_run(path: Path) -> RunFolder:
    """The run in `path`, which must hold one."""
    folder = RunFolder(path)
    if not folder.plan_file.is_file():
        raise ConfigError(f"{path} holds no run: there is no run.yaml in it")
    return folder


async def prepare(plan: Plan, store: RunStore, where: str) -> str:
    """Keeps the plan, or checks that the store holds a run of it.

    Returns the digest of the judge whose verdicts stand in the dialogues' own threads. Raises
    ConfigError with a readable diff when anything that shapes the dialogues differs.
    """
    judge = digest(plan.fingerprint["judge"])
    text = await store.plan.read()
    if text:
        kept = yaml.safe_load(text) or {}
        if is_build(kept):
            raise ConfigError(f"{where} holds a build of profiles; run into another with --out")
        if is_judging(kept):
            raise ConfigError(f"{where} holds a judging; run into another with --out")
        if "imported" in kept:
            raise ConfigError(f"{where} holds imported dialogues; run into another with --out")
        if kept.get("branch") and plan.suite.branch is None:
            raise ConfigError(
                f"{where} holds dialogues branched from {kept['branch']['run']}: go on with them "
                f"by emoharbor resume {where}, or run into another folder with --out"
            )
        recorded = kept.get("recorded") or {}
        _refuse_changes(recorded.get("fingerprint") or {}, plan.fingerprint, where)
        judge = recorded.get("first_judge", judge)
    await store.plan.write(_text(plan, judge))
    return judge


def _text(plan: Plan, first_judge: str) -> str:
    cells = len(plan.cells)
    return plan_text(plan.suite.file_values(), plan.fingerprint, cells, first_judge=first_judge)


def plan_text(
    values: Mapping[str, Any], fingerprint: Mapping[str, Any], cells: int, **more: Any
) -> str:
    """What run.yaml holds: the `values` that it was made from, and what was noted beside them."""
    recorded: dict[str, Any] = {
        "emoharbor": version("emoharbor"),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in NOTED},
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "cells": cells,
        **more,
        "fingerprint": fingerprint,
    }
    whole = {**values, "recorded": recorded}
    return yaml.safe_dump(whole, allow_unicode=True, sort_keys=False, width=100)


def is_build(values: Mapping[str, Any]) -> bool:
    """Whether what a run.yaml holds is a build of profiles and no run of dialogues."""
    return "build" in values


def is_judging(values: Mapping[str, Any]) -> bool:
    """Whether what a run.yaml holds is a judging of recorded dialogues."""
    return "judging" in values


def _refuse_changes(then: Mapping[str, Any], now: Mapping[str, Any], where: str) -> None:
    parts = ("loop", "user", "supporters", "profiles")
    if lines := changes(then, now, parts, grows="profiles"):
        raise ConfigError(
            f"{where} holds dialogues of another configuration:\n"
            + "\n".join(lines)
            + "\nRun into another folder with --out (with --as NEW it takes over the dialogues "
            "that are still the same), or undo the change."
        )
