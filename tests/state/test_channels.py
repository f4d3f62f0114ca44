from __future__ import annotations

import operator
from typing import Any, get_type_hints

from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.state.channels import GROWS, DialogueState, SupporterInput, append
from emoharbor.state.dialogue import Emotion, Message
from tests.people import felt

ITEMS = st.lists(
    st.one_of(
        st.builds(Message, role=st.sampled_from(["supporter", "user"]), text=st.text()),
        st.builds(felt, st.text()),
        st.builds(Emotion, label=st.text()),
    ),
    max_size=6,
)


@settings(max_examples=30, deadline=None)
@given(ITEMS, st.lists(ITEMS, max_size=4))
def test_memories_only_grow(old: list[Any], batches: list[list[Any]]) -> None:
    before = list(old)
    after = append(old, batches)
    assert after[: len(before)] == before
    assert after[len(before) :] == [item for batch in batches for item in batch]
    assert old == before
    assert after is not old


@settings(max_examples=30, deadline=None)
@given(ITEMS, st.lists(ITEMS, max_size=4))
def test_it_makes_no_difference_how_a_memory_is_replayed(
    old: list[Any], batches: list[list[Any]]
) -> None:
    one_by_one = old
    for batch in batches:
        one_by_one = append(one_by_one, [batch])
    assert one_by_one == append(old, batches)


def test_the_channels_reduce_as_the_design_says() -> None:
    hints = get_type_hints(DialogueState, include_extras=True)
    reducers = {name: getattr(hint, "__metadata__", (None,))[0] for name, hint in hints.items()}
    assert reducers == {
        "h_s": GROWS,
        "h_u": GROWS,
        "turn": operator.add,
        "utterance": None,
        "ending": None,
        "verdict": None,
    }


def test_the_supporters_input_is_h_s_alone() -> None:
    assert list(SupporterInput.__annotations__) == ["h_s"]
