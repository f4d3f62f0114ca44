"""The closed set of emotions and the ladder."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from emoharbor.state.emotions import Emotions, load_emotions

SET = load_emotions()
LADDER = (
    ("neutral", "curiosity", "confusion"),
    ("confusion", "annoyance", "embarrassment"),
    ("disappointment", "nervousness", "remorse", "disapproval"),
    ("sadness", "anger", "fear"),
    ("disgust", "grief"),
)


def test_there_are_28_with_a_name_of_their_own_in_each_language() -> None:
    names = [*SET.names("en"), *SET.names("zh")]
    assert len(SET.names("en")) == len(SET.names("zh")) == 28
    assert len(set(names)) == 56
    assert all(SET.key(zh) == en for en, zh in zip(SET.names("en"), SET.names("zh"), strict=True))


def test_the_ladder_is_the_papers() -> None:
    assert SET.ladder == LADDER


@pytest.mark.parametrize(
    ("before", "depth", "next_layer"),
    [
        ("relief", 0, LADDER[0]),
        ("neutral", 1, LADDER[1]),
        ("confusion", 1, LADDER[1][1:]),
        ("annoyance", 2, LADDER[2]),
        ("remorse", 3, LADDER[3]),
        ("anger", 4, LADDER[4]),
        ("grief", 5, LADDER[4]),
    ],
)
def test_a_bounded_step_leads_into_the_next_layer(
    before: str, depth: int, next_layer: tuple[str, ...]
) -> None:
    assert SET.depth(before) == SET.depth(SET.labels[before]) == depth
    assert SET.worse(before, "en", bounded=True) == next_layer
    zh = SET.worse(SET.labels[before], "zh", bounded=True)
    assert [SET.key(name) for name in zh] == list(next_layer)


@pytest.mark.parametrize("before", SET.labels)
def test_an_unbounded_step_leads_into_any_deeper_layer(before: str) -> None:
    deeper = SET.worse(before, "en", bounded=False)
    assert set(SET.worse(before, "en", bounded=True)) <= set(deeper)
    assert len(set(deeper)) == len(deeper)
    lowest = min(SET.depth(before) + 1, 5)
    assert {*LADDER[4]} <= {*deeper} and all(
        SET.depth(label) >= lowest or label == "confusion" for label in deeper
    )


def test_within_a_depth_are_all_that_are_no_deeper() -> None:
    assert set(SET.names("en")) - set(SET.within(3, "en")) == {*LADDER[3], *LADDER[4]}
    assert SET.within(5, "zh") == SET.names("zh")


def test_what_is_not_in_the_set_is_not_negative() -> None:
    assert (SET.key("hangry"), SET.depth("hangry")) == ("hangry", 0)


def test_a_ladder_of_strangers_is_refused() -> None:
    with pytest.raises(ValidationError, match="hangry"):
        Emotions(labels={"joy": "喜悦"}, ladder=(("joy", "hangry"),))


def test_the_hash_tells_a_change() -> None:
    assert SET.model_copy(update={"ladder": LADDER[:4]}).hash != SET.hash
