"""The one loop: who is visited when, and how a dialogue comes to its end."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.agents.scripted import ScriptedTalker
from emoharbor.agents.thinker import no_thinker
from emoharbor.graphs.dialogue import Opening
from emoharbor.graphs.routing import goes_on
from emoharbor.models.base import ChatMessage, JsonSchema
from emoharbor.models.scripted import Reply, ScriptedChat, echo
from emoharbor.state.dialogue import Appraisal, Message, UserView, Utterance
from emoharbor.state.profile import Language
from emoharbor.state.verdict import Ending, Score
from tests.graphs.playing import Played, compiled, modelled, play, scripted
from tests.people import make_profile

USER = ["thinker", "talker", "termination"]
OPENINGS = get_args(Opening)
LEAVES = Utterance(text="bye", wants_to_end=True, why="gave_up", reason="no use")


def leaving_in(turn: int) -> ScriptedTalker:
    """A talker who says something else in each exchange and leaves in exchange `turn`."""
    return ScriptedTalker((*(Utterance(text=f"line {n}") for n in range(1, turn)), LEAVES))


def played(opening: Opening, max_turns: int = 3, **agents: Any) -> Played:
    return asyncio.run(play(scripted(**agents), opening=opening, max_turns=max_turns))


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_the_supporter_opens(turns: int) -> None:
    result = played("supporter", turns)
    assert result.visits == [*(["supporter", *USER] * turns), "evaluator"]
    assert [line[0] for line in result.lines] == ["s", "u"] * turns
    assert result.state["turn"] == turns
    words = result.state["h_s"][-1].text
    assert result.state["ending"] == Ending(reason="max_turns", turn=turns, words=words)


@pytest.mark.parametrize("turns", [1, 2, 5])
def test_the_user_opens(turns: int) -> None:
    result = played("user", turns)
    assert result.visits == [*([*USER, "supporter"] * turns), "evaluator"]
    assert [line[0] for line in result.lines] == ["u", "s"] * turns
    assert result.state["turn"] == turns
    words = result.state["h_s"][-1].text
    assert result.state["ending"] == Ending(reason="max_turns", turn=turns, words=words)


@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("turn", [1, 2, 3])
def test_the_user_leaves(opening: Opening, turn: int) -> None:
    result = played(opening, 3, talker=leaving_in(turn))
    before = ["supporter", *USER] if opening == "supporter" else [*USER, "supporter"]
    last = before if opening == "supporter" else USER
    assert result.visits == [*(before * (turn - 1)), *last, "evaluator"]
    assert result.state["ending"] == Ending(
        reason="user_gave_up", turn=turn, words="bye", because="no use"
    )
    assert result.state["turn"] == turn
    assert result.lines[-1] == result.heard_by_user[-1] == "u: bye"


@pytest.mark.parametrize("opening", OPENINGS)
def test_both_memories_hold_the_same_dialogue(opening: Opening) -> None:
    result = played(opening, 3)
    assert result.lines == result.heard_by_user
    inner = [item for item in result.state["h_u"] if isinstance(item, Appraisal)]
    assert len(inner) == 3
    assert all(isinstance(item, Message) for item in result.state["h_s"])


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 6), st.integers(1, 8), st.sampled_from(OPENINGS))
def test_no_dialogue_ends_on_an_unanswered_line(most: int, leaves: int, opening: Opening) -> None:
    result = played(opening, most, talker=leaving_in(leaves))
    turn = min(most, leaves)
    gone = leaves <= most
    assert result.state["turn"] == result.state["ending"].turn == turn
    assert result.state["ending"].reason == ("user_gave_up" if gone else "max_turns")
    if opening == "user":
        assert result.lines[-1][0] == ("u" if gone else "s")
    assert len(result.lines) == 2 * turn - int(gone and opening == "user")
    assert sum(node != "termination" for node in result.visits) == len(result.lines) + turn + 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("opening", OPENINGS)
@pytest.mark.parametrize("turns", [1, 4, 15])
def test_calls_for_t_exchanges(language: Language, opening: Opening, turns: int) -> None:
    model = ScriptedChat(echo)
    profile = make_profile(language)
    agents = modelled(model, language)
    result = asyncio.run(play(agents, opening=opening, max_turns=turns, profile=profile))
    assert len(model.requests) == 3 * turns + 1
    scores = result.state["verdict"].scores.values()
    assert [type(score) for score in scores] == [Score] * 10


@pytest.mark.parametrize(("opening", "calls"), [("supporter", 7), ("user", 6)])
def test_calls_when_the_user_leaves(opening: Opening, calls: int) -> None:
    def leave_in_two(messages: list[ChatMessage], schema: JsonSchema | None) -> Reply:
        filled = echo(messages, schema)
        if isinstance(filled, dict) and "wants_to_end" in filled:
            second = sum(message["role"] == "user" for message in messages) == 2
            return {**filled, "wants_to_end": second}
        return filled

    model = ScriptedChat(leave_in_two)  # type: ignore[arg-type]
    result = asyncio.run(play(modelled(model), opening=opening, max_turns=15))
    assert len(model.requests) == calls
    assert result.state["ending"].turn == 2


def test_a_user_without_inner_states() -> None:
    result = played("supporter", 2, thinker=no_thinker)
    assert result.visits == [*(["supporter", *USER] * 2), "evaluator"]
    assert result.state["h_u"] == result.state["h_s"]


@pytest.mark.parametrize("opening", OPENINGS)
def test_what_the_users_agents_are_shown(opening: Opening) -> None:
    seen: list[tuple[str, int, int]] = []

    async def think(user: UserView) -> Appraisal:
        seen.append(("thinker", user.turn, len(user.messages)))
        return Appraisal(cognition="c", emotion="e", goals="g")

    async def talk(user: UserView) -> Utterance:
        assert isinstance(user.inner, Appraisal)
        seen.append(("talker", user.turn, len(user.messages)))
        return Utterance(text="hi")

    async def check(user: UserView) -> None:
        assert user.utterance == Utterance(text="hi")
        seen.append(("termination", user.turn, len(user.messages)))

    played(opening, 2, thinker=think, talker=talk, termination=check)
    first = int(opening == "supporter")
    steps = [(name, int(name == "termination")) for name in USER]
    assert seen == [(n, t, 2 * (t - 1) + first + more) for t in (1, 2) for n, more in steps]


def test_the_generator_is_the_same_at_a_turn_for_every_supporter() -> None:
    drawn: list[float] = []

    async def talk(user: UserView) -> Utterance:
        drawn.append(user.rng.random())
        return Utterance(text="hi")

    async def other(history: Any) -> str:
        return "something else"

    played("supporter", 2, talker=talk)
    played("supporter", 2, talker=talk, supporter=other)
    assert drawn[:2] == drawn[2:]
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize("opening", OPENINGS)
def test_the_picture_of_the_graph_has_its_edges(opening: Opening) -> None:
    edges = {(e.source, e.target) for e in compiled(opening=opening).get_graph().edges}
    common = {
        ("thinker", "talker"),
        ("talker", "termination"),
        ("termination", "supporter"),
        ("termination", "evaluator"),
        ("evaluator", "__end__"),
        ("supporter", "thinker"),
    }
    start = "supporter" if opening == "supporter" else "thinker"
    more = set() if opening == "supporter" else {("supporter", "evaluator")}
    assert edges == common | more | {("__start__", start)}


def test_a_dialogue_goes_on_until_there_is_an_ending() -> None:
    states: list[Any] = [{}, {"ending": None}, {"ending": Ending(reason="max_turns", turn=1)}]
    assert [asyncio.run(goes_on(state)) for state in states] == ["goes on", "goes on", "over"]
