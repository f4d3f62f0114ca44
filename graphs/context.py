"""What a run tells the graph: JSON only, no agent, no key."""

from __future__ import annotations

import asyncio
import contextvars
import random
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TypedDict, TypeVar

from langgraph.config import get_config

from emoharbor.models.tracing import carry_span, span, tracer, visit_attributes
from emoharbor.models.where import WHERE, Where
from emoharbor.state.channels import DialogueState
from emoharbor.state.dialogue import UserView
from emoharbor.state.profile import Language, Profile

T = TypeVar("T")


class Visits(TypedDict):
    """What the visits of every graph need. `seed` is the thread's own.

    `failures` counts the journaled failures of the node that is open, by "step/node".
    """

    seed: int
    failures: dict[str, int]


class Context(Visits):
    """The person, limits and the seed, which belongs to (run seed, profile, repeat).

    The profile stands here, as JSON, and not in the state: it never changes, and a checkpoint
    of every step would hold it again.
    """

    profile: str
    max_turns: int
    language: Language


def _where_now(context: Visits, node: str) -> Where:
    """This visit of `node`: thread, step (the same after a kill and a resume), attempt."""
    config = get_config()
    step = int(config["metadata"]["langgraph_step"])
    return Where(
        thread=str(config["configurable"].get("thread_id", "")),
        step=step,
        node=node,
        attempt=1 + context["failures"].get(f"{step}/{node}", 0),
        seed=context["seed"],
    )


@contextmanager
def visit(context: Visits, node: str, turn: int | None = None) -> Iterator[Where]:
    """A visit of `node`, in a dialogue in the exchange `turn`; under a span if somebody traces."""
    where = _where_now(context, node)
    if tracer() is None:
        yield where
        return
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "emoharbor",
        "gen_ai.agent.name": node,
        **visit_attributes(where),
        **({} if turn is None else {"emoharbor.turn": turn}),
    }
    with span(f"invoke_agent {node}", attributes):
        yield where


async def alone(where: Where, call: Callable[[], Awaitable[T]]) -> T:
    """Runs an agent in a context of its own: where it is, the tracer's variable, nothing else.

    In the node's own context any supporter could read the inner states through LangGraph's
    `get_config()`, and a graph inside an agent would take itself for a part of this one.
    """
    context = contextvars.Context()
    context.run(WHERE.set, where)
    carry_span(context)

    async def run() -> T:
        return await call()

    return await asyncio.get_running_loop().create_task(run(), context=context)


@lru_cache(maxsize=4096)
def _profile(text: str) -> Profile:
    """The same person is the same object at every visit."""
    return Profile.model_validate_json(text)


def view_of(state: DialogueState, context: Context, turn: int) -> UserView:
    """What the user's agents see; the generator is the same at this turn for every supporter."""
    return UserView(
        profile=_profile(context["profile"]),
        h_u=tuple(state.get("h_u", ())),
        utterance=state.get("utterance"),
        turn=turn,
        max_turns=context["max_turns"],
        language=context["language"],
        rng=random.Random(f"{context['seed']}/{turn}"),
        ending=state.get("ending"),
    )
