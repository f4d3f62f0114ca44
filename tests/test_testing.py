"""The public contract: every way of breaking it is found, and pytest runs it from a subclass."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import pytest

from emoharbor.agents.protocols import Reply
from emoharbor.agents.shape import Node
from emoharbor.state.dialogue import Appraisal, Message, UserView, Utterance
from emoharbor.state.verdict import Ending, Score, Verdict
from emoharbor.testing import CHECKS, ContractBroken, Given, GivingWay, Terms, echo_model
from emoharbor.testing.inputs import Moment


class Mood(Appraisal):
    """A state of one's own making."""

    colour: str = "grey"


class Mixes:
    """Keeps the turn on itself while others run."""

    async def __call__(self, user: UserView) -> Utterance:
        self.user = user
        await asyncio.sleep(0)
        return Utterance(text=self.user.messages[-1].text[:9] if self.user.messages else "well")


class Counts:
    """Says how often it was asked."""

    calls = 0

    async def __call__(self, user: UserView) -> Utterance:
        self.calls += 1
        return Utterance(text=f"call {self.calls}")


class Asks:
    """Waits for a model, so that it can be cancelled."""

    async def __call__(self, history: Sequence[Message]) -> Reply:
        try:
            return Reply(text=(await echo_model().complete([])).text)
        except asyncio.CancelledError:
            return Reply(text="I was not done.")


async def forgets(user: UserView) -> Any:
    return None


async def says_nothing(history: Sequence[Message]) -> str:
    return " \n"


async def speaks_last_words_alone(history: Sequence[Message]) -> str:
    return f"You said: {history[-1].text}"


async def stops_late(user: UserView) -> Utterance:
    if user.turn > 20:
        raise OverflowError("too much to remember")
    return Utterance(text="hm")


async def writes_ascii(user: UserView) -> Utterance:
    return Utterance(text=user.messages[-1].text.encode("ascii").decode() if user.h_u else "hm")


async def thinks_colours(user: UserView) -> Appraisal:
    return Mood(cognition="a", emotion="b", goals="c")


async def throws_dice(user: UserView) -> Utterance:
    return Utterance(text=str(random.random()))


async def draws_from_the_turn(user: UserView) -> Utterance:
    return Utterance(text=str(user.rng.random()))


async def edits_the_profile(user: UserView) -> Utterance:
    user.profile.scenario.reactions.clear()
    return Utterance(text="hm")


async def ends_elsewhere(user: UserView) -> Ending | None:
    return Ending(reason="user_left", turn=user.turn + 1)


async def proves_by_nothing(user: UserView) -> Verdict:
    beyond = Score(reason="r", evidence=(len(user.messages) + 1,), value=3)
    return Verdict(rubric="r", strategy="standard", scores={"safety": beyond})


async def judges_nothing(user: UserView) -> Verdict:
    return Verdict(rubric="r", strategy="standard", scores={})


async def takes_two(user: UserView, other: int) -> Utterance:
    return Utterance(text=str(other))


def broken(node: Node, agent: Any, **terms: Any) -> dict[str, str]:
    """The checks that do not hold, and what they say."""

    async def ask() -> dict[str, str]:
        told = {}
        for check in CHECKS:
            try:
                await check(agent, Terms(node, **terms))
            except Exception as error:
                told[check.__name__] = f"{type(error).__name__}: {error}"
        return told

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("node", "agent", "check", "says"),
    [
        ("talker", takes_two, "is_one_async_call", "wanted: async def talker"),
        ("talker", Counts, "is_one_async_call", "wanted is an instance of it"),
        ("thinker", Mixes(), "is_one_async_call", "wanted: async def thinker"),
        ("talker", forgets, "answers_at_the_start", "it returned None; wanted is Utterance"),
        ("supporter", says_nothing, "answers_at_the_start", "it said nothing"),
        ("supporter", speaks_last_words_alone, "answers_at_the_start", "IndexError"),
        ("talker", stops_late, "answers_late", "OverflowError"),
        ("talker", writes_ascii, "answers_odd_characters", "UnicodeEncodeError"),
        ("thinker", thinks_colours, "answers_late", "a Mood; wanted is Appraisal or Emotion"),
        ("talker", throws_dice, "answers_the_same_again", "chance comes from user.rng"),
        ("talker", Counts(), "answers_the_same_again", "nothing is kept between calls"),
        ("talker", Mixes(), "keeps_dialogues_apart", "must not be kept on the agent"),
        ("talker", edits_the_profile, "leaves_its_input_alone", "changed what it was given"),
        ("supporter", Asks(), "can_be_cancelled", "I was not done"),
        ("termination", ends_elsewhere, "answers_late", "exchange 31; this is exchange 30"),
        ("evaluator", proves_by_nothing, "answers_late", "message 61 as evidence"),
        ("evaluator", judges_nothing, "answers_at_the_start", "without a dimension"),
    ],
)
def test_what_breaks_the_contract_is_found(node: Node, agent: Any, check: str, says: str) -> None:
    told = broken(node, agent)
    assert says in told[check]


