from __future__ import annotations

from pathlib import Path

import pytest

from tests.checkpoints.conftest import redis_url, run

__all__ = ["redis_url", "run"]


@pytest.fixture(params=["folder", "redis"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str | None]:
    """Both kinds of store: a run's folder, and the address of a Redis if it is kept there."""
    if request.param == "folder":
        return tmp_path / "stepped", None
    name = str(request.getfixturevalue("run"))
    return tmp_path / name, str(request.getfixturevalue("redis_url"))
