"""Plays a dialogue through the real graph and keeps what happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.agents.scripted import (
    ScriptedEvaluator,
    ScriptedSupporter,
    ScriptedTalker,
    ScriptedThinker,
)
from emoharbor.agents.supporter import ChatSupporter
from emoharbor.agents.talker import ChatTalker
from emoharbor.agents.termination import structured_termination
from emoharbor.agents.thinker import AppraisalThinker
from emoharbor.graphs.context import Context
from emoharbor.graphs.dialogue import Agents, Opening, build_dialogue
from emoharbor.models.base import ChatModel
from emoharbor.prompts.loader import load_prompt
from emoharbor.prompts.rubric import load_rubric
from emoharbor.state.dialogue import Message
from emoharbor.state.profile import Language, Profile
from tests.people import make_profile

Graph = CompiledStateGraph[Any, Context, Any, Any]
SCRIPTED = Agents(
    supporter=ScriptedSupporter(),
    thinker=ScriptedThinker(),
    talker=ScriptedTalker(),
    termination=structured_termination,
    evaluator=ScriptedEvaluator(),
)


@dataclass(frozen=True)
class Played:
    """The nodes visited, in order, and the last state."""

    visits: list[str]
    state: dict[str, Any]

    @property
    def lines(self) -> list[str]:
        """The dialogue as the supporter saw it, "s: " or "u: " before each line."""
        return [f"{m.role[0]}: {m.text}" for m in self.state["h_s"]]

    @property
    def heard_by_user(self) -> list[str]:
        """The same as the user remembers it."""
        return [f"{m.role[0]}: {m.text}" for m in self.state["h_u"] if isinstance(m, Message)]


def scripted(**changes: Any) -> Agents:
    """Scripted agents with some of them replaced."""
    return replace(SCRIPTED, **changes)


def modelled(model: ChatModel, language: Language = "en") -> Agents:
    """The EmoHarbor agents, all of them on one model."""
    repair = load_prompt("repair", language)
    return Agents(
        supporter=ChatSupporter(model, load_prompt("supporter", language), "(joins the chat)"),
        thinker=AppraisalThinker(model, load_prompt("thinker", language), repair),
        talker=ChatTalker(model, load_prompt("talker", language), repair),
        termination=structured_termination,
        evaluator=UserAsJudge(
            model, load_prompt("evaluator", language), repair, load_rubric("emoharbor-10", language)
        ),
    )


def config(thread: str = "t") -> RunnableConfig:
    return {"configurable": {"thread_id": thread}, "recursion_limit": 1000}


def context(person: Profile, max_turns: int = 3, failures: dict[str, int] | None = None) -> Context:
    return Context(
        profile=person.model_dump_json(),
        seed=5,
        max_turns=max_turns,
        language=person.language,
        failures=failures or {},
    )


def compiled(
    agents: Agents = SCRIPTED,
    opening: Opening = "supporter",
    saver: BaseCheckpointSaver[Any] | None = None,
) -> Graph:
    return build_dialogue(agents, opening=opening).compile(checkpointer=saver)


async def play(
    agents: Agents = SCRIPTED,
    *,
    opening: Opening = "supporter",
    max_turns: int = 3,
    profile: Profile | None = None,
    saver: BaseCheckpointSaver[Any] | None = None,
    failures: dict[str, int] | None = None,
    start: bool = True,
) -> Played:
    """One dialogue from its start (or from its checkpoint) to its verdict."""
    played = Played([], {})
    stream = compiled(agents, opening, saver).astream(
        {"turn": 0} if start else None,
        config(),
        context=context(profile or make_profile(), max_turns, failures),
        stream_mode=["updates", "values"],
    )
    chunk: Any
    async for mode, chunk in stream:
        if mode == "updates":
            played.visits.extend(chunk)
        else:
            played.state.update(chunk)
    return played
