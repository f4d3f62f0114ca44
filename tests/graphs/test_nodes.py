"""What a node makes of an agent's answer, and where an agent is told it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from emoharbor.agents.protocols import Reply
from emoharbor.errors import EmoHarborError, SimulatorFailed, SupporterFailed, VerdictError
from emoharbor.models.base import Completion
from emoharbor.models.journal import CallKey, Journaled, Request
from emoharbor.models.scripted import ScriptedChat, echo
from emoharbor.models.where import WHERE, Where
from emoharbor.state.dialogue import Emotion, Message, Utterance
from tests.graphs.playing import Played, compiled, config, modelled, play, scripted


def saying(*answers: Any) -> Any:
    """An agent that gives these answers, one a call, whatever it is asked."""
    left = list(answers)

    async def agent(asked: Any) -> Any:
        return left.pop(0) if len(left) > 1 else left[0]

    return agent


def played(**agents: Any) -> Played:
    return asyncio.run(play(scripted(**agents), max_turns=1))


@pytest.mark.parametrize("blank", ["", " \n\t ", Reply(text=""), Reply(text="\u3000")])
def test_a_blank_reply_is_asked_for_again_once(blank: Any) -> None:
    assert played(supporter=saying(blank, "there")).lines[0] == "s: there"
    with pytest.raises(SupporterFailed, match="empty, twice"):
        played(supporter=saying(blank, blank, "too late"))


def test_a_reply_or_a_string_is_as_good() -> None:
    assert played(supporter=saying("a  b\n")).lines == ["s: a  b\n", "u: hi"]
    assert played(supporter=saying(Reply(text="a"))).lines == ["s: a", "u: hi"]


def test_an_emotion_is_an_inner_state() -> None:
    assert Emotion(label="fear") in played(thinker=saying(Emotion(label="fear"))).state["h_u"]


@pytest.mark.parametrize(
    ("node", "answer", "error", "told"),
    [
        ("supporter", None, SupporterFailed, "the supporter returned a NoneType, a Reply or"),
        ("supporter", {"text": "hi"}, SupporterFailed, "returned a dict"),
        ("supporter", b"hi", SupporterFailed, "returned a bytes"),
        ("supporter", Utterance(text="hi"), SupporterFailed, "returned a Utterance"),
        ("thinker", "sad", SimulatorFailed, "the thinker returned a str, an inner state"),
        ("thinker", {"kind": "emotion"}, SimulatorFailed, "the thinker returned a dict"),
        ("thinker", Message(role="user", text="x"), SimulatorFailed, "returned a Message"),
        ("talker", "hi", SimulatorFailed, "the talker returned a str, an Utterance is wanted"),
        ("talker", None, SimulatorFailed, "the talker returned a NoneType"),
        ("talker", Utterance(text=" \n"), SimulatorFailed, "utterance was empty"),
        ("termination", True, SimulatorFailed, "returned a bool, not an Ending"),
        ("termination", "max_turns", SimulatorFailed, "returned a str, not an Ending"),
        ("evaluator", None, VerdictError, "the evaluator returned a NoneType, a Verdict"),
        ("evaluator", {"scores": {}}, VerdictError, "the evaluator returned a dict"),
    ],
)
def test_a_wrong_answer_is_a_typed_error(
    node: str, answer: Any, error: type[EmoHarborError], told: str
) -> None:
    with pytest.raises(error, match=told):
        played(**{node: saying(answer)})


def test_lone_surrogates_are_cleaned_where_they_enter() -> None:
    result = played(supporter=saying("a\ud83d"), talker=saying(Utterance(text="b\udc00")))
    assert result.lines == result.heard_by_user == ["s: a\ufffd", "u: b\ufffd"]
    assert result.state["ending"].words == "b\ufffd"


def test_the_node_of_a_failure_stays_open_and_is_run_again() -> None:
    async def twice() -> tuple[Any, Played]:
        saver = InMemorySaver()
        with pytest.raises(SupporterFailed):
            await play(scripted(supporter=saying("hello", "", "")), saver=saver, max_turns=2)
        snapshot = await compiled(saver=saver).aget_state(config())
        return snapshot, await play(saver=saver, max_turns=2, start=False)

    snapshot, resumed = asyncio.run(twice())
    assert [task.name for task in snapshot.tasks] == ["supporter"]
    assert snapshot.values["turn"] == 1
    assert resumed.visits == ["supporter", "thinker", "talker", "termination", "evaluator"]
    assert [line[:1] for line in resumed.lines] == ["s", "u", "s", "u"]
    assert resumed.lines[0] == "s: hello"


def test_every_agent_is_told_where_it_is() -> None:
    seen: list[Where | None] = []

    def noting(agent: Any) -> Any:
        async def noted(asked: Any) -> Any:
            seen.append(WHERE.get())
            return await agent(asked)

        return noted

    inner = scripted()
    agents = scripted(**{name: noting(agent) for name, agent in vars(inner).items()})
    result = asyncio.run(play(agents, max_turns=2, failures={"3/talker": 2}))
    told = [where for where in seen if where is not None]
    assert [where.node for where in told] == result.visits
    assert [where.step for where in told] == list(range(1, 10))
    assert {(where.thread, where.seed) for where in told} == {("t", 5)}
    assert [where.attempt for where in told] == [1, 1, 3, 1, 1, 1, 1, 1, 1]
    assert WHERE.get() is None


class Recorder:
    """A journal that forgets nothing and finds nothing."""

    def __init__(self) -> None:
        self.keys: list[CallKey] = []
        self.seeds: list[int] = []

    async def find(self, key: CallKey) -> tuple[str, Completion] | None:
        return None

    async def write_call(self, key: CallKey, request: Request, completion: Completion) -> None:
        self.keys.append(key)
        self.seeds.append(request.seed)

    async def write_error(self, where: Where, request: Request, error: Exception) -> None:
        raise AssertionError(error)


def journaled() -> Recorder:
    """The journal of a dialogue whose first supporter reply is blank."""
    blank = iter([" "])

    def model(messages: Sequence[Any], schema: Any) -> Any:
        return next(blank, None) or echo(messages, schema)

    journal = Recorder()
    asyncio.run(play(modelled(Journaled(ScriptedChat(model), journal, {})), max_turns=2))
    return journal


def test_every_call_has_a_key_of_its_own_in_the_journal() -> None:
    journal = journaled()
    assert len(set(journal.keys)) == len(journal.keys) == 8
    assert len(set(journal.seeds)) == 8
    first, again, thought = journal.keys[:3]
    assert first == CallKey("t", 1, "supporter", 0, 1)
    assert again == CallKey("t", 1, "supporter", 1, 1)
    assert thought == CallKey("t", 2, "thinker", 0, 1)
    assert journal.keys[-1].node == "evaluator"


def test_the_same_dialogue_has_the_same_keys_and_seeds() -> None:
    first, second = journaled(), journaled()
    assert (first.keys, first.seeds) == (second.keys, second.seeds)
