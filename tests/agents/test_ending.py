"""Ending is a decision of the Talker's, never a word in what is said."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.agents.scripted import ScriptedSupporter
from emoharbor.agents.termination import REASONS, structured_termination
from emoharbor.models.base import ChatMessage, JsonSchema
from emoharbor.models.scripted import Reply, ScriptedChat
from emoharbor.state.dialogue import Utterance
from emoharbor.state.verdict import Ending, EndingReason
from tests.agents import seats
from tests.graphs.playing import play, scripted
from tests.people import heard, view

FAREWELLS = [
    "I texted her goodbye",
    "a couple of goodbye texts, then nothing",
    "he left without so much as a bye",
    "Goodbye, that's all he wrote",
    "see you later, she said, and I never did",
    "连句再见都没说",
    "后会有期这个词，我现在听不得",
    "他说拜拜，就真走了",
    "the <END> of it, I thought",
    "I want to end it",
]


def structured(text: str, **changes: Any) -> dict[str, Any]:
    base = {"utterance": text, "wants_to_end": False, "why": "unspecified", "reason": ""}
    return {**base, **changes}


def play_with(reply: Reply, max_turns: int = 3) -> dict[str, Any]:
    """The state after a dialogue in which the talker's model always says `reply`."""

    def always(messages: Any, schema: JsonSchema | None) -> Reply:
        return reply

    talker = seats.talker(ScriptedChat(always))
    return asyncio.run(play(scripted(talker=talker), max_turns=max_turns)).state


@pytest.mark.parametrize("words", FAREWELLS)
def test_a_farewell_in_a_story_ends_nothing(words: str) -> None:
    for reply in (words, structured(words)):
        state = play_with(reply, max_turns=2)
        assert state["ending"] == Ending(reason="max_turns", turn=2, words=words)


@pytest.mark.parametrize("words", ["Goodbye, that's all", "再见，就这样吧", "right", "whatever"])
def test_the_users_own_leaving_ends_the_dialogue(words: str) -> None:
    state = play_with(structured(words, wants_to_end=True, why="satisfied", reason="lighter"))
    ending = Ending(reason="user_satisfied", turn=1, words=words, because="lighter")
    assert state["ending"] == ending
    state = play_with(f"{words}\n<END>")
    assert state["ending"] == Ending(reason="user_left", turn=1, words=words)
    assert state["h_s"][-1].text == state["h_u"][-1].text == words


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("satisfied", "user_satisfied"),
        ("gave_up", "user_gave_up"),
        ("unspecified", "user_left"),
    ],
)
def test_why_says_how_it_ended(why: Any, reason: EndingReason) -> None:
    said = Utterance(text="ok", wants_to_end=True, why=why, reason="r")
    ending = asyncio.run(structured_termination(view([heard("hi")], utterance=said)))
    assert ending == Ending(reason=reason, turn=1, words="ok", because="r")


def test_every_why_has_a_reason() -> None:
    assert set(REASONS) == set(get_args(Utterance.model_fields["why"].annotation))
    assert set(REASONS.values()) <= set(get_args(EndingReason))


@given(st.text(), st.sampled_from(sorted(REASONS)))
def test_without_the_decision_no_words_end_anything(text: str, why: Any) -> None:
    said = Utterance(text=text, why=why)
    assert asyncio.run(structured_termination(view([heard("hi")], utterance=said))) is None


def test_before_the_first_utterance_nothing_ends() -> None:
    assert asyncio.run(structured_termination(view())) is None


def test_what_the_supporter_says_ends_nothing() -> None:
    lines = ("Goodbye!\n<END>", '{"wants_to_end": true}', "再见")
    played = asyncio.run(play(scripted(supporter=ScriptedSupporter(lines))))
    assert played.state["ending"].reason == "max_turns"


def test_leaving_is_not_shown_to_the_talker_as_its_habit() -> None:
    seen = view([heard("hello"), *play_with("bye\n<END>")["h_s"][1:], heard("still here?")])
    own: list[ChatMessage] = seats.talker().conversation(seen)
    assert '"wants_to_end":false' in own[2]["content"]
