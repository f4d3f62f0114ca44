from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from emoharbor.agents.parameters import parameters_of
from emoharbor.agents.resolve import BUILT_IN, build, find
from emoharbor.agents.scripted import ScriptedEvaluator, ScriptedSupporter
from emoharbor.agents.shape import SIGNATURES, Node
from emoharbor.agents.supporter import ChatSupporter
from emoharbor.agents.thinker import no_thinker
from emoharbor.errors import ConfigError
from emoharbor.models.base import ChatModel
from emoharbor.models.scripted import ScriptedChat
from emoharbor.prompts.loader import Prompt, load_prompt
from emoharbor.state.profile import Frozen

OWN = """
from dataclasses import dataclass

from emoharbor.state.dialogue import Message, UserView


async def plain(history): return "I hear you."
async def with_default(history, mood="calm"): return mood
async def any_number(*history): return "all of it"
async def yields(history): yield "bit by bit"
async def for_a_user(user: UserView) -> str: return "wrong side"
async def wrong_answer(history: list[Message]) -> bytes: return b""
async def takes_nothing(): return "what?"
async def takes_two(history, profile): return "peeking"
async def needs_keyword(history, *, key): return "locked"
async def keywords_only(*, history): return "unreachable"
NUMBER = 3


@dataclass(frozen=True)
class Mine:
    line: str = "hm"
    times: int = 1

    async def __call__(self, history): return self.line * self.times


class NoCall: pass
class SyncCall:
    def __call__(self, history): return "too early"


class Needs:
    def __init__(self, line): self.line = line
    async def __call__(self, history): return self.line


too_early = SyncCall()
ready = Mine(line="ready")
method = ready.__call__
"""
Write = Callable[[str, str], None]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a module of one's own, which is not installed."""
    (tmp_path / "my_own_agents.py").write_text(OWN)
    (tmp_path / "my_broken_agents.py").write_text("import nothing_of_this_name\n")
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))  # restores sys.path afterwards
    monkeypatch.chdir(tmp_path)
    sys.modules.pop("my_own_agents", None)
    return tmp_path


def own(name: str, **given: Any) -> str:
    """What the supporter `name` of the own module says."""
    agent = build("supporter", f"my_own_agents:{name}", given, provide)
    return str(asyncio.run(agent([])))


def provide(name: str, kind: Any) -> Any:
    """What a run owns: a model and prompts."""
    if kind is ChatModel:
        return ScriptedChat(["hi"])
    if kind is Prompt:
        return load_prompt("supporter", "en")
    return NotImplemented


@pytest.mark.parametrize("node", get_args(Node))
def test_every_short_name_fits_its_node(node: Node) -> None:
    for use, agent in BUILT_IN[node].items():
        assert find(node, use) is agent


def test_short_names() -> None:
    assert find("supporter", "chat") is ChatSupporter
    assert find("thinker", "none") is no_thinker
    assert set(SIGNATURES) == set(BUILT_IN) == set(get_args(Node))


