"""What a run would cost at most, before anybody is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.runs.executor import plan_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.runs.plan import OPENING, PROFILE, Plan
from emoharbor.state.record import RoleUsage
from emoharbor.stats.cost import Prices, cost_of, total_cost
from emoharbor.suite import Suite
from emoharbor.training.data.rehearsal import rehearse, tokens


@dataclass(frozen=True)
class Estimate:
    """A run when no user leaves early; `finished` of its dialogues are there already.

    `calls` leaves out repairs and retries. Tokens are rough, from one rehearsed dialogue, and None
    where none could be; `usd` is None where they are, or where `unpriced` names a model.
    """

    suite: str
    dialogues: int
    finished: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    usd: float | None
    unpriced: tuple[str, ...]


async def estimate(suite: Suite, where: Path, prices: Prices) -> Estimate:
    """The estimate of the run of `suite` in the folder `where`. Raises as `plan_suite` does."""
    plan = plan_suite(suite)
    records = RunFolder(where).records() if where.is_dir() else {}
    finished = sum(cell.key in records and not records[cell.key].failure for cell in plan.cells)
    entries = await rehearse(suite)
    if entries is None:
        return Estimate(
            suite.name, len(plan.cells), finished, plan.most_calls, None, None, None, ()
        )
    usage = _usage(plan, entries)
    costs = {spec: cost_of(used, spec, prices) for spec, used in usage.items()}
    return Estimate(
        suite.name,
        len(plan.cells),
        finished,
        plan.most_calls,
        sum(used.input_tokens or 0 for used in usage.values()),
        sum(used.output_tokens or 0 for used in usage.values()),
        total_cost(costs.values()).total,
        tuple(spec for spec, cost in costs.items() if cost is None),
    )


def _usage(plan: Plan, entries: list[dict[str, Any]]) -> dict[str, RoleUsage]:
    """Tokens by model, each rehearsed call as often as the plan has its like."""
    often = _often(plan)
    asked: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    for entry in entries:
        name = entry["thread"].partition("/")[0]
        spec = plan.specs(name)[entry["node"]]
        asked[spec] += often[name] * sum(tokens(m["content"]) for m in entry["messages"])
        answered[spec] += often[name] * tokens(entry["raw"] or entry["text"])
    return {
        spec: RoleUsage(input_tokens=asked[spec], output_tokens=answered[spec]) for spec in asked
    }


def _often(plan: Plan) -> Mapping[str, int]:
    """How many threads begin as the rehearsed one does: by supporter, and what all share."""
    often = Counter(cell.supporter for cell in plan.cells)
    often[OPENING] = len({cell.opening for cell in plan.cells if cell.opening})
    often[PROFILE] = len({cell.person for cell in plan.cells if cell.person})
    return often
