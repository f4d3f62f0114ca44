from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.checkpoints.conftest import redis_url, run
from tests.profiles.crowd import people, written
from tests.training.data.sources import finished_run

__all__ = ["redis_url", "run"]
PEOPLE = 6


@dataclass(frozen=True)
class Runs:
    """Both arms of the same people, and a run in which the supporter opens."""

    average: Path
    worst: Path
    opened: Path
    people: str


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    folder = tmp_path_factory.mktemp("runs")
    crowd = written(folder / "people.jsonl", people("en", PEOPLE))
    return Runs(
        average=finished_run("average_case", folder / "average", profiles=crowd, repeats=2),
        worst=finished_run("worst_case", folder / "worst", profiles=crowd, repeats=2),
        opened=finished_run(
            "emoharbor", folder / "opened", ("bot", "parrot"), profiles=crowd, limit=2
        ),
        people=crowd,
    )
