"""The run whose dialogues are judged. It is only read."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from emoharbor.errors import ConfigError
from emoharbor.imports import Brought, bring, write_run
from emoharbor.judging.people import as_played, people_of
from emoharbor.judging.wanted import Work, slug
from emoharbor.runs.answers import is_inquiry
from emoharbor.runs.folder import Records, is_build, is_judging, open_run
from emoharbor.runs.reader import RunReader, open_reader
from emoharbor.state.dialogue import Message
from emoharbor.state.profile import Profile
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import make_suite, read_yaml, suite_values

SUITE = "emoharbor"


@dataclass(frozen=True)
class AtHand:
    """A run that can be judged: its folder, and what the suite of its judging begins with.

    `stateless`: dialogues were imported without inner states. `brought` says what was imported
    for this, if anything was.
    """

    folder: Path
    values: Mapping[str, Any]
    stateless: bool
    brought: Brought | None = None


@dataclass(frozen=True)
class Source:
    """The dialogues to be judged and what their judge knows besides, by profile and by dialogue."""

    records: tuple[DialogueRecord, ...]
    people: Mapping[str, Profile] = field(default_factory=dict)
    states: Records = field(default_factory=dict)


async def at_hand(source: Path, out: Path | None, store: str | None) -> AtHand:
    """The run in `source` or under its name at `store`; a file or folder of dialogues is imported.

    It is imported into `out`, or runs/NAME. Raises ConfigError where there is nothing to judge.
    """
    if not _is_foreign(source, store):
        return await _run_at(source, store)
    # Their journals would be taken for chats.
    if run := next(source.glob("*/run.yaml"), None):
        raise ConfigError(f"{source} holds runs; name one of them, as in {run.parent}")
    brought = bring(source)
    folder = out or Path("runs") / slug(source.stem)
    if (folder / "run.yaml").is_file():
        _refuse_other(folder, brought)
    else:
        forms = sorted({r.imported.format for r in brought.records if r.imported})
        await write_run(brought, source.absolute(), ", ".join(forms), folder)
    return replace(await _run_at(folder, None), brought=brought)


async def read_source(work: Work, store: str | None) -> Source:
    """What a judging works on. Raises ConfigError where a profile that it needs is not there."""
    async with _opened(work.source, store) as (reader, values):
        found = (await reader.records()).values()
        # Not as they happened to finish: the first people, met by every supporter.
        ordered = sorted(found, key=lambda r: (r.profile, r.repeat, r.supporter))
        records = tuple(ordered[: work.wanted.limit])
        people = await _people(work, records, values, reader) if work.needs_people else {}
    states: Records = {}
    if work.states_folder:
        async with open_reader(work.states_folder, store) as reader:
            states = await reader.records()
    return Source(records, people, states)


def unfit(record: DialogueRecord) -> str | None:
    """Why a dialogue is not judged, if it is not."""
    if record.failure:
        return f"it failed ({record.failure.error})"
    if not any(message.role == "supporter" for message in record.h_s):
        return "the supporter says nothing in it"
    return None


def lacks_states(record: DialogueRecord) -> bool:
    """Whether it came without inner states, and the user says something that could show them."""
    roles = {item.role if isinstance(item, Message) else "inner" for item in record.h_u}
    return record.imported is not None and "user" in roles and "inner" not in roles


async def _run_at(folder: Path, store: str | None) -> AtHand:
    async with _opened(folder, store) as (reader, values):
        if is_build(values) or is_inquiry(values):
            raise ConfigError(f"{reader.where} is no run of dialogues: there is nothing to judge")
        if is_judging(values):
            of = values["judging"]["run"]
            raise ConfigError(f"{reader.where} is a judging itself; judge the run '{of}' it is of")
        records = (await reader.records()).values()
        if not records:
            raise ConfigError(f"{reader.where} holds no dialogue yet")
        suite = suite_values(SUITE)[0] if "imported" in values else values
        return AtHand(folder, suite, any(map(lacks_states, records)))


async def _people(
    work: Work, records: tuple[DialogueRecord, ...], values: Mapping[str, Any], reader: RunReader
) -> dict[str, Profile]:
    whole = [record for record in records if unfit(record) is None]
    if work.wanted.profiles or "imported" in values:
        return people_of(whole, work.wanted.profiles)
    suite = make_suite(values, reader.where)
    return await as_played(people_of(whole, suite.profiles), suite, reader.call_lines)


@asynccontextmanager
async def _opened(
    folder: Path, store: str | None
) -> AsyncIterator[tuple[RunReader, Mapping[str, Any]]]:
    """A run to be read, and what its run.yaml holds. Imported ones are in folders, always."""
    file = folder / "run.yaml"
    if store and file.is_file() and "imported" in read_yaml(file):
        store = None
    async with open_reader(folder, store) as reader:
        yield reader, yaml.safe_load(await reader.plan() or "") or {}


def _refuse_other(folder: Path, brought: Brought) -> None:
    there = {key: r.dialogue_hash for key, r in open_run(folder).records().items()}
    if there != {record.key: record.dialogue_hash for record in brought.records}:
        raise ConfigError(
            f"{folder} holds a run of other dialogues already; name another folder with --out"
        )


def _is_foreign(source: Path, store: str | None) -> bool:
    """A run in Redis may have left an empty folder of its name."""
    if source.is_dir():
        return not (source / "run.yaml").is_file() and (store is None or any(source.iterdir()))
    return source.is_file()
