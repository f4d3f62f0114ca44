"""What a picture of the dialogue graph shows: the real graph's nodes, exits and memories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from langchain_core.runnables.graph import Edge
from langgraph.graph import END, START
from rich.cells import chop_cells

from emoharbor.agents.parameters import parameters_of
from emoharbor.agents.resolve import find
from emoharbor.agents.scripted import (
    ScriptedEvaluator,
    ScriptedSupporter,
    ScriptedTalker,
    ScriptedThinker,
)
from emoharbor.agents.shape import Node
from emoharbor.agents.termination import structured_termination
from emoharbor.graphs.dialogue import Agents, Opening, build_dialogue
from emoharbor.models.base import ChatModel
from emoharbor.models.spec import parse_spec
from emoharbor.suite import AgentConfig, Suite

LEGEND = {"H_s": "the visible messages", "H_u": "these and the user's inner states"}


@dataclass(frozen=True)
class Access:
    """What a node reads and writes of the two memories and the two results.

    Left out are `turn`, a count, and `utterance`, the last word's decision to stay or leave.
    """

    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True)
class NodePicture:
    """One node. `agents` says who is in it, a line each; `notes` are lines that a run adds."""

    name: str
    title: str
    access: Access
    agents: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def lines(self, width: int) -> list[str]:
        """Agents and notes, folded to `width` terminal cells, without control characters."""
        clean = (_printable(line) for line in (*self.agents, *self.notes))
        return [part for line in clean for part in chop_cells(line, width)]


@dataclass(frozen=True)
class EdgePicture:
    """A way from one node to the next; `label` is its condition, "" when it is always taken."""

    source: str
    target: str
    label: str = ""


@dataclass(frozen=True)
class GraphPicture:
    """A graph ready to be drawn as one column, `nodes` from the first to the last.

    An edge may start at START and end at END. `active` names the node that is at work.
    """

    title: str
    subtitle: str
    nodes: tuple[NodePicture, ...]
    edges: tuple[EdgePicture, ...]
    active: str | None = None

    def row(self, name: str) -> int:
        """Where a node stands in the column: START is 0, END the last."""
        return [START, *(node.name for node in self.nodes), END].index(name)

    def down(self, source: str) -> EdgePicture | None:
        """The edge from a node to the one right below it."""
        return next((e for e in self.edges if e.source == source and self._span(e) == 1), None)

    @property
    def loops(self) -> list[EdgePicture]:
        """The edges that lead back up."""
        return [edge for edge in self.edges if self._span(edge) < 1]

    @property
    def skips(self) -> list[EdgePicture]:
        """The edges that lead down past other nodes."""
        return [edge for edge in self.edges if self._span(edge) > 1]

    def _span(self, edge: EdgePicture) -> int:
        return self.row(edge.target) - self.row(edge.source)


MEMORIES: dict[Node, Access] = {
    "supporter": Access(reads=("H_s",), writes=("H_s", "H_u")),
    "thinker": Access(reads=("H_u",), writes=("H_u",)),
    "talker": Access(reads=("H_u",), writes=("H_s", "H_u")),
    "termination": Access(reads=("H_u",), writes=("ending",)),
    "evaluator": Access(reads=("H_u",), writes=("verdict",)),
}


def access(node: Node, opening: Opening) -> Access:
    """What a node reads and writes; a test holds it against what a dialogue does."""
    known = MEMORIES[node]
    if node == "supporter" and opening == "user":
        # There the last word at the cap is the supporter's.
        return replace(known, writes=(*known.writes, "ending"))
    return known


def picture(suite: Suite) -> GraphPicture:
    """The graph that `suite` is run with. Needs no key and no network, and no model to be named.

    Raises ConfigError for an agent or a model spec that a run would refuse.
    """
    graph = build_dialogue(STAND_INS, opening=suite.opening).compile().get_graph()
    order = cast("list[Node]", _downwards(graph.edges))
    rank = {name: row for row, name in enumerate([START, *order, END])}
    edges = sorted(graph.edges, key=lambda edge: (rank[edge.source], rank[edge.target]))
    return GraphPicture(
        title=suite.name,
        subtitle=f"the {suite.opening} opens, at most {suite.max_turns} exchanges",
        nodes=tuple(_node(suite, name) for name in order),
        edges=tuple(EdgePicture(e.source, e.target, str(e.data or "")) for e in edges),
    )


# The shape of the graph is the same whoever is in its nodes, and these need no model.
STAND_INS = Agents(
    ScriptedSupporter(),
    ScriptedThinker(),
    ScriptedTalker(),
    structured_termination,
    ScriptedEvaluator(),
)


def _downwards(edges: Iterable[Edge]) -> list[str]:
    """The nodes between START and END, each below those that lead to it, but for loops."""
    ways: dict[str, list[str]] = {}
    for edge in edges:
        ways.setdefault(edge.source, []).append(edge.target)
    seen: set[str] = set()
    finished: list[str] = []

    def visit(name: str) -> None:
        seen.add(name)
        for target in sorted(ways.get(name, ())):
            if target not in seen:
                visit(target)
        finished.append(name)

    visit(START)
    return [name for name in reversed(finished) if name not in (START, END)]


def _node(suite: Suite, name: Node) -> NodePicture:
    title = "Termination check" if name == "termination" else name.capitalize()
    return NodePicture(name, title, access(name, suite.opening), tuple(_agents(suite, name)))


def _agents(suite: Suite, node: Node) -> list[str]:
    if node != "supporter":
        return [_agent(suite, node, getattr(suite.agents, node))]
    named = [f"{s.name}: {_agent(suite, node, s)}" for s in suite.supporters]
    if len(named) > 1:
        return [f"{len(named)} supporters", *named]
    return named or ["no supporter named yet"]


def _agent(suite: Suite, node: Node, config: AgentConfig) -> str:
    if ChatModel not in parameters_of(find(node, config.use)).values():
        return f"{config.use} · takes no model"
    spec = suite.model_config_of(config.model).spec if config.model else None
    return f"{config.use} · {parse_spec(spec) if spec else 'no model named yet'}"


def _printable(text: str) -> str:
    """An error's line breaks and control characters would break a box, or the SVG."""
    return "".join(c if c.isprintable() else " " for c in text)