def test_chance_from_the_turn_is_as_it_should_be() -> None:
    assert not broken("talker", draws_from_the_turn)


def test_who_samples_is_not_asked_for_equal_answers() -> None:
    assert set(broken("talker", throws_dice)) == {"answers_the_same_again", "keeps_dialogues_apart"}
    assert not broken("talker", throws_dice, sampled=True)


def test_one_language_alone_can_be_asked() -> None:
    assert "answers_late" in broken("talker", writes_ascii)
    assert "answers_late" not in broken("talker", writes_ascii, languages=("en",))


@pytest.mark.parametrize("node", get_args(Node))
@pytest.mark.parametrize("moment", get_args(Moment))
def test_an_argument_is_equal_each_time_and_shared_with_nobody(node: Node, moment: Moment) -> None:
    given = Given(node, "zh", moment)
    first, second = given.fresh(), given.fresh()
    if isinstance(first, UserView) and isinstance(second, UserView):
        assert first.profile == second.profile and first.profile is not second.profile
        assert first.h_u == second.h_u and first.rng.random() == second.rng.random()
        assert first.rng is not second.rng
    else:
        assert first == second and node == "supporter"


def test_each_node_is_asked_at_its_own_point_of_the_exchange() -> None:
    def last(node: Node) -> str:
        given = Given(node, "en", "late").fresh()
        items = given.h_u if isinstance(given, UserView) else given
        return items[-1].role if isinstance(items[-1], Message) else "inner"

    nodes: tuple[Node, ...] = get_args(Node)
    assert [last(node) for node in nodes] == ["user", "supporter", "inner", "user", "user"]


def test_a_scripted_model_gives_way_to_others() -> None:
    async def order() -> list[str]:
        seen: list[str] = []

        async def ask(name: str) -> None:
            seen.append(f"{name} asks")
            await GivingWay(echo_model()).complete([])
            seen.append(f"{name} is answered")

        await asyncio.gather(ask("a"), ask("b"))
        return seen

    assert asyncio.run(order())[:2] == ["a asks", "b asks"]


SUITE = """
from emoharbor.agents.scripted import ScriptedTalker
from emoharbor.testing import TalkerContract, ThinkerContract


class TestGood(TalkerContract):
    def make_agent(self):
        return ScriptedTalker()


class TestBad(ThinkerContract):
    def make_agent(self):
        return ScriptedTalker()


class TestUnmade(TalkerContract):
    pass
"""


def test_pytest_runs_a_subclass(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(SUITE, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-p", "no:langsmith_plugin"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    # The bad one has nothing to cancel; all else of it fails.
    assert f"{2 * len(CHECKS) - 1} failed, {len(CHECKS) + 1} passed" in done.stdout
    assert "TestGood" not in done.stdout.split("short test summary")[1]
    assert "wanted: async def thinker(user: UserView)" in done.stdout
    assert "TestUnmade.make_agent must return the agent to test" in done.stdout


def test_it_is_imported_without_pytest_and_without_what_a_run_takes() -> None:
    code = "import emoharbor.testing, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pytest", "langgraph", "openai", "aiohttp"} & set(done.stdout.split())
    assert "emoharbor.testing.checks" in done.stdout


def test_broken_contracts_are_failed_assertions() -> None:
    assert issubclass(ContractBroken, AssertionError)
