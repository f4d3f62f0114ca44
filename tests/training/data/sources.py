"""Runs to export from, and what an export has written."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from emoharbor.flags import suite_from_flags
from emoharbor.runs.executor import run_suite
from tests.here import emoharbor

HERE = "scripted:tests.training.data.scripts"
MODELS = {"model": f"{HERE}:user", "judge": f"{HERE}:judge"}


def finished_run(
    suite: str, folder: Path, supporters: tuple[str, ...] = ("bot",), **plain: Any
) -> Path:
    """A whole run of a shipped suite against scripts, two exchanges a dialogue."""
    made = suite_from_flags(
        suite,
        supporters=[f"{name}={HERE}:{name}" for name in supporters],
        plain={"max_turns": 2, **plain},
        **MODELS,
    )
    asyncio.run(run_suite(made, folder))
    return folder


class Written:
    """What an export has left in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.card: dict[str, Any] = json.loads((folder / "data_card.json").read_text("utf-8"))
        self.text = (folder / "DATA_CARD.md").read_text("utf-8")

    def rows(self, split: str = "train") -> list[dict[str, Any]]:
        """The entries of one split."""
        file = self.folder / f"{split}.jsonl"
        if file.exists():
            return [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        whole: list[dict[str, Any]] = json.loads((self.folder / f"{split}.json").read_text("utf-8"))
        return whole

    def people(self, split: str = "train") -> set[str]:
        """Whose dialogues stand in one split."""
        return {(row.get("metadata") or row)["profile"] for row in self.rows(split)}

    @property
    def every(self) -> list[dict[str, Any]]:
        """The entries of all splits."""
        return [row for split in self.card["splits"] for row in self.rows(split)]

    @property
    def cells(self) -> list[str]:
        """Suite and cell of every dialogue."""
        about = [row.get("metadata") or row for row in self.every]
        return sorted(f"{a['suite']} {a['cell']}" for a in about)


def exported(out: Path, *args: Path | str, form: str = "chat") -> Written:
    """An export that must end well."""
    done = emoharbor("export", *map(str, args), "--format", form, "-o", str(out))
    assert done.returncode == 0, done.stderr
    return Written(out)


def refused(out: Path, *args: Path | str, form: str = "chat") -> str:
    """What an export says that must fail, and must have written nothing."""
    done = emoharbor("export", *map(str, args), "--format", form, "-o", str(out))
    assert done.returncode == 2, done.stdout
    assert not (out / "data_card.json").exists()
    return " ".join(done.stderr.split())