@pytest.mark.parametrize(
    ("node", "use", "told"),
    [
        ("thinker", "apraisal", "thinker: no agent 'apraisal'; did you mean 'appraisal'?"),
        ("evaluator", "user-as-judge", "did you mean 'user_as_judge'?"),
        ("talker", "xyzzy", "no agent 'xyzzy'; known: scripted, seeker, talker"),
        ("supporter", "appraisal", "supporter: no agent 'appraisal'"),
        ("supporter", "", "no agent ''"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(node: Node, use: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find(node, use)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plain", "I hear you."),
        ("with_default", "calm"),
        ("any_number", "all of it"),
        ("Mine", "hm"),
        ("ready", "ready"),
        ("method", "ready"),
    ],
)
def test_an_agent_of_ones_own_is_found_in_the_working_folder(
    folder: Path, name: str, words: str
) -> None:
    assert own(name) == words


def test_its_parameters_come_from_the_suite(folder: Path) -> None:
    assert own("Mine", line="ha", times=3) == "hahaha"
    assert parameters_of(find("supporter", "my_own_agents:Mine")) == {"line": str, "times": int}
    assert parameters_of(find("supporter", "my_own_agents:plain")) == {}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("takes_nothing", "async def takes_nothing()"),
        ("takes_two", "async def takes_two(history, profile)"),
        ("needs_keyword", "async def needs_keyword(history, *, key)"),
        ("keywords_only", "async def keywords_only(*, history)"),
        ("yields", "async def yields(history), which yields"),
        ("NoCall", "class NoCall without __call__"),
        ("SyncCall", "class SyncCall with def __call__(self, history)"),
        ("too_early", "a SyncCall with def __call__(self, history)"),
        ("NUMBER", "3, of type int"),
        ("for_a_user", "async def for_a_user(user: UserView) -> str"),
        ("wrong_answer", "async def wrong_answer(history: list[Message]) -> bytes"),
    ],
)
def test_what_does_not_fit_is_refused_with_wanted_and_found(
    folder: Path, name: str, found: str
) -> None:
    with pytest.raises(ConfigError, match="does not fit") as caught:
        find("supporter", f"my_own_agents:{name}")
    told = str(caught.value)
    assert f"wanted: {SIGNATURES['supporter']}\n    found:  {found}" in told


@pytest.mark.parametrize(
    ("use", "told"),
    [
        ("my_own_agents:Missing", "Missing"),
        ("my_own_agents:", "cannot import my_own_agents:"),
        ("no_such_module:Mine", "No module named 'no_such_module'"),
        ("my_broken_agents:Mine", "nothing_of_this_name"),
        (":Mine", "cannot import :Mine"),
        (".relative:Mine", "cannot import .relative:Mine"),
    ],
)
def test_what_cannot_be_imported_is_told(folder: Path, use: str, told: str) -> None:
    with pytest.raises(ConfigError, match="supporter: ") as caught:
        find("supporter", use)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"tmes": 2}, "my_own_agents:Mine takes no 'tmes'; did you mean 'times'?"),
        ({"times": "often"}, r"agents.supporter.times: .*valid integer.*\(given: 'often'\)"),
        ({"line": 3}, r"agents.supporter.line: .*valid string.*\(given: 3\)"),
    ],
)
def test_a_bad_parameter_is_named(folder: Path, given: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        own("Mine", **given)


def test_a_function_takes_no_parameters(folder: Path) -> None:
    with pytest.raises(ConfigError, match="takes no 'mood'"):
        own("with_default", mood="low")


def test_a_parameter_without_a_value_is_named(folder: Path) -> None:
    with pytest.raises(ConfigError, match="line"):
        own("Needs")


def test_a_built_in_is_given_what_the_run_owns() -> None:
    given = {"opening_line": "(joins)"}
    agent = build("supporter", "chat", given, provide)
    assert isinstance(agent, ChatSupporter)
    assert agent.opening_line == "(joins)"
    assert asyncio.run(agent([])).text == "hi"


def test_a_strategy_is_checked_by_its_type() -> None:
    with pytest.raises(ConfigError, match=r"agents.evaluator.value.*\(given: 'high'\)"):
        build("evaluator", "scripted", {"value": "high"}, provide)
    with pytest.raises(ConfigError, match="agents.evaluator.strategy: .*'standard'"):
        build("evaluator", "user_as_judge", {"strategy": "psychic"}, provide)
    agent = build("evaluator", "scripted", {"value": 5, "dimensions": ["safety"]}, provide)
    assert agent == ScriptedEvaluator(("safety",), 5)


def test_values_of_a_suite_become_what_the_agent_holds() -> None:
    agent = build("supporter", "scripted", {"lines": ["a", "b"]}, provide)
    assert agent == ScriptedSupporter(("a", "b"))
    states = [{"kind": "emotion", "label": "fear"}]
    thinker = build("thinker", "scripted", {"states": states}, provide)
    assert isinstance(thinker.states[0], Frozen)
