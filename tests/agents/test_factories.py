"""Agents that are made: by a class, by a function, out of a module or out of a file."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest

from emoharbor.agents.locate import locate
from emoharbor.agents.parameters import parameter_words
from emoharbor.agents.resolve import build, find, source_version
from emoharbor.agents.shape import SIGNATURES, Node, nodes_of
from emoharbor.errors import ConfigError
from emoharbor.models.base import ChatModel
from emoharbor.models.scripted import ScriptedChat
from emoharbor.prompts.loader import Prompt, load_prompt
from tests.people import heard, view


def provide(name: str, kind: Any) -> Any:
    if kind is ChatModel:
        return ScriptedChat(["from the model"])
    return load_prompt("talker", "en") if kind is Prompt else NotImplemented


def said(use: str, **given: Any) -> str:
    agent = build("talker", use, given, provide)
    return str(asyncio.run(agent(view([heard("hello")]))).text)


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("Says", {"words": "a class"}, "a class"),
        ("Box.Inner", {"words": "inside"}, "inside"),
        ("talker", {}, "plain"),
        ("ready", {}, "ready"),
        ("bound", {}, "bound"),
        ("shipped", {}, "shipped"),
        ("makes", {"words": "ha", "times": 2, "mood": "high"}, "high: haha"),
        ("made", {"times": 2}, "low: mademade"),
        ("untold", {"words": "any"}, "any"),
        ("makes_function", {}, "plain"),
        ("wants_a_model", {}, "from the model"),
        ("Asks", {}, "from the model"),
    ],
)
@pytest.mark.parametrize("where", ["mine", "mine.py", "./mine.py"])
def test_whatever_makes_or_is_an_agent_can_be_named(
    mine: Path, where: str, name: str, given: dict[str, Any], words: str
) -> None:
    assert said(f"{where}:{name}", **given) == words


def test_a_file_elsewhere_finds_its_neighbours(mine: Path) -> None:
    folder = mine / "deep" / "down"
    folder.mkdir(parents=True)
    for name in ("mine.py", "neighbour.py"):
        shutil.move(mine / name, folder / name)
    assert said("deep/down/mine.py:Says") == "from next door"
    assert said(f"{folder}/mine.py:Says") == "from next door"


def test_two_files_of_one_name_are_two_modules(mine: Path) -> None:
    (mine / "other").mkdir()
    source = (mine / "mine.py").read_text(encoding="utf-8")
    (mine / "other" / "mine.py").write_text(source.replace('"ready"', '"the other"'))
    assert (said("mine.py:ready"), said("other/mine.py:ready")) == ("ready", "the other")


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("makes", {}, "missing a required argument: 'words'; it takes words: str"),
        ("makes", {"words": "x", "times": 0}, "agents.talker.times: .*greater than or equal to 1"),
        ("makes", {"words": "x", "mood": "odd"}, "agents.talker.mood: .*'low' or 'high'"),
        ("makes", {"word": "x"}, "takes no 'word'; did you mean 'words'"),
        ("fails", {}, r"cannot be made: FileNotFoundError: weights.bin \(.*mine.py, line \d+\)"),
        ("makes_number", {}, "makes does not fit\n.*wanted: async def talker.*\n.*found:  3, of"),
        ("makes_class", {}, "makes does not fit\n.*\n.*found:  class Says with async def"),
        ("makes_maker", {}, "makes does not fit\n.*\n.*found:  def makes"),
        ("makes_thinker", {}, "makes does not fit\n.*\n.*found:  async def think"),
    ],
)
def test_what_a_factory_gets_wrong_is_told(
    mine: Path, name: str, given: dict[str, Any], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        said(f"mine:{name}", **given)


def test_a_plain_function_that_should_be_async_is_told_so(mine: Path) -> None:
    (mine / "hasty.py").write_text("def talker(user): return 'too early'\n")
    with pytest.raises(ConfigError, match="missing a required argument: 'user'.*'async def'"):
        said("hasty.py:talker")


def test_annotations_for_type_checkers_alone_are_told(mine: Path) -> None:
    source = "from __future__ import annotations\ndef make(model: ChatModel): return None\n"
    (mine / "checked.py").write_text(source)
    with pytest.raises(ConfigError, match="make: its annotations cannot be read: name 'ChatModel'"):
        said("checked.py:make")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("def broken(:\n", r"invalid syntax.*line 1"),
        ("x = 1\n\nraise KeyError('no')\n", r"KeyError: 'no' \(.*bad.py, line 3\)"),
        ("import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
        ("x = 1\n", "has no attribute 'Agent'"),
    ],
)
@pytest.mark.parametrize("use", ["bad.py:Agent", "bad:Agent"])
def test_a_broken_file_is_told_with_the_line(mine: Path, use: str, source: str, told: str) -> None:
    (mine / "bad.py").write_text(source)
    with pytest.raises(ConfigError, match=f"talker: cannot import {use}: .*{told}"):
        find("talker", use)


def test_a_file_that_is_not_there_is_told(mine: Path) -> None:
    with pytest.raises(ConfigError, match="talker: no file nowhere/mine.py"):
        find("talker", "nowhere/mine.py:Says")


@pytest.mark.parametrize(
    ("name", "nodes"),
    [
        ("Says", ["talker"]),
        ("ready", ["talker"]),
        ("makes", ["talker"]),
        ("think", ["thinker"]),
        ("sees_nothing_wrong", []),
        ("two", []),
        ("unannotated", list(SIGNATURES)),
        ("untold", list(SIGNATURES)),
    ],
)
def test_annotations_tell_the_node(mine: Path, name: str, nodes: list[Node]) -> None:
    assert nodes_of(locate(f"mine:{name}").found) == nodes


def test_parameters_are_told_as_python_writes_them(mine: Path) -> None:
    assert parameter_words(find("talker", "mine:makes")) == [
        "words: str",
        "times: int = 1",
        "mood: Literal['low', 'high'] = 'low'",
    ]
    assert parameter_words(find("talker", "mine:Asks")) == [
        "model: ChatModel",
        "prompt: Prompt",
        "seen: tuple[str, ...] = ()",
    ]


def test_the_version_is_the_source(mine: Path) -> None:
    before = {name: source_version("talker", f"mine.py:{name}") for name in ("Says", "shipped")}
    assert source_version("talker", "mine:Says") == before["Says"] != before["shipped"]
    assert source_version("talker", "talker") is None
    with (mine / "mine.py").open("a") as file:
        file.write("\n# another comment\n")
    after = {name: source_version("talker", f"mine.py:{name}") for name in before}
    assert all(after[name] != before[name] for name in before)
