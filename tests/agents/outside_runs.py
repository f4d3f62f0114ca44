"""Whole runs of a supporter from outside with a scripted user: no model anywhere."""

from __future__ import annotations

import asyncio
import shlex
import sys
from pathlib import Path
from typing import Any

import yaml

from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite, load_suite

# Answers every request with other words, and keeps what it was asked.
BOT = """
import json, os, sys, time, uuid
log, pause = sys.argv[1], float(sys.argv[2])
for line in sys.stdin:
    asked = json.loads(line)
    time.sleep(pause)
    text = uuid.uuid4().hex
    told = {**asked, "text": text, "pid": os.getpid()}
    with open(log, "a") as file: print(json.dumps(told), file=file)
    print(json.dumps({"id": asked["id"], "text": text}))
"""


def suite_text(supporter: dict[str, Any], **plain: Any) -> str:
    """Two people, three exchanges; `plain` are other keys of the suite."""
    agents = {role: {"use": "scripted"} for role in ("thinker", "talker", "evaluator")}
    short = {"name": "outside", "profiles": "en", "limit": 2, "max_turns": 3}
    named = [{"name": "bot", **supporter}]
    return yaml.safe_dump({**short, "supporters": named, "agents": agents, **plain})


def suite_of(folder: Path, supporter: dict[str, Any], **plain: Any) -> Suite:
    file = folder / "outside.yaml"
    file.write_text(suite_text(supporter, **plain), encoding="utf-8")
    return load_suite(str(file))


def run(folder: Path, supporter: dict[str, Any], **plain: Any) -> list[DialogueRecord]:
    """The records of such a run, which is made in `folder`/run."""
    made: RunFolder = asyncio.run(run_suite(suite_of(folder, supporter, **plain), folder / "run"))
    return list(made.records().values())


def spoken(record: DialogueRecord) -> list[str]:
    """What the supporter said; the record must not be a failure."""
    assert record.failure is None, record.failure
    assert record.verdict is not None
    return [m.text for m in record.h_s if m.role == "supporter"]


def process_bot(tmp: Path, pause: float = 0.0) -> dict[str, Any]:
    (tmp / "bot.py").write_text(BOT, encoding="utf-8")
    words = [sys.executable, "-S", str(tmp / "bot.py"), str(tmp / "log"), str(pause)]
    return {"use": "bot", "model": f"process:{shlex.join(words)}"}
