"""One dialogue node by node: nothing differs from a run but where it stops."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from emoharbor.errors import ConfigError
from emoharbor.runs.executor import run_suite
from emoharbor.runs.stepping import Stepper, one_dialogue, open_stepper, suite_of
from tests.fake_openai import FakeOpenAI, refusal
from tests.runs.steady import Steady
from tests.runs.stepped import Place, one, record_of, served
from tests.served import plays_all, small_suite

TIMES = {"started", "finished"}


async def walk(stepper: Stepper) -> list[str]:
    """Steps to the end; the nodes in their order."""
    nodes = []
    while stepper.next_node:
        nodes.append(stepper.next_node)
        assert (await stepper.step()).node == nodes[-1]
    return nodes


@pytest.mark.parametrize("opening", ["supporter", "user"])
def test_the_record_is_that_of_an_undisturbed_run(
    tmp_path: Path, place: Place, opening: str
) -> None:
    async def go(server: FakeOpenAI) -> None:
        suite = one(server.url, plain={"opening": opening})
        await run_suite(suite, tmp_path / "whole")
        async with open_stepper(suite, *place) as stepper:
            assert stepper.record is None
            nodes = await walk(stepper)
            assert stepper.record and stepper.record.verdict and not stepper.failure
        order = ["supporter", "thinker", "talker", "termination"]
        order = order if opening == "supporter" else [*order[1:], order[0]]
        assert nodes == [*order, *order, "evaluator"]

    served(go, Steady())
    stepped, whole = record_of(place[0]), record_of(tmp_path / "whole")
    same = {"usage", *TIMES}
    assert stepped.model_dump(exclude=same) == whole.model_dump(exclude=same)
    calls = [{role: u.calls for role, u in r.usage.items()} for r in (stepped, whole)]
    assert calls[0] == calls[1] and stepped.branched is None


def test_leaving_before_every_node_repeats_no_call(tmp_path: Path, place: Place) -> None:
    steady = Steady()

    async def go(server: FakeOpenAI) -> None:
        suite, over = one(server.url), False
        while not over:
            async with open_stepper(suite, *place) as stepper:
                before = stepper.next_node
                assert (await stepper.step()).node == before
                over = stepper.next_node is None
        assert set(steady.asked.values()) == {1} and steady.asked.total() == 7
        async with open_stepper(suite, *place) as stepper:
            assert stepper.record and stepper.record.verdict
            with pytest.raises(ConfigError, match="the dialogue is over"):
                await stepper.step()

    served(go, steady)
    assert record_of(place[0]).turns == 2


def test_an_interrupted_node_is_run_again_and_loses_nothing(tmp_path: Path) -> None:
    steady = Steady(at=2, hold=asyncio.Event())

    async def go(server: FakeOpenAI) -> None:
        suite = one(server.url)
        async with open_stepper(suite, tmp_path / "run") as stepper:
            await stepper.step()
            task = asyncio.create_task(stepper.step())
            await steady.reached.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        assert steady.hold
        steady.hold.set()
        async with open_stepper(suite, tmp_path / "run") as stepper:
            assert stepper.next_node == "thinker"
            await stepper.to_end()
        # The one call that was cut off was asked once more, with the same seed.
        assert sorted(steady.asked.values()) == [1] * 6 + [2]

    served(go, steady)


@pytest.mark.parametrize("opening, last", [("supporter", "termination"), ("user", "supporter")])
def test_turns_and_the_rest_are_run_at_once(tmp_path: Path, opening: str, last: str) -> None:
    async def go(server: FakeOpenAI) -> None:
        heard: list[str | None] = []
        async with open_stepper(
            one(server.url, plain={"opening": opening}), tmp_path / "run"
        ) as stepper:
            first = stepper.next_node
            await stepper.step()
            await stepper.to_turn(lambda step: heard.append(step.node))
            assert len(heard) == 3 and heard[-1] == last
            assert stepper.next_node == first
            await stepper.to_turn()
            assert stepper.next_node == "evaluator"
            await stepper.to_end()
            assert stepper.next_node is None and stepper.record

    served(go)


def test_a_failing_node_stays_open_and_is_tried_again(place: Place) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return refusal(500, "down") if role in ("talker", "evaluator") and nth == 1 else None

    async def go(server: FakeOpenAI) -> None:
        suite = one(server.url, turns=1)
        async with open_stepper(suite, *place) as stepper:
            at = await stepper.to_end()
            assert stepper.next_node == "talker" and at.node == "thinker" and at.error
            assert stepper.failure and "down" in stepper.failure.message
        async with open_stepper(suite, *place) as stepper:
            assert stepper.failure and stepper.failure.node == "talker"
            await stepper.step()
            assert stepper.failure is None and stepper.next_node == "termination"
            assert [c["attempt"] for c in stepper.state.calls] == [1, 2]
            await stepper.to_end()
            assert stepper.failure and stepper.next_node == "evaluator"
            await stepper.step()
            assert stepper.record and stepper.record.verdict

    served(go, plays_all(change))
    assert record_of(place[0]).verdict


def test_a_run_of_another_configuration_is_not_gone_on_with(tmp_path: Path) -> None:
    async def go(server: FakeOpenAI) -> None:
        suite, out = one(server.url), tmp_path / "run"
        async with open_stepper(suite, out) as stepper:
            await stepper.swap("talker", {"temperature": 0.2})
        for other in (
            one(server.url, turns=3),
            one(server.url, settings=["agents.talker.temperature=0.9"]),
            one(server.url, settings=["agents.evaluator.temperature=0.9"]),
            one_dialogue(small_suite(server.url, limit=2), "en-002"),
        ):
            with pytest.raises(ConfigError, match="another configuration"):
                async with open_stepper(other, out):
                    pass
        async with open_stepper(await suite_of(out), out) as stepper:
            assert stepper.plan.suite.agents.talker.model_extra == {
                "temperature": 0.2,
                "prompt": "talker",
            }

    served(go)


def test_many_dialogues_are_not_stepped(tmp_path: Path) -> None:
    async def go(server: FakeOpenAI) -> None:
        many = small_suite(server.url, limit=2)
        with pytest.raises(ConfigError, match="2 dialogues cannot be stepped"):
            async with open_stepper(many, tmp_path / "run"):
                pass
        assert not (tmp_path / "run").exists()
        await run_suite(many, tmp_path / "run")
        with pytest.raises(ConfigError, match="another configuration"):
            async with open_stepper(one_dialogue(many), tmp_path / "run"):
                pass

    served(go)


def test_one_dialogue_of_a_suite() -> None:
    suite = small_suite("http://127.0.0.1:9/v1", limit=3, plain={"repeats": 4})
    chosen = one_dialogue(suite, "en-003")
    assert (chosen.profiles, chosen.repeats, chosen.limit) == ("en?id=en-003", 1, None)
    with pytest.raises(ConfigError, match="no profile 'en-004'.*did you mean"):
        one_dialogue(suite, "en-004")
    two = small_suite("http://127.0.0.1:9/v1", supporters=["a=openai:a", "b=openai:b"])
    with pytest.raises(ConfigError, match=r"one supporter \(a, b\)"):
        one_dialogue(two)
