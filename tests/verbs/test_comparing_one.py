"""`compare` of two supporters of one run."""

from __future__ import annotations

from pathlib import Path

from tests.here import emoharbor
from tests.synthetic import synthetic_run


def test_two_supporters_of_one_run_are_compared(tmp_path: Path) -> None:
    synthetic_run(tmp_path / "run", {"base": 2.0, "tuned": 4.0}, profiles=8)
    done = emoharbor("compare", "run", "run", "--pair", "base=tuned", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "base -> tuned" in done.stdout and "exchanges" in done.stdout
    refused = emoharbor("compare", "run", "run", "--pair", "base=base", cwd=tmp_path)
    assert refused.returncode == 2 and "--pair FIRST=SECOND" in " ".join(refused.stderr.split())
