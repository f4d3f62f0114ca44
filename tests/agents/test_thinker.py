from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from emoharbor.agents.protocols import Thinker
from emoharbor.agents.thinker import SCHEMA, Thought, no_thinker
from emoharbor.errors import ModelError, SimulatorFailed
from emoharbor.models.base import Completion
from emoharbor.models.scripted import Reply, ScriptedChat
from emoharbor.state.dialogue import Appraisal, Emotion, initial_appraisal
from emoharbor.state.profile import Language
from tests.agents import seats
from tests.people import felt, heard, make_profile, said, view

SEEN = view([heard("hello")])
GOOD: dict[str, Any] = felt("it is my fault").model_dump(exclude={"kind"})


def asked(*replies: Reply) -> tuple[Appraisal, ScriptedChat]:
    model = ScriptedChat(replies)
    return asyncio.run(seats.thinker(model)(SEEN)), model


@pytest.mark.parametrize(
    "given",
    [
        GOOD,
        f"```json\n{json.dumps(GOOD)}\n```",
        f"<think>hm {{</think>Here:\n{json.dumps(GOOD)}",
        json.dumps(GOOD).replace("3", "３").replace('"', "”"),
    ],
)
def test_a_usable_reply_costs_one_call(given: Reply) -> None:
    state, model = asked(given)
    assert state == felt("it is my fault")
    assert len(model.requests) == 1
    assert model.requests[0].schema == SCHEMA


UNUSABLE: list[tuple[Reply, str]] = [
    ({**GOOD, "intensity": 6}, "intensity: Input should be less than or equal to 5"),
    ({**GOOD, "intensity": 0}, "intensity: Input should be greater than or equal to 1"),
    ({**GOOD, "intensity": "3"}, "intensity: Input should be a valid integer"),
    ({**GOOD, "intensity": True}, "intensity: Input should be a valid integer"),
    ({**GOOD, "intensity": None}, "intensity"),
    ({**GOOD, "leaning": "maybe"}, "leaning: Input should be 'stay', 'unsure' or 'leave'"),
    ({**GOOD, "mood": "low"}, "mood: Extra inputs"),
    ({k: v for k, v in GOOD.items() if k != "goals"}, "goals: Field required"),
    ({**GOOD, "cognition": " ", "goals": ""}, "cognition, goals: words are wanted"),
    ("I feel bad", "not one JSON object"),
    ("", "empty"),
    (Completion('{"noticed": "th', finish_reason="length"), "broke off"),
]


@pytest.mark.parametrize(("bad", "told"), UNUSABLE, ids=[case[1][:30] for case in UNUSABLE])
def test_an_unusable_reply_is_asked_for_again_once(bad: Reply, told: str) -> None:
    state, model = asked(bad, GOOD)
    assert state.intensity == 3
    assert len(model.requests) == 2
    model = ScriptedChat([bad, bad])
    with pytest.raises(SimulatorFailed, match=f"thinker: .*{told}"):
        asyncio.run(seats.thinker(model)(SEEN))
    assert len(model.requests) == 2


def test_a_models_error_passes() -> None:
    with pytest.raises(ModelError, match="too long"):
        asked({**GOOD, "intensity": 9}, ModelError("too long", "context_too_long"))


def test_the_reply_has_the_states_fields_in_the_order_of_thinking() -> None:
    assert list(Thought.model_fields) == [k for k in Appraisal.model_fields if k != "kind"]
    assert list(SCHEMA["required"]) == list(Thought.model_fields)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_state_is_told_without_a_call(language: Language) -> None:
    first = initial_appraisal(make_profile(language))
    system = seats.thinker(language=language).conversation(view(language=language))[0]["content"]
    for words in (first.cognition, first.emotion, first.goals):
        assert system.count(words) >= 2


def test_past_states_are_its_own_lines() -> None:
    first = initial_appraisal(make_profile())
    seen = view([heard("a"), first, said("b"), heard("c"), Emotion(label="fear"), said("d")])
    request = seats.thinker().conversation(seen)
    assert [m["role"] for m in request] == ["system", "user", "assistant", "user"]
    assert json.loads(request[2]["content"])["cognition"] == first.cognition


def test_no_thinker_makes_no_state() -> None:
    thinker: Thinker = no_thinker
    assert asyncio.run(_states(thinker)) == [None]


async def _states(thinker: Thinker) -> list[Any]:
    return [await thinker(SEEN)]
