"""A run's folder: run.yaml, records.jsonl, calls.jsonl, checkpoints.sqlite."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from emoharbor.errors import CheckpointError, ConfigError
from emoharbor.runs.jsonl import read_lines
from emoharbor.runs.plan import Plan, digest
from emoharbor.runs.seats import flat
from emoharbor.state.record import FORMAT, DialogueRecord
from emoharbor.suite import read_yaml

NOTED = ("langgraph", "openai", "pydantic")


@dataclass(frozen=True)
class RunFolder:
    """Where everything of one run lies."""

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

    @property
    def checkpoints(self) -> str:
        """The address of the run's checkpoints."""
        return f"sqlite:///{self.path / 'checkpoints.sqlite'}"

    def prepare(self, plan: Plan) -> str:
        """Makes the folder, or checks that it holds a run of this plan.

        Returns the digest of the judge whose verdicts stand in the dialogues' own threads. Raises
        ConfigError with a readable diff when anything that shapes the dialogues differs.
        """
        judge = digest(plan.fingerprint["judge"])
        if self.plan_file.exists():
            recorded = read_yaml(self.plan_file).get("recorded") or {}
            self._refuse_changes(recorded.get("fingerprint") or {}, plan.fingerprint)
            judge = recorded.get("first_judge", judge)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._write_plan(plan, judge)
        except OSError as error:
            raise ConfigError(f"cannot write to {self.path}: {error.strerror}") from error
        return judge

    def _write_plan(self, plan: Plan, first_judge: str) -> None:
        recorded: dict[str, Any] = {
            "emoharbor": version("emoharbor"),
            "python": platform.python_version(),
            "libraries": {name: version(name) for name in NOTED},
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "first_judge": first_judge,
            "fingerprint": plan.fingerprint,
        }
        values = plan.suite.model_dump(mode="json", exclude_defaults=False)
        text = yaml.safe_dump(
            {**values, "recorded": recorded}, allow_unicode=True, sort_keys=False, width=100
        )
        part = self.plan_file.with_suffix(".part")
        part.write_text(text, encoding="utf-8")
        os.replace(part, self.plan_file)

    def _refuse_changes(self, then: dict[str, Any], now: dict[str, Any]) -> None:
        parts = ("loop", "user", "supporters", "profiles")
        old = flat({part: then.get(part, {}) for part in parts})
        new = flat({part: now[part] for part in parts})
        differing = [key for key in old if key in new and old[key] != new[key]]
        within = _same_things(old, new)
        if differing := sorted({*differing, *within}):
            lines = [
                f"  {k}: {old.get(k, '(not set)')} -> {new.get(k, '(not set)')}" for k in differing
            ]
            raise ConfigError(
                f"{self.path} holds dialogues of another configuration:\n"
                + "\n".join(lines)
                + "\nRun into another folder with --out, or undo the change."
            )

    def records(self) -> dict[tuple[str, str, int], DialogueRecord]:
        """The newest record of every cell."""
        found: dict[tuple[str, str, int], DialogueRecord] = {}
        for start, line in read_lines(self.records_file):
            if line.get("format") != FORMAT:
                raise CheckpointError(
                    f"{self.records_file}, byte {start}: format {line.get('format')!r}, "
                    f"this version reads {FORMAT}"
                )
            try:
                record = DialogueRecord.model_validate(line)
            except ValidationError as error:
                raise CheckpointError(
                    f"{self.records_file}, byte {start}: {error.errors()[0]['msg']}"
                ) from error
            found[record.cell] = record
        return found


def _same_things(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Keys that only one side has, inside a thing that both have (a supporter, the talker, …)."""
    things = {k.rsplit(".", 1)[0] for k in old} & {k.rsplit(".", 1)[0] for k in new} - {"profiles"}
    return {k for k in old.keys() ^ new.keys() if k.rsplit(".", 1)[0] in things}


def open_run(path: Path) -> RunFolder:
    """The run in `path`, which must hold one."""
    folder = RunFolder(path)
    if not folder.plan_file.is_file():
        raise ConfigError(f"{path} holds no run: there is no run.yaml in it")
    return folder
