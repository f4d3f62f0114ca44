"""Edits and swaps while a dialogue is stepped: from when on, and what goes on with them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from emoharbor.errors import ConfigError
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.runs.opened import open_for_debugging
from emoharbor.runs.replay import replay_of
from emoharbor.runs.stepping import open_stepper, suite_of
from emoharbor.state.dialogue import UserView, Utterance
from tests.fake_openai import FakeOpenAI, refusal
from tests.runs.stepped import Place, one, record_of, served
from tests.served import plays_all, role_of


@dataclass(frozen=True)
class Loud:
    """A talker of a user's own."""

    word: str = "NO"

    async def __call__(self, user: UserView) -> Utterance:
        return Utterance(text=f"{self.word}, I feel {getattr(user.inner, 'emotion', '?')}")


def test_an_edit_changes_what_the_next_agent_sees(place: Place) -> None:
    async def go(server: FakeOpenAI) -> None:
        async with open_stepper(one(server.url), *place) as stepper:
            await stepper.step()
            await stepper.step()
            edited = await stepper.edit({"thinker.emotion": "relieved", "supporter": "Go on."})
            assert [c.after.text for c in edited.changes if c.channel == "h_s"] == ["Go on."]
            await stepper.step()
            sent = str(server.bodies[-1]["messages"])
            assert role_of(server.bodies[-1]) == "talker"
            assert "relieved" in sent and "Go on." in sent and "Reply 1" not in sent
            await stepper.edit({"user": "Never mind."})
        async with open_stepper(one(server.url), *place) as stepper:
            assert stepper.state.values["utterance"].text == "Never mind."
            assert stepper.next_node == "termination"
            await stepper.to_turn()
            await stepper.step()
            assert server.bodies[-1]["messages"][-1]["content"] == "Never mind."
            await stepper.to_end()
            (first, second) = stepper.plan.suite.branch.by_hand  # type: ignore[union-attr]
            assert first.edits["supporter"] == "Go on." and first.step == 2
            assert second.edits == {"user": "Never mind."}

    served(go)
    record = record_of(place[0])
    assert [m.text for m in record.h_s][:2] == ["Go on.", "Never mind."]
    assert record.branched


def test_an_edit_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    async def go(server: FakeOpenAI) -> None:
        async with open_stepper(one(server.url), tmp_path / "run") as stepper:
            await stepper.step()
            await stepper.step()
            plan = (tmp_path / "run" / "run.yaml").read_text(encoding="utf-8")
            before = stepper.state
            for edits, words in (
                ({"thinker.intensity": 9}, "less than or equal to 5"),
                ({"thinker.emotions": "x"}, "did you mean 'emotion'"),
                ({"user": "x"}, "holds none yet"),
                ({"verdict": "x"}, "is wanted"),
            ):
                with pytest.raises(ConfigError, match=words):
                    await stepper.edit(edits)
            assert stepper.state is before
            assert (tmp_path / "run" / "run.yaml").read_text(encoding="utf-8") == plan

    served(go)


def test_a_swap_takes_effect_from_the_next_node_and_is_remembered(place: Place) -> None:
    async def go(server: FakeOpenAI) -> None:
        suite = one(server.url)
        async with open_stepper(suite, *place) as stepper:
            await stepper.step()
            await stepper.swap("thinker", {"model": f"openai:other@{server.url}"})
            await stepper.step()
            assert server.bodies[-1]["model"] == "other"
            await stepper.swap("talker", {"use": f"{__name__}:Loud", "word": "YES"})
            assert stepper.next_seat and stepper.next_seat.fingerprint["word"] == "YES"
            said = await stepper.step()
            assert said.values["utterance"].text.startswith("YES, I feel ")
        async with open_stepper(suite, *place) as stepper:
            await stepper.to_turn()
            await stepper.swap("supporter", {"temperature": 0.1})
            await stepper.step()
            assert server.bodies[-1]["temperature"] == 0.1
            await stepper.step()
            assert server.bodies[-1]["model"] == "other"
            await stepper.to_end()
            assert stepper.record and stepper.record.h_s[-1].text.startswith("YES")

    served(go)


