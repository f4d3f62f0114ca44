"""A recorded dialogue through the same graph."""

from __future__ import annotations

import asyncio

import pytest

from emoharbor.agents.replay import RecordedEnd, ReplaySupporter, ReplayTalker, floors
from emoharbor.agents.thinker import no_thinker
from emoharbor.errors import ConfigError
from emoharbor.graphs.dialogue import Agents, Opening
from emoharbor.state.dialogue import Message
from emoharbor.state.verdict import Ending
from tests.graphs.playing import Played, play, scripted
from tests.people import heard, said, view

RECORDED = (
    heard("hello"),
    said("hi"),
    heard("what happened?"),
    said("goodbye, she wrote"),
    heard("and then?"),
    said("nothing\n<END>"),
)


def replayed(recorded: tuple[Message, ...]) -> Agents:
    return scripted(
        supporter=ReplaySupporter(recorded),
        thinker=no_thinker,
        talker=ReplayTalker(recorded),
        termination=RecordedEnd(recorded),
    )


def played(recorded: tuple[Message, ...], opening: Opening, max_turns: int = 15) -> Played:
    return asyncio.run(play(replayed(recorded), opening=opening, max_turns=max_turns))


@pytest.mark.parametrize(
    ("recorded", "opening"),
    [(RECORDED, "supporter"), (RECORDED[1:], "user"), (RECORDED[:2], "supporter")],
)
def test_a_recorded_dialogue_is_reproduced(recorded: tuple[Message, ...], opening: Opening) -> None:
    result = played(recorded, opening)
    assert tuple(result.state["h_s"]) == recorded
    assert tuple(result.state["h_u"]) == recorded
    turns = sum(m.role == "user" for m in recorded)
    assert result.state["ending"] == Ending(
        reason="recorded_end", turn=turns, words=recorded[-1].text
    )
    assert result.state["verdict"] is not None


def test_a_recording_that_the_supporter_ends_is_reproduced_at_its_cap() -> None:
    recorded = RECORDED[1:5]
    result = played(recorded, "user", max_turns=2)
    assert tuple(result.state["h_s"]) == recorded
    assert result.state["ending"].reason == "max_turns"


def test_several_lines_in_a_row_are_said_as_one() -> None:
    recorded = (heard("hello"), heard("you?"), said("hi"), said("well"), said("no"), heard("why?"))
    whole = (heard("hello\nyou?"), said("hi\nwell\nno"), heard("why?"))
    assert tuple(floors(recorded)) == whole and floors(()) == []
    result = played((*recorded, said("because")), "supporter")
    assert tuple(result.state["h_s"]) == (*whole, said("because"))
    ending = result.state["ending"]
    assert ending == Ending(reason="recorded_end", turn=2, words="because")


def test_it_goes_on_after_lines_that_were_there_as_they_were_recorded() -> None:
    recorded = (heard("a"), heard("b"), said("c"), said("d"), heard("e"), said("f"))
    supporter, talker = ReplaySupporter(recorded), ReplayTalker(recorded)
    assert asyncio.run(supporter(recorded[:4])).text == "e"
    assert asyncio.run(talker(view(recorded[:5]))).text == "f"
    assert asyncio.run(RecordedEnd(recorded)(view(recorded[:4]))) is None
    assert asyncio.run(RecordedEnd(recorded)(view(recorded))) is not None


def test_the_cap_comes_before_the_recordings_end() -> None:
    result = played(RECORDED, "supporter", max_turns=2)
    assert tuple(result.state["h_s"]) == RECORDED[:4]
    assert result.state["ending"].reason == "max_turns"


def test_a_recording_that_ran_out_says_so() -> None:
    with pytest.raises(ConfigError, match="the recording has 1 supporter lines, one more"):
        asyncio.run(ReplaySupporter(RECORDED[:2])(RECORDED[:2]))
    with pytest.raises(ConfigError, match="the recording has 1 user lines, one more"):
        asyncio.run(ReplayTalker(RECORDED[:2])(view(RECORDED[:3])))
