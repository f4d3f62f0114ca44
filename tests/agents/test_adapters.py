"""LangGraph graphs and LangChain runnables as supporters: real ones, through whole runs."""

from __future__ import annotations

import asyncio
import operator
import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from emoharbor.agents.adapters import as_supporter, is_runnable
from emoharbor.errors import ConfigError, SupporterFailed
from emoharbor.state.dialogue import Message
from tests.people import heard, said

HISTORY = [said("hi"), heard("Yes?"), said("my week was bad")]


class Own(TypedDict):
    messages: Annotated[list[Any], operator.add]
    mood: str


class Question(TypedDict):
    question: str


def graph_of(node: Callable[..., Any], state: Any = MessagesState, **how: Any) -> Any:
    return StateGraph(state).add_node("n", node).add_edge(START, "n").compile(**how)


def ask(found: Any, history: list[Message] | None = None) -> str:
    agent = as_supporter("it", found)(opening_line="Hello.")
    return asyncio.run(agent(HISTORY if history is None else history)).text


def kinds(messages: list[Any]) -> str:
    return " ".join(f"{m.type}:{m.content}" for m in messages)


def listening(state: Any) -> Any:
    return {"messages": [AIMessage(kinds(state["messages"]))]}


WHOLE = "human:hi ai:Yes? human:my week was bad"


@pytest.mark.parametrize(
    "found",
    [
        graph_of(listening),
        graph_of(listening, Own),
        graph_of(listening).with_config(tags=["mine"]),
        graph_of(listening).with_retry(),
        StateGraph(MessagesState).add_node("n", listening).add_edge(START, "n"),
        graph_of(listening, checkpointer=InMemorySaver()),
        RunnableLambda(kinds),
        RunnableLambda(lambda messages: AIMessage(kinds(messages))),
        RunnableLambda(kinds) | RunnableLambda(str.strip),
        entrypoint()(kinds),
        entrypoint()(lambda messages: {"messages": [AIMessage(kinds(messages))]}),
    ],
)
def test_the_whole_history_goes_in_and_the_last_message_comes_out(found: Any) -> None:
    assert is_runnable(found)
    assert ask(found) == WHOLE
    assert ask(found, []) == "human:Hello."
    assert ask(found, [heard("Yes?"), said("hi")]) == "human:Hello. ai:Yes? human:hi"


def test_a_chat_model_and_a_chain() -> None:
    model = FakeListChatModel(responses=["Mm."])
    assert ask(model) == "Mm."
    prompt = ChatPromptTemplate([("system", "Be kind."), MessagesPlaceholder("messages")])
    shown = prompt | RunnableLambda(lambda value: kinds(value.to_messages()))
    assert ask(shown) == f"system:Be kind. {WHOLE}"
    assert ask(prompt | model) == "Mm."


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<think>a plan</think>\nYes.", "Yes."),
        ([{"type": "text", "text": "Ye"}, {"type": "text", "text": "s."}], "Yes."),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Yes."}], "Yes."),
        ("", ""),
    ],
)
def test_what_a_message_holds_is_read_as_a_models(content: Any, text: str) -> None:
    assert ask(RunnableLambda(lambda messages: AIMessage(content))) == text


def test_of_several_new_messages_the_last_of_the_assistant_counts() -> None:
    new = [AIMessage("first"), AIMessage("second"), HumanMessage("note to myself")]
    assert ask(graph_of(lambda state: {"messages": new})) == "second"
    as_dicts = [{"role": "assistant", "content": "plain"}]
    assert ask(graph_of(lambda state: {"messages": as_dicts}, Own)) == "plain"


def silent(state: Any) -> Any:
    return {"messages": []}


@pytest.mark.parametrize(
    ("found", "words"),
    [
        # Its last message of the assistant is the one of the turn before.
        (graph_of(silent), "ended without a new message of the assistant"),
        (
            graph_of(lambda state: interrupt("?"), checkpointer=InMemorySaver()),
            "without a new mess",
        ),
        (graph_of(lambda state: Command(graph=Command.PARENT, goto="evaluator")), "handed over to"),
        (RunnableLambda(lambda messages: 3), "returned a int; a state with messages, a message or"),
        (RunnableLambda(lambda messages: None), "returned a NoneType"),
        (
            RunnableLambda(lambda messages: {"answer": "Yes."}),
            "returned a mapping without messages",
        ),
        (RunnableLambda(lambda messages: [AIMessage("Yes.")]), "returned a list"),
    ],
)
def test_what_is_no_reply_is_a_failure(found: Any, words: str) -> None:
    with pytest.raises(SupporterFailed, match=words):
        ask(found)


def test_a_graph_without_messages_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"it: the graph's state has no 'messages' \(it has quest"
    ):
        as_supporter("it", graph_of(silent, Question))


def test_a_checkpointer_remembers_nothing_from_call_to_call() -> None:
    threads: list[str] = []

    def node(state: MessagesState, config: RunnableConfig) -> Any:
        threads.append(config["configurable"]["thread_id"])
        return {"messages": [AIMessage(str(len(state["messages"])))]}

    found = graph_of(node, checkpointer=InMemorySaver())
    assert [ask(found), ask(found)] == ["3", "3"]
    assert len(set(threads)) == 2


@pytest.mark.parametrize(
    "found", [FakeListChatModel, AIMessage("x"), StateGraph, len, None, "text"]
)
def test_a_class_or_a_thing_is_no_runnable(found: Any) -> None:
    assert not is_runnable(found)


def test_langchain_is_imported_where_it_is_used_alone() -> None:
    code = (
        "import sys, emoharbor.agents.adapters; print([m for m in sys.modules if 'lang' in m[:5]])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
