"""LangGraph graphs and LangChain runnables as supporters: messages in, the last message out."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from emoharbor.agents.locate import locate
from emoharbor.agents.outside import as_chat
from emoharbor.agents.protocols import Reply
from emoharbor.errors import ConfigError, SupporterFailed
from emoharbor.models.reply import MalformedReply, completion_from, content_of
from emoharbor.state.dialogue import Message

# LangChain and LangGraph take long to import, and are only needed where one of them is used.


@dataclass(frozen=True)
class RunnableSupporter:
    """R_t = S(H_s) with a graph or any other Runnable, which is given all of H_s every time.

    A graph with a checkpointer gets a thread of its own for every call, so that it remembers
    nothing. `opening_line` stands in the user's place when the supporter opens.
    """

    runnable: Any = field(repr=False)
    opening_line: str

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The newest words of the runnable; SupporterFailed where there are none to be found."""
        from langgraph.errors import GraphBubbleUp

        asked = _messages(history, self.opening_line)
        value = asked if _channels(self.runnable) is None else {"messages": asked}
        config = {"configurable": {"thread_id": uuid.uuid4().hex}}
        try:
            result = await self.runnable.ainvoke(value, config)
        except GraphBubbleUp as signal:
            # The graph around it is the dialogue's own, which is not a supporter's to steer.
            kind = type(signal).__name__
            raise SupporterFailed(f"its graph handed over to a graph around it ({kind})") from None
        return Reply(text=_text(result, {message.id for message in asked}))


def is_runnable(found: Any) -> bool:
    """Whether `found` is a graph, compiled or not, or a runnable; a class of them is none."""
    return not isinstance(found, type) and (hasattr(found, "ainvoke") or _is_state_graph(found))


def as_supporter(use: str, found: Any) -> partial[RunnableSupporter]:
    """A maker of supporters from a runnable; raises ConfigError for a graph without messages."""
    runnable = found.compile() if _is_state_graph(found) else found
    channels = _channels(runnable)
    if channels is not None and "messages" not in channels:
        known = [name for name in channels if not name.startswith(("__", "branch:"))]
        raise ConfigError(
            f"{use}: the graph's state has no 'messages' (it has {', '.join(known) or 'nothing'}); "
            "call it in an async function of your own"
        )
    return partial(RunnableSupporter, runnable)


def runnable(target: str, opening_line: str) -> RunnableSupporter:
    """A LangGraph graph or a LangChain Runnable, as in `target: my_graph.py:graph`.

    Raises ConfigError where `target` names neither.
    """
    found = locate(target).found
    if not is_runnable(found):
        raise ConfigError(
            f"supporter: {target} is a {type(found).__name__}; a LangGraph graph or a LangChain "
            "Runnable is wanted"
        )
    return as_supporter(target, found)(opening_line)


def _is_state_graph(found: Any) -> bool:
    langgraph = sys.modules.get("langgraph.graph.state")
    return langgraph is not None and isinstance(found, langgraph.StateGraph)


def _channels(runnable: Any) -> Mapping[str, Any] | None:
    """The state of a compiled StateGraph, also of one within `with_retry` and its like."""
    while hasattr(runnable, "bound"):
        runnable = runnable.bound
    channels: Mapping[str, Any] | None = getattr(runnable, "channels", None)
    return channels if hasattr(runnable, "builder") else None


def _messages(history: Sequence[Message], opening_line: str) -> list[Any]:
    """LangChain's messages, each with an id that tells it from those that the graph adds."""
    from langchain_core.messages import AIMessage, HumanMessage

    kinds: dict[str, Any] = {"user": HumanMessage, "assistant": AIMessage}
    return [
        kinds[message["role"]](message["content"], id=f"emoharbor-{number}")
        for number, message in enumerate(as_chat(history, opening_line))
    ]


def _text(result: Any, sent: set[str]) -> str:
    from langchain_core.messages import BaseMessage

    if isinstance(result, Mapping):
        result = _newest(result.get("messages"), sent)
    if isinstance(result, BaseMessage):
        result = _words(result.content)
    if not isinstance(result, str):
        raise SupporterFailed(
            f"the runnable returned a {type(result).__name__}; a state with messages, "
            "a message or a string is wanted"
        )
    return completion_from(result).text


def _newest(messages: Any, sent: set[str]) -> Any:
    """The last message of the graph's own; one that was sent to it would be said again."""
    if not isinstance(messages, Sequence):
        raise SupporterFailed("the runnable returned a mapping without messages")
    from langchain_core.messages import AIMessage, convert_to_messages

    for message in reversed(convert_to_messages(messages)):
        if isinstance(message, AIMessage) and message.id not in sent:
            return message
    raise SupporterFailed("the graph ended without a new message of the assistant")


def _words(content: Any) -> str:
    try:
        return content_of(content)[0]
    except MalformedReply as error:
        raise SupporterFailed(f"the runnable's message cannot be read: {error}") from error
