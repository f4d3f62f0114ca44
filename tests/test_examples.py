"""The examples: the command at the top of each does what its words say."""

from __future__ import annotations

import ast
import asyncio
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from emoharbor.agents.locate import locate
from emoharbor.models.scripted import ScriptedChat
from emoharbor.prompts.loader import load_prompt
from emoharbor.runs.folder import open_run
from emoharbor.state.dialogue import Appraisal
from emoharbor.state.record import DialogueRecord
from tests.here import emoharbor
from tests.people import heard, said, view
from tests.processes import ROOT

EXAMPLES = ROOT / "examples"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in (".py", ".yaml"))
AGENTS = {
    "own_supporter.py": "supporter",
    "langgraph_supporter.py": "graph",
    "own_thinker.py": "CoreAffect",
    "own_termination.py": "Patience",
}


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the examples in it, in which their commands are run."""
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.syspath_prepend(str(tmp_path))  # restores sys.path afterwards
    yield tmp_path


def head(name: str) -> str:
    """The words at the top of an example, as they are indented there."""
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    if name.endswith(".py"):
        return ast.get_docstring(ast.parse(text)) or ""
    return "\n".join(re.findall(r"^# ?(.*)$", text, re.MULTILINE))


def command(name: str) -> list[str]:
    """The one command among them, without its first word."""
    indented = [line for line in head(name).splitlines() if re.match(r" {2,}\S", line)]
    words = shlex.split(" ".join(line.strip().removesuffix("\\") for line in indented))
    assert words[0] == "emoharbor" and words.count("emoharbor") == 1 + (words[1] == "run"), words
    return words[1:]


def ran(name: str, folder: Path) -> tuple[DialogueRecord, str]:
    """The one dialogue that the command makes, and what it printed."""
    args = command(name)
    done = emoharbor(*args, cwd=folder, OPENAI_API_KEY="")
    assert done.returncode == 0, done.stdout + done.stderr
    run = open_run(folder / args[args.index("--out") + 1])
    (record,) = run.records().values()
    assert record.failure is None and record.verdict is not None
    return record, done.stdout


def lines(record: DialogueRecord) -> list[str]:
    return [message.text for message in record.h_s if message.role == "supporter"]


def test_own_supporter(copy: Path) -> None:
    record, _ = ran("own_supporter.py", copy)
    repeated = "You said: Nothing to add. What is the hardest part of it?"
    assert lines(record) == ["Hello, I'm here. What is on your mind?", repeated, repeated]


def test_langgraph_supporter(copy: Path) -> None:
    record, _ = ran("langgraph_supporter.py", copy)
    assert [line.split(".")[0] for line in lines(record)] == [
        "I'm here, and there is no hurry",
        "I'm listening",
        "I'm listening",
    ]


def test_own_thinker(copy: Path) -> None:
    record, _ = ran("own_thinker.py", copy)
    states = [item for item in record.h_u if isinstance(item, Appraisal)]
    assert len(states) == 3
    assert all("pleasant 1/5, stirred 1/5" in s.emotion and s.intensity == 5 for s in states)
    shown = emoharbor("show", "runs/own_thinker", "bot", "--prompts", "talker", cwd=copy)
    assert "pleasant 1/5, stirred 1/5" in shown.stdout


def test_a_feeling_is_as_strong_as_it_is_far_from_neutral(copy: Path) -> None:
    reply = {"body": "cold hands", "concept": "dread", "meaning": "m", "wish": "w"}
    found = locate(f"{copy / 'examples' / 'own_thinker.py'}:CoreAffect").found
    for pleasant, stirred, strength in ((3, 3, 1), (2, 3, 3), (3, 4, 3), (1, 4, 5), (4, 5, 5)):
        model = ScriptedChat([{**reply, "pleasant": pleasant, "stirred": stirred}])
        seen = view([heard("hello"), said("hi")])
        state = asyncio.run(found(model, load_prompt("repair", "en"))(seen))
        felt = f"dread (cold hands; pleasant {pleasant}/5, stirred {stirred}/5)"
        assert state == Appraisal(cognition="m", emotion=felt, intensity=strength, goals="w")
        assert "They: hello\n\nYou: hi" in str(model.requests[0].messages[1]["content"])


def test_own_dimension(copy: Path) -> None:
    record, told = ran("own_dimension.yaml", copy)
    assert record.verdict and record.verdict.rubric == "pacing-1"
    assert set(record.verdict.scores) == {"pace"}
    assert "pace" in told and "empathetic" not in told


def test_own_dimension_judges_a_finished_run_again(copy: Path) -> None:
    args = command("own_dimension.yaml")
    at = args.index("--set")
    assert emoharbor(*args[:at], *args[at + 2 :], cwd=copy).returncode == 0
    folder = copy / args[args.index("--out") + 1]
    before = [call for call in calls(folder) if '"evaluator"' not in call]
    record, _ = ran("own_dimension.yaml", copy)
    assert record.verdict and set(record.verdict.scores) == {"pace"}
    assert [call for call in calls(folder) if '"evaluator"' not in call] == before


def calls(folder: Path) -> list[str]:
    return (folder / "calls.jsonl").read_text(encoding="utf-8").splitlines()


def test_own_termination(copy: Path) -> None:
    record, _ = ran("own_termination.py", copy)
    assert record.ending and (record.ending.reason, record.ending.turn) == ("user_gave_up", 3)
    assert record.ending.because.startswith("the same message 2 times: You said")


def test_seeds(copy: Path) -> None:
    done = emoharbor(*command("seeds.yaml"), cwd=copy, OPENAI_API_KEY="")
    assert done.returncode == 0 and "set aside  5" in done.stdout
    why = emoharbor("show", "runs/seeds", "seeds-005", cwd=copy)
    assert "seeds-005: set aside" in why.stdout and "preferences.mbti" in why.stdout


@pytest.mark.parametrize(("name", "attribute"), AGENTS.items())
def test_the_agents_keep_their_contract(copy: Path, name: str, attribute: str) -> None:
    checked = emoharbor("agents", "--check", f"examples/{name}:{attribute}", cwd=copy)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_every_example_is_run_here_and_has_its_line_in_the_readme() -> None:
    assert set(NAMES) == {*AGENTS, "own_dimension.yaml", "seeds.yaml"}
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    linked = re.findall(r"^\| \[\S+\]\((\S+)\)", readme, re.MULTILINE)
    assert sorted(linked) == NAMES
    for name in NAMES:
        assert f"runs/{Path(name).stem}" in command(name)


def test_the_examples_are_not_in_the_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packaged = settings["tool"]["setuptools"]["packages"]["find"]["include"]
    assert any(fnmatch("emoharbor.agents", pattern) for pattern in packaged)
    assert not any(fnmatch(name, p) for name in ("examples", "examples.own") for p in packaged)
