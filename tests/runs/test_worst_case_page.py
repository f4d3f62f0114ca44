"""docs/worst_case.md: its commands plan, its suite is a suite, its tables are what is shipped."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from emoharbor.agents.seeker import PRESETS, SCALES
from emoharbor.runs.executor import plan_suite
from emoharbor.state.emotions import load_emotions
from emoharbor.suite import load_suite
from tests.here import emoharbor
from tests.processes import ROOT

PAGE = (ROOT / "docs" / "worst_case.md").read_text(encoding="utf-8")
COMMANDS = [line for line in PAGE.splitlines() if line.startswith("emoharbor run")]
(SUITE,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_be_planned(command: str) -> None:
    told = emoharbor(*shlex.split(command)[1:], "--dry-run", DASHSCOPE_API_KEY="a-key-for-a-test")
    assert told.returncode == 0, told.stderr
    assert "the user opens" in told.stdout


def test_its_suite_can_be_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "a-key-for-a-test")
    file = tmp_path / "mine.yaml"
    file.write_text(SUITE, encoding="utf-8")
    plan = plan_suite(load_suite(str(file)))
    assert plan.cells and all(cell.opening and cell.person for cell in plan.cells)
    assert len(plan.seatings["bot"].evaluator.agent.parts) == 2
    assert yaml.safe_load(SUITE)["language"] == "zh"


def rows(*head: str) -> list[list[str]]:
    """The cells of the table that has this head, without code marks."""
    lines = PAGE.replace("`", "").splitlines()
    start = next(i for i, line in enumerate(lines) if all(f"| {h} " in line for h in head))
    table = lines[start + 2 : lines.index("", start)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_controls_are_those_of_the_seeker() -> None:
    told = {name: levels for name, *levels in rows("control", "levels", "hardest")}
    assert {name: row[0].split(", ") for name, row in told.items()} == {
        name: list(scale[:-1]) for name, scale in SCALES.items()
    }
    presets = zip(*(row[1:] for row in told.values()), strict=True)
    assert list(presets) == list(PRESETS.values())


def test_the_ladder_is_the_shipped_one() -> None:
    told = tuple(tuple(names.split(", ")) for _, names in rows("layer", "emotions"))
    assert told == load_emotions().ladder
