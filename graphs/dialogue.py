"""The one loop: Supporter → Thinker → Talker → termination check, out into the Evaluator.

EmoHarbor, Appendix C, Algorithm 1; with the user opening, the worst-case paper's order.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

from langgraph.graph import END, START, StateGraph

from emoharbor.agents.protocols import Evaluator, Supporter, Talker, TerminationCheck, Thinker
from emoharbor.graphs import nodes, routing
from emoharbor.graphs.context import Context
from emoharbor.state.channels import DialogueState, SupporterInput

Opening = Literal["supporter", "user"]


@dataclass(frozen=True)
class Agents:
    """Who is in the five nodes."""

    supporter: Supporter
    thinker: Thinker
    talker: Talker
    termination: TerminationCheck
    evaluator: Evaluator


def build_dialogue(
    agents: Agents, *, opening: Opening = "supporter"
) -> StateGraph[DialogueState, Context]:
    """The dialogue graph with `agents` in its nodes, ready to be compiled with a checkpointer.

    The supporter's node declares an input of H_s alone, so what it sees is decided here and not by
    a prompt. A dialogue of T exchanges costs 3T + 1 visits when the supporter opens.
    """
    builder = StateGraph(DialogueState, context_schema=Context)
    builder.add_node(
        "supporter", nodes.supporter(agents.supporter, opening), input_schema=SupporterInput
    )
    builder.add_node("thinker", nodes.thinker(agents.thinker, opening))
    builder.add_node("talker", nodes.talker(agents.talker))
    builder.add_node("termination", nodes.termination(agents.termination, opening))
    builder.add_node("evaluator", nodes.evaluator(agents.evaluator))
    builder.add_edge("thinker", "talker")
    builder.add_edge("talker", "termination")
    builder.add_edge("evaluator", END)
    goes_on: dict[Hashable, str] = {"goes on": "supporter", "over": "evaluator"}
    builder.add_conditional_edges("termination", routing.goes_on, goes_on)
    if opening == "supporter":
        builder.add_edge(START, "supporter")
        builder.add_edge("supporter", "thinker")
    else:
        builder.add_edge(START, "thinker")
        answered: dict[Hashable, str] = {"goes on": "thinker", "over": "evaluator"}
        builder.add_conditional_edges("supporter", routing.goes_on, answered)
    return builder
