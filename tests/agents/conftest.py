from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.own_code import write_mine


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder, with `mine.py` and what it imports; forgotten afterwards."""
    write_mine(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))  # restores sys.path afterwards
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def site(mine: Path) -> Path:
    """Where packages are installed for one test."""
    (mine / "site").mkdir()
    return mine / "site"
