"""The typed state of the graph: its channels, and how they grow.

Apart from the values that flow through them: whoever only reads records does without LangGraph.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from langgraph.channels import DeltaChannel

# From there pydantic takes it on Python 3.11 too, as LangGraph Studio needs for its form.
from typing_extensions import TypedDict

from emoharbor.state.dialogue import Appraisal, Emotion, Message, Utterance
from emoharbor.state.verdict import Ending, Verdict

T = TypeVar("T")


def append(old: Sequence[T], new: Sequence[Sequence[T]]) -> list[T]:
    """The reducer of both memories: they only ever grow, by one batch after the other."""
    return [*old, *(item for batch in new for item in batch)]


# A checkpoint holds what was appended to a memory, not the memory: its size grows with the
# dialogue and not with its square. A whole copy every so many appends bounds the replay.
GROWS: DeltaChannel[list[Any]] = DeltaChannel(append, snapshot_frequency=200)


class SupporterInput(TypedDict):
    """All that the supporter's node is given: H_s and nothing else."""

    h_s: Annotated[list[Message], GROWS]


class DialogueState(SupporterInput):
    """The graph's channels. `h_s` is what the supporter may see, `h_u` what the user knows."""

    h_u: Annotated[list[Message | Appraisal | Emotion], GROWS]
    turn: Annotated[int, operator.add]
    utterance: Utterance | None
    ending: Ending | None
    verdict: Verdict | None
