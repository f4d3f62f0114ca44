"""A LangGraph graph as the supporter: it is given the chat, and its last message is the reply.

    emoharbor run emoharbor --supporter graph=examples/langgraph_supporter.py:graph \
        --model scripted:echo --limit 1 --turns 3 --out runs/langgraph_supporter

Its state needs `messages`. Where a node here writes a fixed line, yours would call a chat model.
"""

from __future__ import annotations

from typing import Literal

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


def way(state: MessagesState) -> Literal["invite", "listen"]:
    """Who says little is invited to say more; whoever tells something is listened to."""
    return "invite" if len(str(state["messages"][-1].content)) < 12 else "listen"


def invite(state: MessagesState) -> MessagesState:
    """An open door."""
    return {"messages": [AIMessage("I'm here, and there is no hurry. Where would you begin?")]}


def listen(state: MessagesState) -> MessagesState:
    """No advice yet."""
    return {"messages": [AIMessage("I'm listening. What happened then?")]}


builder = StateGraph(MessagesState)
builder.add_node("invite", invite)
builder.add_node("listen", listen)
builder.add_conditional_edges(START, way)
builder.add_edge("invite", END)
builder.add_edge("listen", END)
graph = builder.compile()
