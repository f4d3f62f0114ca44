"""Where in a run the current code is: what an agent's own context holds, and all that it holds."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import count


@dataclass(frozen=True)
class Where:
    """One visit of one node: `step` is LangGraph's, `attempt` is 1 plus the failed visits before.

    `seed` belongs to (run seed, profile, repeat) and is the same for every supporter.
    """

    thread: str
    step: int
    node: str
    attempt: int
    seed: int
    ordinals: Iterator[int] = field(default_factory=count, compare=False, repr=False)

    def call_seed(self, ordinal: int) -> int:
        """A 31-bit sampling seed for the call `ordinal` (0-based) of this visit."""
        text = f"{self.seed}/{self.step}/{self.node}/{self.attempt}/{ordinal}"
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1


WHERE: ContextVar[Where | None] = ContextVar("emoharbor_where", default=None)
