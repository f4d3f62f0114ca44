"""A new run that takes over the dialogues of another one which are still the same."""

from __future__ import annotations

from pathlib import Path

from emoharbor.runs.folder import open_run, stored_records
from emoharbor.runs.jsonl import read_lines
from emoharbor.runs.plan import Plan
from emoharbor.runs.store import RunStore


async def inherit(plan: Plan, parent: Path, store: RunStore) -> int:
    """Copies the finished records of `parent` whose dialogue and judge are this plan's.

    Their calls come along, so that costs and prompts stay with the dialogues. Returns how many
    dialogues were taken over; those that the store has already are left as they are.
    """
    folder = open_run(parent)
    there = await stored_records(store.records.all())
    wanted = {c.key: (c.dialogue_hash, c.verdict_hash) for c in plan.cells if c.key not in there}
    same = [
        record
        for record in folder.records().values()
        if record.verdict and wanted.get(record.cell) == (record.dialogue_hash, record.verdict_hash)
    ]
    threads = {t for r in same for t in (r.thread, r.own_thread)}
    # New supporters hear the same first words from the same people.
    if shared := {t for c in plan.cells for t in (c.opening, c.person) if t}:
        threads |= shared - {entry["thread"] async for _, entry in store.calls.all()}
    for _, entry in read_lines(folder.calls_file):
        if entry["thread"] in threads:
            await store.calls.append(entry)
    for record in same:
        await store.records.append(record.model_dump(mode="json"))
    return len(same)
