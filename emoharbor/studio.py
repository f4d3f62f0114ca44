"""The shipped suites as LangGraph Studio and `langgraph dev` open them: a graph for each.

Models are named by EMOHARBOR_SUPPORTER, EMOHARBOR_MODEL and EMOHARBOR_JUDGE, as by the flags of
`emoharbor run`; `scripted:echo` stands in for one that is not named, so that every graph opens
without a key.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, get_type_hints

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import StateUpdate
from pydantic import BaseModel, Field, TypeAdapter, field_validator

from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.errors import nearest
from emoharbor.flags import suite_from_flags
from emoharbor.graphs.dialogue import build_dialogue
from emoharbor.models.pool import ModelPool
from emoharbor.profiles import load_profiles
from emoharbor.runs.seats import seat_all
from emoharbor.state.channels import DialogueState
from emoharbor.state.profile import Language, Profile
from emoharbor.suite import Suite, shipped_suites

ECHO = "scripted:echo"
# Where the server keeps its own files.
FOLDER = Path(".langgraph_api")
CHANNELS = {name: TypeAdapter(kind) for name, kind in get_type_hints(DialogueState).items()}


class StudioGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A dialogue graph behind an HTTP API: what comes in as JSON becomes what the channels hold.

    Without it a line of H_s given from outside would be taken for a message of LangChain's.
    """

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **how: Any
    ) -> AsyncIterator[Any]:
        """As of any graph. Raises ValidationError for an input that does not fit."""
        async for chunk in super().astream(_typed(input), config, **how):
            yield chunk

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
    ) -> RunnableConfig:
        """As of any graph. Raises ValidationError for values that do not fit."""
        typed = [[u._replace(values=_typed(u.values)) for u in step] for step in supersteps]
        return await super().abulk_update_state(config, typed)


def _typed(values: Any) -> Any:
    if not isinstance(values, Mapping):
        return values
    return {k: CHANNELS[k].validate_python(v) if k in CHANNELS else v for k, v in values.items()}


def graph_of(name: str) -> Callable[[], AbstractAsyncContextManager[StudioGraph]]:
    """A function that opens the graph of the suite `name`, and closes its models afterwards."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[StudioGraph]:
        async with ModelPool() as pool:
            # Prompts and profiles are files, and the server lets nobody read one in its loop.
            yield await asyncio.to_thread(_graph, name, pool)

    return opened


@asynccontextmanager
async def checkpointer() -> AsyncIterator[BaseCheckpointSaver[Any]]:
    """Our own saver: from the server's the state's types come back with a warning, or as dicts."""
    await asyncio.to_thread(FOLDER.mkdir, exist_ok=True)
    async with open_checkpointer(f"sqlite:///{FOLDER / 'emoharbor.sqlite'}") as saver:
        yield saver


def _graph(name: str, pool: ModelPool) -> StudioGraph:
    suite = suite_from_flags(
        name,
        supporters=[os.environ.get("EMOHARBOR_SUPPORTER") or ECHO],
        model=os.environ.get("EMOHARBOR_MODEL") or ECHO,
        judge=os.environ.get("EMOHARBOR_JUDGE") or None,
    )
    seating = seat_all(suite, suite.supporters[0], pool.model)
    builder = build_dialogue(seating.agents, opening=suite.opening)
    builder.context_schema = _context_of(suite)
    return StudioGraph(**vars(builder.compile()))


def _context_of(suite: Suite) -> Any:
    """The run's context with a default for everything, as Studio shows it in a form."""
    people = {person.id: person.model_dump_json() for person in load_profiles(suite.profiles)}

    class StudioContext(BaseModel):
        profile: str = Field(
            next(iter(people)),
            validate_default=True,
            description=f"The user: an id out of '{suite.profiles}', or a whole profile as JSON.",
        )
        seed: int = suite.seed
        max_turns: int = Field(suite.max_turns, ge=1, le=200)
        # The prompts are in this language, and no node of a new thread has failed yet.
        language: ClassVar[Language] = suite.language
        failures: ClassVar[dict[str, int]] = {}

        @field_validator("profile")
        @classmethod
        def _whole(cls, profile: str) -> str:
            if profile.lstrip().startswith("{"):
                return Profile.model_validate_json(profile).model_dump_json()
            if profile not in people:
                known = nearest(profile, people)
                raise ValueError(f"no profile '{profile}' in '{suite.profiles}'{known}")
            return people[profile]

        def __getitem__(self, key: str) -> Any:
            """The nodes read a context by key."""
            return getattr(self, key)

    return StudioContext


# One for each suite, by its name: `langgraph.json` points to them.
globals().update({name: graph_of(name) for name in shipped_suites()})
