"""Finding one dialogue of a run, and its calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.runs.folder import RunFolder
from emoharbor.runs.journal import read_calls
from emoharbor.state.record import DialogueRecord


def find_record(folder: RunFolder, name: str) -> DialogueRecord:
    """The one dialogue whose SUPPORTER/PROFILE/REPEAT is `name`, or holds its parts in order."""
    records = {"/".join(map(str, cell)): r for cell, r in folder.records().items()}
    if name in records:
        return records[name]
    found = [full for full in records if f"/{name.strip('/')}/" in f"/{full}/"]
    if len(found) == 1:
        return records[found[0]]
    if found:
        raise ConfigError(f"'{name}' could be any of: {', '.join(sorted(found))}")
    raise ConfigError(f"{folder.path} has no dialogue '{name}'{nearest(name, records)}")


def calls_of(folder: RunFolder, record: DialogueRecord, role: str) -> Iterator[dict[str, Any]]:
    """The journal's calls of `role` in this dialogue; ConfigError when the role made none."""
    if role not in record.usage:
        raise ConfigError(
            f"no model call of '{role}' in this dialogue{nearest(role, record.usage)}"
        )
    for thread in dict.fromkeys((record.thread.split(".")[0], record.thread)):
        for entry in read_calls(folder.calls_file, thread):
            if entry["node"] == role and entry["kind"] != "failure":
                yield entry
