"""Finding one dialogue of a run, and its calls."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.runs.journal import whole
from emoharbor.runs.reader import RunReader
from emoharbor.state.record import DialogueRecord


async def find_record(run: RunReader, name: str) -> DialogueRecord:
    """The one dialogue whose SUPPORTER/PROFILE/REPEAT is `name`, or holds its parts in order.

    In a judging @EXCHANGE and #SAMPLE may stand behind it.
    """
    records = {r.name: r for r in (await run.records()).values()}
    return records[_chosen(records, name, run.where)]


async def find_thread(run: RunReader, name: str) -> str:
    """The thread of a dialogue found as by `find_record`, which may still be live."""
    threads: dict[str, str] = {}
    async for _, entry in run.call_lines.all():
        dialogue, _, hashes = entry["thread"].rpartition("/")
        threads[dialogue] = f"{dialogue}/{hashes.partition('.')[0]}"
    # The newest configuration of a dialogue is the one of its record.
    records = (await run.records()).values()
    threads |= {r.name: r.own_thread for r in records}
    return threads[_chosen(threads, name, run.where)]


def _chosen(names: Iterable[str], name: str, where: str) -> str:
    names = list(names)
    if name in names:
        return name
    found = [full for full in names if f"/{name.strip('/')}/" in f"/{full}/"]
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError(f"'{name}' could be any of: {', '.join(sorted(found))}")
    raise ConfigError(f"{where} has no dialogue '{name}'{nearest(name, names)}")


async def calls_of(run: RunReader, record: DialogueRecord, role: str) -> list[dict[str, Any]]:
    """The journal's calls of `role` in this dialogue; ConfigError when the role made none."""
    return await calls_in(run, (record.own_thread, record.thread), record.usage, role)


async def calls_in(
    run: RunReader, threads: Collection[str], roles: Iterable[str], role: str
) -> list[dict[str, Any]]:
    """The journal's calls of `role` in some threads; ConfigError when it is none of `roles`."""
    if role not in roles:
        raise ConfigError(f"no model call of '{role}' in this dialogue{nearest(role, roles)}")
    entries = [entry async for _, entry in run.call_lines.all() if entry["thread"] in threads]
    return [e for e in whole(entries) if e["node"] == role and e["kind"] != "failure"]
