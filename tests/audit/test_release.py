"""The audit on the worst-case paper's released dialogues, where they are at hand."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

from tests.audit.audited import audited

SHARED = os.environ.get("EMOHARBOR_SHARED")


@pytest.mark.skipif(SHARED is None, reason="EMOHARBOR_SHARED names no folder with the release")
def test_the_released_dialogues(tmp_path: Path) -> None:
    archive = Path(SHARED or "") / "data" / "worst_case" / "dialogues.tar.gz"
    with tarfile.open(archive) as release_of_it:
        release_of_it.extractall(tmp_path, filter="data")
    rows = audited(tmp_path / "worst_case")
    average, worst = "dialogue_ave_average", "dialogue_plain_worst"
    assert rows.share("dialogues")[1] == 800 and rows.whole["left_out"] == []
    assert [rows.share(key)[0] for key in ("failed", "empty", "silent", "torn")] == [0, 0, 0, 0]
    assert rows.share("unanswered") == (0, 800)
    assert rows.share("outside") == (22, 2142)
    assert rows.share("stage", average) == (1343, 5040)
    assert rows.share("stage", worst) == (123, 2142)
    assert rows.value("exchanges", average) == 12.6 and rows.value("exchanges", worst) == 5.355
    assert rows.share("supporter.again") == (21, 7182)
    # As published of all seventeen systems.
    tenths = ("length.p10", "length.median", "length.p90")
    assert [rows.value(key, average) for key in tenths] == [35.0, 66.0, 101.0]
