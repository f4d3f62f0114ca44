"""docs/supporters.md: its programs run, and its suites are suites."""

from __future__ import annotations

import asyncio
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.agents.resolve import BUILT_IN
from emoharbor.runs.executor import plan_suite
from tests.agents.outside_runs import run, spoken, suite_of
from tests.processes import ROOT

PAGE = (ROOT / "docs" / "supporters.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", PAGE, re.DOTALL)
SUITES = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)]
ENTRIES = [(suite, entry) for suite in SUITES for entry in suite["supporters"]]
HERE = [entry for _, entry in ENTRIES if entry["name"] in {"graph", "same", "function", "object"}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with all files of the page."""
    for name, text in CODE:
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BOT_KEY", "bot-key-for-a-test")
    return tmp_path


def own_keys(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "name"}


@pytest.mark.parametrize("suite, entry", ENTRIES, ids=[entry["name"] for _, entry in ENTRIES])
def test_every_entry_can_be_planned(
    folder: Path, suite: dict[str, Any], entry: dict[str, Any]
) -> None:
    plan = plan_suite(suite_of(folder, own_keys(entry), models=suite.get("models", {})))
    assert len(plan.cells) == 2


@pytest.mark.parametrize("entry", HERE, ids=[entry["name"] for entry in HERE])
def test_what_runs_here_speaks(folder: Path, entry: dict[str, Any]) -> None:
    (record,) = run(folder, own_keys(entry), limit=1)
    assert len(spoken(record)) == 3


def test_the_program_speaks(folder: Path) -> None:
    (entry,) = [e for _, e in ENTRIES if e["name"] == "program"]
    model = entry["model"].replace("python", shutil.which(sys.executable) or sys.executable)
    (record,) = run(folder, {"use": "bot", "model": model}, limit=1)
    assert spoken(record) == [f"I have heard {n} lines." for n in (1, 3, 5)]


def test_the_server_speaks(folder: Path) -> None:
    scope: dict[str, Any] = {"__name__": "server"}
    exec((folder / "server.py").read_text(encoding="utf-8"), scope)

    async def go() -> Any:
        from aiohttp import web

        from emoharbor.runs.executor import run_suite

        app = web.Application()
        app.router.add_post("/chat", scope["chat"])
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            url = f"http://127.0.0.1:{runner.addresses[0][1]}/chat"
            suite = suite_of(folder, {"use": "bot", "model": url}, limit=1)
            return (await run_suite(suite, folder / "run")).records()
        finally:
            await runner.cleanup()

    (record,) = asyncio.run(go()).values()
    assert spoken(record) == [f"I have heard {n} lines." for n in (1, 3, 5)]


def test_every_short_name_is_on_the_page() -> None:
    used = {entry["use"] for _, entry in ENTRIES}
    assert BUILT_IN["supporter"].keys() <= used
