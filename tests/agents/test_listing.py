"""`emoharbor agents`: what there is, and whether one's own keeps the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from emoharbor.agents.resolve import BUILT_IN
from tests.agents.own_code import install
from tests.here import emoharbor
from tests.processes import ROOT


def test_every_built_in_agent_is_listed_with_what_it_takes() -> None:
    told = emoharbor("agents")
    assert told.returncode == 0, told.stderr
    for node, named in BUILT_IN.items():
        assert f"async def {node}(" in told.stdout
        assert all(f"│ {use} " in told.stdout for use in named)
    assert "strategy: Literal['standard'," in told.stdout and "value: int = 3" in told.stdout
    assert "IS_t = (c_t, e_t, g_t) by appraisal" in told.stdout


def test_one_node_is_listed() -> None:
    told = emoharbor("agents", "talker").stdout
    assert "async def talker(" in told and "async def thinker(" not in told
    wrong = emoharbor("agents", "talkr")
    assert wrong.returncode == 2 and "no node 'talkr'; did you mean 'talker'?" in wrong.stderr


def test_packages_are_listed_with_what_is_wrong_with_them(site: Path) -> None:
    entries = {
        "thinker.stoic": "stoic_minds:StoicThinker",
        "thinker.none": "stoic_minds:StoicThinker",
        "talker.gone": "stoic_minds:Gone",
        "thinkr.stoic": "stoic_minds:StoicThinker",
        "stoic": "stoic_minds:StoicThinker",
    }
    install(site, "stoic-minds", entries)
    told = emoharbor("agents")
    words = " ".join(told.stdout.replace("│", " ").split())
    assert told.returncode == 0, told.stderr
    assert "Takes everything calmly." in words and "calm: int = 5" in words
    assert "stoic-minds 1.2" in words and "thinker: 'none' names the built-in" in words
    assert "cannot import stoic_minds:Gone" in words
    assert "'thinkr.stoic' of emoharbor.agents names no node; did you mean 'thinker'?" in words
    assert "'stoic' of emoharbor.agents names no node; wanted is NODE.NAME" in words


@pytest.mark.parametrize(
    "args",
    [
        ("--check", "mine:Says"),
        ("--check", "mine.py:ready"),
        ("--check", "mine:makes", "--set", "words=hm", "--set", "times=2"),
        ("--check", "mine:wants_a_model", "--set", "prompt=supporter", "talker"),
        ("--check", "mine:Asks", "--language", "en"),
        ("thinker", "--check", "scripted"),
        ("--check", "user_as_judge", "--set", "strategy=standard"),
    ],
)
def test_an_agent_that_keeps_the_contract(mine: Path, args: tuple[str, ...]) -> None:
    told = emoharbor("agents", *args, cwd=mine)
    assert told.returncode == 0, told.stdout + told.stderr
    assert told.stdout.count("ok   ") == 8 and "keeps the contract of the" in told.stdout


@pytest.mark.parametrize("name", ["supporter", "talker", "Stoic", "quiet"])
def test_the_agents_of_the_manual_keep_the_contract(mine: Path, name: str) -> None:
    blocks = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8").split("```python\n")
    (mine / "mine.py").write_text(blocks[1].split("```")[0], encoding="utf-8")
    told = emoharbor("agents", "--check", f"mine:{name}", cwd=mine)
    assert told.returncode == 0, told.stdout + told.stderr


def test_an_agent_that_breaks_the_contract(mine: Path) -> None:
    source = "async def forgets(user): return None\nasync def fails(user): return 1 / 0\n"
    (mine / "bad.py").write_text(source, encoding="utf-8")
    told = emoharbor("agents", "talker", "--check", "bad.py:forgets", cwd=mine)
    assert told.returncode == 1, told.stderr
    assert "ok   is one async call" in told.stdout and "FAIL answers late" in told.stdout
    assert "it returned None; wanted is Utterance" in told.stdout
    assert "wanted: async def talker(user: UserView) -> Utterance" in told.stdout
    raised = emoharbor("agents", "talker", "--check", "bad:fails", cwd=mine)
    assert raised.returncode == 1
    assert "it raised ZeroDivisionError: division by zero" in raised.stdout
    assert "bad.py, line 2" in "".join(raised.stdout.split("\n"))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--check", "mine:unannotated"), "could be put into supporter, thinker, talker"),
        (("--check", "mine:sees_nothing_wrong"), "fits no node wanted: async def supporter"),
        (("--check", "mine:think", "talker"), "talker: mine:think does not fit wanted: async def"),
        (("--check", "scripted"), "could be put into supporter, thinker, talker, evaluator"),
        (("--check", "scriptd"), "no agent 'scriptd'; did you mean 'scripted'?"),
        (("--check", "mine:makes"), "missing a required argument: 'words'"),
        (("--check", "mine:Says", "--set", "word=1"), "takes no 'word'; did you mean 'words'?"),
        (("--check", "mine:Says", "--language", "fr"), "en or zh is wanted"),
        (("--check", "nothing_here:Says"), "No module named 'nothing_here'"),
        (("--set", "words=hm"), "go with --check USE"),
    ],
)
def test_what_cannot_be_checked_is_told(mine: Path, args: tuple[str, ...], words: str) -> None:
    told = emoharbor("agents", *args, cwd=mine)
    assert told.returncode == 2, told.stdout
    assert words in " ".join(told.stderr.split()) and "Traceback" not in told.stderr