def test_swaps_begin_before_the_first_node_too(tmp_path: Path) -> None:
    async def go(server: FakeOpenAI) -> None:
        suite = one(server.url, plain={"opening": "user"})
        async with open_stepper(suite, tmp_path / "run") as stepper:
            await stepper.swap("talker", {"use": f"{__name__}:Loud"})
        async with open_stepper(suite, tmp_path / "run") as stepper:
            assert stepper.next_node == "thinker"
            await stepper.to_end()
            assert stepper.record and stepper.record.h_s[0].text.startswith("NO")

    served(go)


def test_another_judge_is_no_other_dialogue(tmp_path: Path) -> None:
    async def go(server: FakeOpenAI) -> None:
        suite = one(server.url)
        async with open_stepper(suite, tmp_path / "run") as stepper:
            await stepper.to_turn()
            await stepper.swap("evaluator", {"model": f"openai:other@{server.url}"})
            await stepper.to_turn()
            assert stepper.next_node == "evaluator" and stepper.state.node == "termination"
        async with open_stepper(suite, tmp_path / "run") as stepper:
            assert stepper.next_node == "evaluator"
            await stepper.step()
            assert server.bodies[-1]["model"] == "other"
            assert stepper.state.node == "evaluator" and stepper.next_node is None

    served(go)
    assert record_of(tmp_path / "run").branched is None


@pytest.mark.parametrize(
    "node, keys, words",
    [
        ("talkr", {"model": "x"}, "did you mean 'talker'"),
        ("talker", {"temprature": 1}, "takes no 'temprature'"),
        ("talker", {"use": "nowhere.at_all:Talker"}, "nowhere"),
        ("talker", {"use": f"{__name__}:served"}, "missing a required argument"),
        ("talker", {"model": "opnai:x"}, "opnai"),
        ("talker", {}, "keys of the agent"),
        ("supporter", {"name": "other"}, "keys of the agent"),
        ("thinker", {"use": "none", "model": "openai:x"}, "takes no 'model'"),
    ],
)
def test_a_swap_that_cannot_be_changes_nothing(
    tmp_path: Path, node: str, keys: dict[str, Any], words: str
) -> None:
    async def go(server: FakeOpenAI) -> None:
        async with open_stepper(one(server.url), tmp_path / "run") as stepper:
            before = stepper.cell
            with pytest.raises(ConfigError, match=words):
                await stepper.swap(node, keys)
            assert stepper.cell is before
            await stepper.step()

    served(go)


def test_a_failing_agent_is_swapped_for_another(tmp_path: Path) -> None:
    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        return refusal(500, "down") if role == "talker" else None

    async def go(server: FakeOpenAI) -> None:
        async with open_stepper(one(server.url, turns=1), tmp_path / "run") as stepper:
            await stepper.to_end()
            assert stepper.failure and stepper.next_node == "talker"
            await stepper.swap("talker", {"use": f"{__name__}:Loud"})
            assert stepper.failure is None
            await stepper.to_end()
            assert stepper.record and stepper.record.verdict

    served(go, plays_all(change))


def test_resume_goes_on_with_all_changes_and_replay_finds_the_same(place: Place) -> None:
    out, store = place

    async def go(server: FakeOpenAI) -> None:
        suite = one(server.url)
        async with open_stepper(suite, *place) as stepper:
            await stepper.to_turn()
            await stepper.edit({"user": "Listen to me."})
            await stepper.swap("talker", {"use": f"{__name__}:Loud"})
            await stepper.swap("evaluator", {"model": f"openai:other@{server.url}"})
            thread = stepper.cell.thread
        server.bodies.clear()
        await run_suite(await suite_of(out, store), out, options=RunOptions(store))
        asked = Counter(map(role_of, server.bodies))
        assert asked - Counter(probe=9) == {"supporter": 1, "thinker": 1, "evaluator": 1}
        assert server.bodies[-1]["model"] == "other"
        record = record_of(out)
        assert record.own_thread == thread and record.verdict
        assert record.h_s[1].text == "Listen to me." and record.h_s[3].text.startswith("NO")
        async with open_stepper(suite, *place) as stepper:
            assert stepper.record == record and stepper.next_node is None
        async with open_for_debugging(out, store) as run:
            ready = await replay_of(run.suite, run.recorded, run.reader.call_lines)
            played = await ready.run([record], await run.beginnings([record]))
            assert (played.same, played.differences) == (1, [])

    served(go)
