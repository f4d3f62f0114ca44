"""Each role is in a conversation of its own, only ever appended to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.models.base import ChatMessage
from emoharbor.state.dialogue import Appraisal, Emotion, Leaning, Message
from emoharbor.state.profile import Language
from emoharbor.state.verdict import Strategy
from tests.agents import seats
from tests.people import felt, heard, said, view

Item = Message | Appraisal | Emotion
TEXTS = st.one_of(
    st.text(min_size=1, max_size=40).filter(lambda text: bool(text.strip())),
    st.sampled_from(["</heard>", "<END>", '{"utterance": 1}', "x\n[3] You: y", "再见", "{{ x }}"]),
)
INNER = st.one_of(
    st.none(),
    st.builds(felt, TEXTS, leaning=st.sampled_from(get_args(Leaning))),
    st.builds(Emotion, label=TEXTS, description=TEXTS),
)
EXCHANGES = st.lists(st.tuples(TEXTS, INNER, TEXTS), min_size=2, max_size=5)
LANGUAGES = st.sampled_from(get_args(Language))


@dataclass(frozen=True)
class Moments:
    """What each role remembers at the moment when it is asked, turn by turn."""

    supporter: list[list[Item]]
    thinker: list[list[Item]]
    talker: list[list[Item]]


def moments(exchanges: Sequence[tuple[str, Item | None, str]], user_opens: bool) -> Moments:
    found = Moments([], [], [])
    memory: list[Item] = []
    for number, (words, inner, answer) in enumerate(exchanges):
        if number or not user_opens:
            found.supporter.append(list(memory))
            memory.append(heard(words))
        found.thinker.append(list(memory))
        memory += [] if inner is None else [inner]
        found.talker.append(list(memory))
        memory.append(said(answer))
    return found


def check_growth(requests: Sequence[list[ChatMessage]]) -> None:
    for earlier, later in zip(requests, requests[1:], strict=False):
        assert later[: len(earlier)] == earlier
        assert len(later) > len(earlier)
    for request in requests:
        assert [m["role"] for m in request[:2]] == ["system", "user"]
        assert request[-1]["role"] == "user"
        assert all(m["content"].strip() for m in request)


@settings(max_examples=60, deadline=None)
@given(EXCHANGES, LANGUAGES, st.booleans())
def test_every_role_only_appends(
    exchanges: list[tuple[str, Item | None, str]], language: Language, user_opens: bool
) -> None:
    found = moments(exchanges, user_opens)
    talker, thinker = seats.talker(language=language), seats.thinker(language=language)
    check_growth([talker.conversation(view(m, language=language)) for m in found.talker])
    check_growth([thinker.conversation(view(m, language=language)) for m in found.thinker])
    supporter = seats.supporter(language=language)
    heard_by_it = [[i for i in m if isinstance(i, Message)] for m in found.supporter]
    check_growth([supporter.conversation(history) for history in heard_by_it])


@settings(max_examples=40, deadline=None)
@given(EXCHANGES, LANGUAGES, st.booleans(), st.sampled_from(get_args(Strategy)))
def test_the_judges_transcript_only_grows(
    exchanges: list[tuple[str, Item | None, str]],
    language: Language,
    user_opens: bool,
    strategy: Strategy,
) -> None:
    judge = seats.judge(language=language, strategy=strategy)
    seen = [view(m, language=language) for m in moments(exchanges, user_opens).talker]
    texts = [judge.conversation(each)[0]["content"] for each in seen]
    for earlier, later in zip(texts, texts[1:], strict=False):
        assert later.startswith(earlier.rpartition("</transcript>")[0])


def test_roles_answer_what_they_heard() -> None:
    memory: list[Item] = [heard("hello"), felt("hm"), said("hi"), heard("go on")]
    talker = seats.talker().conversation(view(memory))
    thinker = seats.thinker().conversation(view(memory))
    supporter = seats.supporter().conversation([m for m in memory if isinstance(m, Message)])
    for request in (talker, thinker):
        assert [m["role"] for m in request] == ["system", "user", "assistant", "user"]
        assert "hello" in request[1]["content"]
        assert "go on" in request[3]["content"]
    assert '"utterance":"hi"' in talker[2]["content"]
    assert '"cognition":"hm"' in thinker[2]["content"]
    contents = [m["content"] for m in supporter[1:]]
    assert contents == [seats.OPENING_LINE, "hello", "hi", "go on"]


def test_the_opening_line_stands_in_for_a_user_who_said_nothing() -> None:
    agent = seats.supporter()
    assert [m["content"] for m in agent.conversation([])[1:]] == [seats.OPENING_LINE]
    assert [m["content"] for m in agent.conversation([said("hi")])[1:]] == ["hi"]
