"""What a run has once for all supporters: a person's cleaned profile, and who works at what."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field

from emoharbor.agents.situation import ProfileProcessing
from emoharbor.errors import ModelError, SimulatorFailed
from emoharbor.graphs.context import alone
from emoharbor.models.where import Where
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.plan import Cell
from emoharbor.state.profile import Profile

NODE = "profile"


@dataclass(frozen=True)
class Shared:
    """Of one run of a process. `locks` by thread: one dialogue does it, the others wait."""

    locks: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    people: dict[str, Profile] = field(default_factory=dict)

    async def person(self, cell: Cell, process: ProfileProcessing, journal: RunJournal) -> Profile:
        """The cell's profile as `process` cleaned it, by one journaled call for all its dialogues.

        The journal's entry holds the original beside it. Raises SimulatorFailed and ModelError;
        the next dialogue, or the next run, tries again.
        """
        thread = cell.person or ""
        async with self.locks[thread]:
            if thread not in self.people:
                failures = journal.failures(thread).get(f"0/{NODE}", 0)
                # By the thread, which every supporter and repeat has in common.
                seed = int(digest(thread), 16) >> 17
                where = Where(thread, step=0, node=NODE, attempt=1 + failures, seed=seed)
                try:
                    cleaned = await alone(where, lambda: process(cell.profile))
                except (SimulatorFailed, ModelError) as error:
                    await journal.write_failure(thread, 0, NODE, str(error))
                    raise
                self.people[thread] = cleaned
                journal.forget(thread)
            return self.people[thread]
