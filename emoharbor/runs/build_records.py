"""The records of a build, and what they come to."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from emoharbor.errors import CheckpointError
from emoharbor.profiles.fit import Known
from emoharbor.state.building import FORMAT, BuildRecord

PROFILES, SET_ASIDE = "profiles.jsonl", "set_aside.jsonl"


@dataclass(frozen=True)
class Built:
    """What has come of a build so far, each in the order of the seeds; `left` are still to do."""

    file: Path
    accepted: Sequence[BuildRecord]
    set_aside: Sequence[BuildRecord]
    failed: Sequence[BuildRecord]
    left: int

    @property
    def records(self) -> dict[str, BuildRecord]:
        """All of them by id."""
        return {record.id: record for record in (*self.accepted, *self.set_aside, *self.failed)}

    @property
    def reasons(self) -> Counter[str]:
        """For how many of those set aside each kind of fault is a reason."""
        return Counter(kind for r in self.set_aside for kind in {f.kind for f in r.faults})

    @property
    def causes(self) -> Counter[str]:
        """How many failed by each cause."""
        failures = (r.failure for r in self.failed if r.failure)
        return Counter(f"{f.error}{f' ({f.cause})' if f.cause else ''}" for f in failures)


async def stored_builds(lines: AsyncIterator[tuple[int, dict[str, Any]]]) -> dict[str, BuildRecord]:
    """The last record of every person in a store."""
    found = [line async for _, line in lines]
    records = (build_record(line, number) for number, line in enumerate(found, start=1))
    return {record.id: record for record in records}


def build_record(line: Mapping[str, Any], number: int) -> BuildRecord:
    """The record in a line, the `number`-th one. Raises CheckpointError."""
    if line.get("format") != FORMAT:
        raise CheckpointError(
            f"record {number}: format {line.get('format')!r}, this version reads {FORMAT}"
        )
    try:
        return BuildRecord.model_validate(line)
    except ValidationError as error:
        raise CheckpointError(f"record {number}: {error.errors()[0]['msg']}") from error


def file_of(file: str | None, out: Path) -> Path:
    """Where the accepted profiles of a build in `out` go."""
    return Path(file) if file else out / PROFILES


def settled(ids: Iterable[str], records: Mapping[str, BuildRecord], file: Path) -> Built:
    """What came of the people `ids`: of two too much alike, the later one is set aside."""
    people, left = Known(), 0
    accepted, set_aside, failed = list[BuildRecord](), list[BuildRecord](), list[BuildRecord]()
    for name in ids:
        record = records.get(name)
        if record is None:
            left += 1
        elif record.failure:
            failed.append(record)
        elif record.profile is None:
            set_aside.append(record)
        elif alike := people.resembled_by(record.profile):
            set_aside.append(record.model_copy(update={"profile": None, "faults": alike}))
        else:
            people.add(record.profile)
            accepted.append(record)
    return Built(file, accepted, set_aside, failed, left)
