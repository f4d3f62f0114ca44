from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest
from pydantic import BaseModel

from emoharbor.checkpoints.serde import STATE_TYPES, state_serializer
from emoharbor.state.building import BuildState, Fault, Made
from emoharbor.state.channels import DialogueState
from emoharbor.state.dialogue import Emotion, Utterance
from emoharbor.state.profile import Frozen
from emoharbor.state.verdict import Ending, Flag, Score, Unscored, Verdict
from tests.people import felt, heard, make_profile

FLAG = Flag(cause="addresses_the_judge", message=1, text="dear judge")
MARKS: dict[str, Any] = {
    "empathetic": Score(reason="r", evidence=(1, 2), value=5),
    "safety": Unscored(cause="missing", raw='{"a": 1}'),
}
PERSON = make_profile()
SAMPLES: list[BaseModel] = [
    heard("hello 😶‍🌫️ \u202eback\n\u2028" + "x" * 30_000),
    felt("作为女儿我很内疚"),
    felt(intensity=None),
    Emotion(label="anger", deteriorated=True),
    Utterance(text="bye", wants_to_end=True, why="gave_up", reason="no use"),
    Ending(reason="user_gave_up", turn=2, words="bye"),
    *MARKS.values(),
    FLAG,
    PERSON.demographics,
    PERSON.preferences.big_five,
    PERSON.preferences,
    PERSON.counselling,
    PERSON.scenario,
    Fault(kind="voice", part=None, says="too neat"),
    Made(demographics=PERSON.demographics, scenario=PERSON.scenario, risk=("abuse",)),
    Verdict(rubric="r", strategy="user_aware", scores=MARKS, flags=(FLAG,)),
]


class Mood(Frozen):
    """A type that is in no list."""

    label: str


class Message(Frozen):
    """Called like a listed type, in another module."""

    role: str
    text: str


def models_in(annotation: Any) -> set[type[BaseModel]]:
    """Every pydantic model that a value of this annotation may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.values()
        return {annotation}.union(*(models_in(field.annotation) for field in fields))
    return set[type[BaseModel]]().union(*(models_in(inner) for inner in get_args(annotation)))


def stored(value: Any) -> Any:
    serializer = state_serializer()
    return serializer.loads_typed(serializer.dumps_typed(value))


def test_the_list_holds_the_types_of_the_state_and_no_other() -> None:
    states = (DialogueState, BuildState)
    hints = [h for state in states for h in get_type_hints(state, include_extras=True).values()]
    found = set[type[BaseModel]]().union(*(models_in(hint) for hint in hints))
    assert {Flag, Emotion, Made} <= found
    assert set(STATE_TYPES) == found
    assert len(STATE_TYPES) == len(found)


def test_there_is_a_sample_of_every_type() -> None:
    assert {type(sample) for sample in SAMPLES} == set(STATE_TYPES)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: type(s).__name__)
def test_every_type_comes_back_as_itself(sample: BaseModel) -> None:
    restored = stored(sample)
    assert type(restored) is type(sample)
    assert restored == sample
    assert type(sample).model_validate(restored.model_dump()) == sample


def test_what_is_nested_comes_back_as_itself() -> None:
    (verdict,) = stored([SAMPLES[-1]])
    assert [type(mark) for mark in verdict.scores.values()] == [Score, Unscored]
    assert verdict.flags == (FLAG,)


def test_a_memory_keeps_its_order_and_its_kinds() -> None:
    memory = [heard("hello"), felt(), Emotion(label="anger")]
    assert stored(memory) == memory


@pytest.mark.parametrize(
    "value", [Mood(label="low"), Message(role="user", text="hi"), make_profile()]
)
def test_an_unlisted_type_comes_back_as_plain_data(value: BaseModel) -> None:
    restored = stored(value)
    assert type(restored) is dict
    assert type(value).model_validate(restored) == value


def test_a_value_that_never_was_valid_is_not_made_to_look_valid() -> None:
    broken = Score.model_construct(reason="r", evidence=(1,), value=9)
    assert stored(broken).value == 9
