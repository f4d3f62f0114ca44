from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from emoharbor.state.dialogue import (
    Appraisal,
    Emotion,
    InnerState,
    MemoryItem,
    Utterance,
    initial_appraisal,
)
from emoharbor.state.profile import Language
from tests.people import felt, heard, make_profile, said, view


def test_a_view_tells_messages_from_inner_states() -> None:
    seen = view([heard("hello"), felt("why"), said("hi"), heard("go on"), felt("hm"), said("no")])
    assert [m.text for m in seen.messages] == ["hello", "hi", "go on", "no"]
    assert isinstance(seen.inner, Appraisal)
    assert seen.inner.cognition == "hm"


def test_a_view_without_an_inner_state() -> None:
    assert view([heard("hello")]).inner is None
    assert view().messages == []


def test_a_view_cannot_be_changed() -> None:
    seen = view()
    with pytest.raises(AttributeError):
        seen.turn = 3  # type: ignore[misc]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_state_is_read_off_the_profile(language: Language) -> None:
    profile = make_profile(language)
    c, first = profile.counselling, initial_appraisal(profile)
    assert (first.cognition, first.emotion) == (c.problem, c.emotional_state)
    assert first.goals == " ".join(c.goals)
    assert first.intensity is None


@pytest.mark.parametrize("value", [felt(), Emotion(label="anger"), heard("hi")])
def test_the_kind_tells_what_a_memory_holds(value: Any) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(MemoryItem)
    assert adapter.validate_json(adapter.dump_json(value)) == value


@pytest.mark.parametrize("kind", ["message", "mood", None])
def test_another_kind_is_no_inner_state(kind: str | None) -> None:
    with pytest.raises(ValidationError, match="kind"):
        TypeAdapter(InnerState).validate_python({"kind": kind, "label": "anger"})


@pytest.mark.parametrize("intensity", [0, 6, 2.5])
def test_an_intensity_out_of_range_is_refused(intensity: float) -> None:
    with pytest.raises(ValidationError, match="intensity"):
        felt(intensity=intensity)


def test_an_utterance_leaves_nobody_undecided() -> None:
    assert Utterance(text="hi") == Utterance(text="hi", wants_to_end=False, why="unspecified")
    with pytest.raises(ValidationError, match="why"):
        Utterance.model_validate({"text": "hi", "why": "bored"})
