"""From a seed to a profile: write part by part, check, criticize, mend once.

EmoHarbor, Appendix B: demographics without identifiers → preferences → counselling → scenario,
then a validation by model.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Protocol

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from emoharbor.agents.asking import Unusable
from emoharbor.graphs.context import Visits, alone, visit
from emoharbor.state.building import (
    PARTS,
    UNUSABLE,
    BuildState,
    BuildView,
    Fault,
    Made,
    Part,
    Person,
    profile_of,
)
from emoharbor.state.profile import Profile

Update = dict[str, Any]
# What is new in `Made`.
Writer = Callable[[BuildView], Awaitable[Mapping[str, Any]]]
Critic = Callable[[BuildView], Awaitable[Sequence[Fault]]]
# Pure: the same for a profile whenever it is asked.
Check = Callable[[Profile, Person], Sequence[Fault]]


class BuildContext(Visits):
    """The person to be made, as JSON: it never changes, and is in no checkpoint."""

    person: str


class Node(Protocol):
    """What LangGraph calls for a visit."""

    async def __call__(self, state: BuildState, runtime: Runtime[BuildContext]) -> Update:
        """The state update of one visit."""
        ...


@dataclass(frozen=True)
class BuildAgents:
    """Who writes each part, who checks and criticizes, and who mends."""

    writers: Mapping[Part, Writer]
    check: Check
    critic: Critic
    mender: Writer


def build_profile_building(agents: BuildAgents) -> StateGraph[BuildState, BuildContext]:
    """The graph from a seed to a profile, ready to be compiled with a checkpointer.

    It ends with no `faults` in its state, and the profile is accepted, or with those for which it
    is set aside. A person costs five calls, and two more where something was mended; a part that
    the seed states in full costs none.
    """
    builder = StateGraph(BuildState, context_schema=BuildContext)
    builder.add_edge(START, PARTS[0])
    for part, after in zip(PARTS, (*PARTS[1:], "check"), strict=True):
        builder.add_node(part, _writer(part, agents.writers[part]))
        builder.add_conditional_edges(part, _written, {"goes on": after, "set aside": END})
    builder.add_node("check", _check(agents.check))
    builder.add_conditional_edges("check", _checked, {"goes on": "critic", "set aside": END})
    builder.add_node("critic", _critic(agents.critic))
    after_all: dict[Hashable, str] = {"accepted": END, "mend": "mender", "set aside": END}
    builder.add_conditional_edges("critic", _judged, after_all)
    builder.add_node("mender", _mender(agents.mender))
    builder.add_conditional_edges("mender", _written, {"goes on": "check", "set aside": END})
    return builder


def _writer(part: Part, agent: Writer) -> Node:
    async def writer_node(state: BuildState, runtime: Runtime[BuildContext]) -> Update:
        view = _view(state, runtime.context)
        if (given := view.person.whole(part)) is not None:
            risk = {"risk": view.person.seed.risk} if part == "counselling" else {}
            return {"made": view.made.model_copy(update={part: given, **risk})}
        return await _write(part, part, agent, view, runtime.context)

    return writer_node


def _mender(agent: Writer) -> Node:
    async def mender_node(state: BuildState, runtime: Runtime[BuildContext]) -> Update:
        view = _view(state, runtime.context)
        update = await _write("mender", None, agent, view, runtime.context)
        return {"faults": [], **update, "mended": list(view.faults)}

    return mender_node


def _check(check: Check) -> Node:
    async def check_node(state: BuildState, runtime: Runtime[BuildContext]) -> Update:
        view = _view(state, runtime.context)
        return {"faults": list(check(profile_of(view.person, view.made), view.person))}

    return check_node


def _critic(agent: Critic) -> Node:
    async def critic_node(state: BuildState, runtime: Runtime[BuildContext]) -> Update:
        view = _view(state, runtime.context)
        with visit(runtime.context, "critic") as where:
            try:
                found = await alone(where, lambda: agent(view))
            except Unusable as error:
                found = [Fault(kind=UNUSABLE, part=None, says=f"critic: {error.problem}")]
        return {"faults": [*view.faults, *found]}

    return critic_node


async def _write(
    node: str, part: Part | None, agent: Writer, view: BuildView, context: BuildContext
) -> Update:
    """Two replies that cannot be used are no failure of the run: this seed is set aside."""
    with visit(context, node) as where:
        try:
            new = await alone(where, lambda: agent(view))
        except Unusable as error:
            says = error.problem if part else f"{node}: {error.problem}"
            return {"faults": [Fault(kind=UNUSABLE, part=part, says=says)]}
    return {"made": view.made.model_copy(update=dict(new))}


def _written(state: BuildState) -> Literal["goes on", "set aside"]:
    return "set aside" if state.get("faults") else "goes on"


def _checked(state: BuildState) -> Literal["goes on", "set aside"]:
    """The critic is not asked about what would be set aside whatever it says."""
    return "set aside" if state["faults"] and state.get("mended") else "goes on"


def _judged(state: BuildState) -> Literal["accepted", "mend", "set aside"]:
    if not state["faults"]:
        return "accepted"
    useless = any(fault.kind == UNUSABLE for fault in state["faults"])
    return "set aside" if useless or state.get("mended") else "mend"


@lru_cache(maxsize=4096)
def _person(text: str) -> Person:
    return Person.model_validate_json(text)


def _view(state: BuildState, context: BuildContext) -> BuildView:
    made, faults = state.get("made", Made()), state.get("faults", [])
    return BuildView(person=_person(context["person"]), made=made, faults=tuple(faults))
