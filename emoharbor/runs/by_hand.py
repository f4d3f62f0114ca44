"""Changes of a dialogue that is stepped: what they make of its suite, its state and its plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import yaml
from langgraph.graph import START

from emoharbor.agents.parameters import parameters_of
from emoharbor.agents.resolve import find
from emoharbor.agents.shape import NODES, Node
from emoharbor.errors import ConfigError, nearest
from emoharbor.models.base import ChatModel
from emoharbor.runs.history import MEMORIES, Change, Step, changes
from emoharbor.runs.plan import Cell, Plan
from emoharbor.runs.store import RunStore
from emoharbor.suite import AgentConfig, Branch, ByHand, Origin, Suite


def swapped(suite: Suite, node: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of `suite`, which has one supporter, that put `keys` into the agent of `node`.

    With another `use`, of the agent's keys only its model stays, where the new one takes a model.
    Raises ConfigError for an unknown node, and where nothing is changed.
    """
    if node not in NODES:
        raise ConfigError(f"no node '{node}'{nearest(node, NODES)}")
    if not keys or "name" in keys:
        raise ConfigError(f"{node}: keys of the agent are wanted, as in temperature=0.2")
    old = suite.supporters[0] if node == "supporter" else getattr(suite.agents, node)
    new = {**_kept(node, old, keys), **keys}
    return {"supporters": [new]} if node == "supporter" else {f"agents.{node}": new}


def _kept(node: str, old: AgentConfig, keys: Mapping[str, Any]) -> dict[str, Any]:
    values = old.model_dump(mode="json", exclude_unset=True)
    if keys.get("use", old.use) == old.use:
        return values
    takes_model = ChatModel in parameters_of(find(cast("Node", node), str(keys["use"]))).values()
    stays = ("name", "model") if takes_model else ("name",)
    return {key: value for key, value in values.items() if key in stays}


def branched(
    suite: Suite, run: str, cell: Cell, at: Step, edits: dict[str, Any], swaps: dict[str, Any]
) -> Suite:
    """`suite` with the branch that goes on from `cell`, of the same run, after the step `at`."""
    planted = cell.origin.node if cell.origin else START
    origin = Origin(
        thread=cell.thread, step=at.number, node=at.node or planted, turn=at.values.get("turn", 0)
    )
    before = suite.branch.by_hand if suite.branch else ()
    done = ByHand(thread=origin.thread, step=origin.step, edits=edits, swaps=swaps)
    branch = Branch(run=run, dialogues={cell.name: origin}, edits=edits, by_hand=(*before, done))
    return suite.model_copy(update={"branch": branch})


async def keep(plan: Plan, store: RunStore) -> None:
    """Writes the plan over the one before; what the run noted of its beginning stays."""
    recorded = yaml.safe_load(await store.plan.read() or "")["recorded"]
    recorded["fingerprint"] = plan.fingerprint
    values = {**plan.suite.file_values(), "recorded": recorded}
    await store.plan.write(yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=100))


def line_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    """What an edit changed: item by item in a memory, one value for another elsewhere."""
    for change in changes(dict(before), {key: after[key] for key in before if key in after}):
        if change.channel not in MEMORIES:
            yield change
            continue
        for old, new in zip(change.before, change.after, strict=True):
            if old != new:
                yield Change(change.channel, before=old, after=new)
