"""The path that a dialogue took through the graph: what each node cost it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from emoharbor.graphs.picture import GraphPicture
from emoharbor.runs.history import Step
from emoharbor.runs.journal import add_usage
from emoharbor.state.record import RoleUsage


@dataclass(frozen=True)
class NodePath:
    """One node in one dialogue: finished visits, and what its answered calls add up to.

    `repairs` are calls beyond the first of a visit, `errors` calls that failed for good, and
    `failures` visits that failed and were, or can be, tried again.
    """

    visits: int
    usage: RoleUsage
    repairs: int
    errors: int
    failures: int

    @property
    def lines(self) -> tuple[str, ...]:
        """What a picture says of it."""
        if not (self.visits or self.usage.calls or self.errors or self.failures):
            return ("not visited",)
        u = self.usage
        lines = [_of(self.visits, "visit")]
        if u.calls:
            lines[0] += f" · {_of(u.calls, 'call')} · {u.seconds:.1f} s"
            lines.append(f"{_count(u.input_tokens)} → {_count(u.output_tokens)} tokens")
        troubles = {"repair": self.repairs, "error": self.errors, "failed visit": self.failures}
        told = [_of(number, what) for what, number in troubles.items() if number]
        return (*lines, *([" · ".join(told)] if told else []))


def path_of(steps: Sequence[Step], entries: Iterable[dict[str, Any]]) -> dict[str, NodePath]:
    """By node, from a thread's checkpoints and its entries in the journal."""
    visits = Counter(step.node for step in steps if step.node)
    usage: dict[str, RoleUsage] = {}
    kinds: Counter[tuple[str, str]] = Counter()
    for entry in entries:
        node = entry["node"]
        kinds[node, entry["kind"]] += 1
        if entry["kind"] == "call":
            kinds[node, "repair"] += entry["ordinal"] > 0
            so_far = usage.get(node, RoleUsage())
            usage[node] = add_usage(so_far, entry["usage"], entry["seconds"])
    return {
        node: NodePath(
            visits=visits[node],
            usage=usage.get(node, RoleUsage()),
            repairs=kinds[node, "repair"],
            errors=kinds[node, "error"],
            failures=kinds[node, "failure"],
        )
        for node in visits.keys() | {node for node, _ in kinds}
    }


def with_path(
    picture: GraphPicture, thread: str, steps: Sequence[Step], entries: Iterable[dict[str, Any]]
) -> GraphPicture:
    """The picture with what each node did in this dialogue; an open node is the active one."""
    path = path_of(steps, entries)
    nobody = NodePath(0, RoleUsage(), 0, 0, 0)
    nodes = (replace(n, notes=path.get(n.name, nobody).lines) for n in picture.nodes)
    last = steps[-1].next if steps else ()
    active = last[0] if last and last[0] in path.keys() | {n.name for n in picture.nodes} else None
    return replace(picture, subtitle=thread, nodes=tuple(nodes), active=active)


def _count(tokens: int | None) -> str:
    return "unknown" if tokens is None else f"{tokens:,}"


def _of(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
