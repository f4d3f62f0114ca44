"""A run as a source of training dialogues: its records, and what its supporters were told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from emoharbor.errors import ConfigError, PromptError
from emoharbor.prompts.loader import load_prompt
from emoharbor.runs.folder import is_build
from emoharbor.runs.lines import KeptLines
from emoharbor.runs.reader import RunReader, open_reader
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import OPENING_LINES
from emoharbor.training.data.dialogue import Dialogue, arm_of, dialogue_of


@dataclass(frozen=True)
class TrainingRun:
    """What a run has kept. `values` is what its run.yaml holds.

    `systems` has the system text of each dialogue whose supporter was asked for a reply, by thread;
    None where the request began without one.
    """

    where: str
    values: Mapping[str, Any]
    records: tuple[DialogueRecord, ...]
    systems: Mapping[str, str | None]

    @property
    def imported(self) -> bool:
        """Whether its dialogues were had elsewhere."""
        return "imported" in self.values

    def dialogues(self) -> list[Dialogue]:
        """All of them, in order, the failed ones too."""
        return [self._dialogue(record) for record in self.records]

    def _dialogue(self, record: DialogueRecord) -> Dialogue:
        usual = OPENING_LINES[record.language]
        first_line = str(self.values.get("opening_line") or usual)
        system = self._system(record)
        return dialogue_of(record, self.where, arm_of(record.suite), system, first_line)

    def _system(self, record: DialogueRecord) -> str | None:
        if record.own_thread in self.systems:
            return self.systems[record.own_thread]
        return _prompted(self.values.get("supporters") or (), record)


async def read_run(folder: Path, store: str | None = None) -> TrainingRun:
    """The run in `folder`, or under its name in the Redis at `store`.

    Raises ConfigError where there is none, or one that holds no dialogue.
    """
    async with open_reader(folder, store) as reader:
        values = await plan_of(reader)
        if is_build(values):
            raise ConfigError(f"{reader.where} is a build of profiles: it holds no dialogue")
        records = tuple((await reader.records()).values())
        if not records:
            raise ConfigError(f"{reader.where} holds no dialogue yet")
        return TrainingRun(str(folder), values, records, await _systems(reader.call_lines))


async def plan_of(reader: RunReader) -> Mapping[str, Any]:
    """What run.yaml holds. Raises ConfigError when that is no plan."""
    try:
        values = yaml.safe_load(await reader.plan() or "")
    except yaml.YAMLError as error:
        raise ConfigError(f"{reader.where}: its plan is not YAML: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{reader.where} holds no plan")
    return values


async def _systems(calls: KeptLines) -> dict[str, str | None]:
    """From the first request of each supporter: the journal keeps that one whole."""
    found: dict[str, str | None] = {}
    async for _, entry in calls.all():
        if entry["kind"] == "call" and entry["node"] == "supporter":
            if entry["thread"] not in found:
                first = entry["messages"][0]
                told = first["content"] if first["role"] == "system" else None
                found[entry["thread"]] = told
    return found


def _prompted(supporters: Any, record: DialogueRecord) -> str | None:
    """The text of the supporter's prompt, where its file is still the one that the record names."""
    own: Mapping[str, Any] = next((s for s in supporters if s["name"] == record.supporter), {})
    if own.get("use") != "chat":
        return None
    try:
        prompt = load_prompt(own.get("prompt") or "supporter", record.language)
    except PromptError:
        # A file of the user's own that is gone: the data card counts who has no system text.
        return None
    same = prompt.hash == record.prompts.get("supporter/prompt")
    return prompt.remembered("system") if same else None
