"""What is to be audited: a run, or dialogues that were had elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from emoharbor.agents.auditor import Reading
from emoharbor.errors import ConfigError
from emoharbor.imports.bring import bring
from emoharbor.profiles.entries import Entry, Finding, entries
from emoharbor.profiles.load import load_profiles
from emoharbor.profiles.texts import texts
from emoharbor.runs.folder import is_build, newest
from emoharbor.runs.jsonl import read_lines
from emoharbor.runs.reader import open_reader
from emoharbor.state.profile import Profile
from emoharbor.state.record import FORMAT, DialogueRecord


@dataclass(frozen=True)
class Readings:
    """What a model, `by` its spec, made of dialogues: a reading, or the cause of a failure, by the
    dialogue's name. `left` of those that it is to read were not read yet.
    """

    by: str
    read: Mapping[str, Reading]
    failed: Mapping[str, str]
    left: int


@dataclass(frozen=True)
class Corpus:
    """Dialogues, and what of their source is none.

    `people` holds the profiles of a run of our own, by id; an imported dialogue brings what is
    known of its person. `notes` say what could not be looked at; `readings` are a model's, if any.
    """

    where: str
    records: tuple[DialogueRecord, ...]
    left_out: tuple[Finding, ...] = ()
    people: Mapping[str, Profile] | None = None
    notes: tuple[str, ...] = ()
    readings: Readings | None = None

    def person(self, record: DialogueRecord) -> str:
        """All that is known of who seeks support in a dialogue, "" for nothing."""
        if record.imported:
            return "\n".join(record.imported.person)
        profile = (self.people or {}).get(record.profile)
        return "\n".join(text for _, text in texts(profile)) if profile else ""


async def read_corpus(source: Path, store: str | None = None) -> Corpus:
    """The dialogues of a run in a folder or under its name at `store`, or of a file or folder.

    Raises ConfigError when there is nothing to audit.
    """
    if _is_records(source):
        records = newest(line for _, line in read_lines(source))
        return Corpus(str(source), tuple(records.values()), notes=(_unknown("its run.yaml"),))
    if _is_foreign(source, store):
        brought = bring(source)
        return Corpus(str(source), brought.records, brought.left_out)
    async with open_reader(source, store) as reader:
        plan = yaml.safe_load(await reader.plan() or "") or {}
        if is_build(plan):
            raise ConfigError(f"{reader.where} is a build of profiles: it holds no dialogue")
        records = await reader.records()
        if not records:
            raise ConfigError(f"{reader.where} holds no dialogue yet")
        return _of_run(reader.where, records.values(), plan)


def _of_run(where: str, records: Iterable[DialogueRecord], plan: Mapping[str, Any]) -> Corpus:
    if "imported" in plan:
        given = plan["imported"].get("left_out") or ()
        left_out = tuple(Finding(one["where"], "", one["says"]) for one in given)
        return Corpus(where, tuple(records), left_out)
    try:
        people = {profile.id: profile for profile in load_profiles(str(plan.get("profiles")))}
    except ConfigError as error:
        return Corpus(where, tuple(records), notes=(_unknown(str(error)),))
    return Corpus(where, tuple(records), people=people)


def _unknown(why: str) -> str:
    return f"what the profiles say is not known: {why}"


def _is_foreign(source: Path, store: str | None) -> bool:
    """A run in Redis may have left an empty folder of its name."""
    if source.is_dir():
        return not (source / "run.yaml").is_file() and (store is None or any(source.iterdir()))
    return source.is_file()


def _is_records(source: Path) -> bool:
    if source.suffix != ".jsonl" or not source.is_file():
        return False
    first = next(entries(source), None)
    return (
        isinstance(first, Entry)
        and isinstance(first.value, dict)
        and first.value.get("format") == FORMAT
    )
