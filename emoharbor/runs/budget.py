"""What a run may spend, and what it has spent: money, calls, time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from emoharbor.errors import ConfigError
from emoharbor.models.config import ModelConfig
from emoharbor.models.pool import ModelPool
from emoharbor.runs.drain import Drain
from emoharbor.runs.journal import RunJournal
from emoharbor.state.profile import Frozen
from emoharbor.stats.cost import Prices, cost_at, load_prices, price_of


class Budget(Frozen):
    """Limits of one run; US dollars, model calls, seconds. None is no limit."""

    max_cost: Annotated[float, Field(gt=0)] | None = None
    max_calls: Annotated[int, Field(gt=0)] | None = None
    max_time: Annotated[float, Field(gt=0)] | None = None


@dataclass
class Meter:
    """Adds up what a run has cost, over all its processes, and asks it to stop at a limit.

    `cost` is in US dollars; `unpriced` counts the dialogues of which a part has no known price,
    which are not in it. `specs` names each role's model in a thread, `models` all that are asked.
    """

    budget: Budget
    specs: Callable[[str], Mapping[str, str]]
    models: Iterable[ModelConfig]
    drain: Drain
    pool: ModelPool
    journal: RunJournal | None = None
    cost: float = 0.0
    unpriced: int = 0
    prices: Prices = field(default_factory=load_prices)
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._costs: dict[str, float | None] = {}
        self._calls_before = 0
        specs = {config.spec or "" for config in self.models}
        self._prices = {spec: price_of(spec, self.prices) for spec in specs}
        self._refuse_unpriced()

    def line(self) -> str:
        """Calls a second of this process, tokens, cost, and how the endpoints stand."""
        if self.journal is None:
            return ""
        seconds = max(time.monotonic() - self.started, 0.001)
        rate = (self.journal.calls - self._calls_before) / seconds
        cost = f"{self.cost:.2f} USD" if not self.unpriced else "cost unknown"
        loads = (
            f"{name} {load.in_flight}/{load.limit}{' throttled' if load.throttled else ''}"
            for name, load in self.pool.loads().items()
        )
        parts = (f"{rate:.1f} calls/s", f"{self.journal.tokens:,} tokens", cost, *loads)
        return ", ".join(parts)

    def begin(self, journal: RunJournal) -> None:
        """Takes in what the run's earlier processes have spent."""
        self.journal = journal
        self._calls_before = journal.calls
        for thread in journal.threads():
            self.look(thread)

    def look(self, thread: str) -> None:
        """Takes in what a dialogue has cost so far; stops the run at a limit."""
        if self.journal is None:
            return
        new = self._cost(thread, self.journal)
        old = self._costs.get(thread, 0.0)
        self.cost += (new or 0.0) - (old or 0.0)
        self.unpriced += (new is None) - (old is None)
        self._costs[thread] = new
        self._stop_at_a_limit(self.journal.calls)

    def _cost(self, thread: str, journal: RunJournal) -> float | None:
        specs = self.specs(thread)
        parts = [
            cost_at(usage, self._prices.get(specs[role]) if role in specs else None)
            for role, usage in journal.usage(thread).items()
        ]
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None

    def _stop_at_a_limit(self, calls: int) -> None:
        budget = self.budget
        if budget.max_calls and calls >= budget.max_calls:
            self.drain.request(f"{calls} calls were made (--max-calls {budget.max_calls})")
        if budget.max_time and time.monotonic() - self.started >= budget.max_time:
            self.drain.request(f"the time is over (--max-time {budget.max_time:g})")
        if budget.max_cost and self.cost >= budget.max_cost:
            self.drain.request(f"{self.cost:.2f} USD were spent (--max-cost {budget.max_cost:g})")

    def _refuse_unpriced(self) -> None:
        if self.budget.max_cost is None:
            return
        unpriced = sorted(spec for spec, price in self._prices.items() if price is None)
        if unpriced:
            raise ConfigError(
                f"--max-cost: no price is known for {', '.join(unpriced)}; put it into prices.yaml "
                "in this folder, or limit the run with --max-calls"
            )
