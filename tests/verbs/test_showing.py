"""`show`: a run as its suite has it, however it was run."""

from __future__ import annotations

from pathlib import Path

from tests.here import emoharbor
from tests.synthetic import synthetic_run


def test_supporters_and_people_stand_in_the_order_of_the_suite(tmp_path: Path) -> None:
    folder = synthetic_run(tmp_path / "run", {"zebra": 3.0, "ape": 2.0}, profiles=3)
    file = folder.records_file
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(reversed(lines)), encoding="utf-8")
    told = emoharbor("show", "run", cwd=tmp_path).stdout
    head = next(line for line in told.splitlines() if "dimension" in line)
    assert head.index("zebra") < head.index("ape")
    assert told.index("zebra/en-001/0") < told.index("zebra/en-003/0") < told.index("ape/en-001/0")
