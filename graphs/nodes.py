"""The five nodes: state in, an agent's view, the agent's answer checked, a state update out."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from langgraph.runtime import Runtime

from emoharbor.agents.protocols import (
    Evaluator,
    Reply,
    Supporter,
    Talker,
    TerminationCheck,
    Thinker,
)
from emoharbor.errors import SimulatorFailed, SupporterFailed, VerdictError
from emoharbor.graphs.context import Context, alone, view_of, visit
from emoharbor.models.reasoning import clean
from emoharbor.state.channels import DialogueState, SupporterInput
from emoharbor.state.dialogue import Appraisal, Emotion, Message, Utterance
from emoharbor.state.verdict import Ending, Verdict

Opening = Literal["supporter", "user"]
Update = dict[str, Any]


class Node(Protocol):
    """What LangGraph calls for a visit."""

    async def __call__(self, state: DialogueState, runtime: Runtime[Context]) -> Update:
        """The state update of one visit."""
        ...


class SupporterNode(Protocol):
    """The supporter's node: its state is H_s alone."""

    async def __call__(self, state: SupporterInput, runtime: Runtime[Context]) -> Update:
        """The state update of one visit."""
        ...


def supporter(agent: Supporter, opening: Opening) -> SupporterNode:
    """R_t = S(H_s), into both memories. A blank reply is asked for again once."""

    async def supporter_node(state: SupporterInput, runtime: Runtime[Context]) -> Update:
        history = tuple(state.get("h_s", ()))
        turn = sum(m.role == opening for m in history) + int(opening == "supporter")
        with visit(runtime.context, "supporter", turn) as where:
            text = ""
            for _ in range(2):
                text = clean(_text_of(await alone(where, lambda: agent(history))))
                if text.strip():
                    break
            else:
                raise SupporterFailed("the supporter's reply was empty, twice")
        said = Message(role="supporter", text=text)
        update: Update = {"h_s": [said], "h_u": [said]}
        if opening == "supporter":
            return {**update, "turn": 1}
        if turn >= runtime.context["max_turns"]:
            update["ending"] = Ending(reason="max_turns", turn=turn, words=text)
        return update

    return supporter_node


def thinker(agent: Thinker, opening: Opening) -> Node:
    """IS_t, into H_u alone. With the user opening, an exchange begins here."""
    begins = int(opening == "user")

    async def thinker_node(state: DialogueState, runtime: Runtime[Context]) -> Update:
        view = view_of(state, runtime.context, state.get("turn", 0) + begins)
        with visit(runtime.context, "thinker", view.turn) as where:
            inner = await alone(where, lambda: agent(view))
            if inner is not None and not isinstance(inner, Appraisal | Emotion):
                wanted = "an inner state is wanted"
                raise SimulatorFailed(f"the thinker returned {_kind(inner)}, {wanted}")
        return {"turn": begins, "h_u": [] if inner is None else [inner]}

    return thinker_node


def talker(agent: Talker) -> Node:
    """U_t, into both memories, with the decision to stay or leave."""

    async def talker_node(state: DialogueState, runtime: Runtime[Context]) -> Update:
        view = view_of(state, runtime.context, state["turn"])
        with visit(runtime.context, "talker", view.turn) as where:
            said = await alone(where, lambda: agent(view))
            if not isinstance(said, Utterance):
                raise SimulatorFailed(f"the talker returned {_kind(said)}, an Utterance is wanted")
            if not said.text.strip():
                raise SimulatorFailed("the talker's utterance was empty")
        said = said.model_copy(update={"text": clean(said.text)})
        message = Message(role="user", text=said.text)
        return {"utterance": said, "h_s": [message], "h_u": [message]}

    return talker_node


def termination(agent: TerminationCheck, opening: Opening) -> Node:
    """The user's leaving, and the cap when the user has the last word."""

    async def termination_node(state: DialogueState, runtime: Runtime[Context]) -> Update:
        turn, most = state["turn"], runtime.context["max_turns"]
        view = view_of(state, runtime.context, turn)
        with visit(runtime.context, "termination", turn) as where:
            ending = await alone(where, lambda: agent(view))
            if ending is not None and not isinstance(ending, Ending):
                found = f"the termination check returned {_kind(ending)}"
                raise SimulatorFailed(f"{found}, not an Ending")
        if ending is None and opening == "supporter" and turn >= most:
            words = view.utterance.text if view.utterance else ""
            ending = Ending(reason="max_turns", turn=turn, words=words)
        return {"ending": ending}

    return termination_node


def evaluator(agent: Evaluator) -> Node:
    """E^{1:K}: the verdict on the whole dialogue."""

    async def evaluator_node(state: DialogueState, runtime: Runtime[Context]) -> Update:
        view = view_of(state, runtime.context, state["turn"])
        with visit(runtime.context, "evaluator", view.turn) as where:
            verdict = await alone(where, lambda: agent(view))
            if not isinstance(verdict, Verdict):
                raise VerdictError(f"the evaluator returned {_kind(verdict)}, a Verdict is wanted")
        return {"verdict": verdict}

    return evaluator_node


def _text_of(reply: Reply | str) -> str:
    """The words of a reply; a plain string from a user's own function is as good."""
    if isinstance(reply, Reply):
        return reply.text
    if isinstance(reply, str):
        return reply
    raise SupporterFailed(f"the supporter returned {_kind(reply)}, a Reply or a string is wanted")


def _kind(value: object) -> str:
    return f"a {type(value).__name__}"
