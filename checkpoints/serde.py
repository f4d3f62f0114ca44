"""What may stand in a checkpoint: our state's types by name and nothing else."""

from __future__ import annotations

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel

from emoharbor.state.building import Fault, Made
from emoharbor.state.dialogue import Appraisal, Emotion, Message, Utterance
from emoharbor.state.profile import BigFive, Counselling, Demographics, Preferences, Scenario
from emoharbor.state.verdict import Ending, Flag, Score, Unscored, Verdict

STATE_TYPES: tuple[type[BaseModel], ...] = (
    Message,
    Appraisal,
    Emotion,
    Utterance,
    Ending,
    Score,
    Unscored,
    Flag,
    Verdict,
    Demographics,
    BigFive,
    Preferences,
    Counselling,
    Scenario,
    Made,
    Fault,
)


def state_serializer() -> JsonPlusSerializer:
    """A serializer that restores STATE_TYPES; any other class would come back as a plain dict."""
    return JsonPlusSerializer(
        allowed_msgpack_modules=[(kind.__module__, kind.__name__) for kind in STATE_TYPES]
    )
