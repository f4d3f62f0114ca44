"""Append-only files: torn lines, full disks, odd characters."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from emoharbor.errors import CheckpointError
from emoharbor.runs.jsonl import Appender, read_at, read_lines
from emoharbor.runs.lines import FileLines

FULL = """
import asyncio, resource, signal, sys
from pathlib import Path
from emoharbor.errors import CheckpointError
from emoharbor.runs.jsonl import Appender

async def main() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    file = Appender(Path(sys.argv[1]))
    try:
        for n in range(100):
            file.append({"n": n, "text": "x" * 150})
    except CheckpointError as error:
        print("told:", error)
    file.close()

asyncio.run(main())
"""


def appended(path: Path, *values: dict[str, object]) -> list[int]:
    async def go() -> list[int]:
        file = Appender(path)
        starts = [file.append(value) for value in values]
        file.close()
        return starts

    return asyncio.run(go())


def test_what_is_appended_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    starts = appended(path, {"n": 1}, {"t": "line\u2028end\u0085 \u0000 ４ 👩‍👧"}, {"n": 3})
    assert [value for _, value in read_lines(path)][1]["t"] == "line\u2028end\u0085 \u0000 ４ 👩‍👧"
    assert read_at(path, starts[2]) == {"n": 3}
    assert len(path.read_text("utf-8").splitlines()) == 3


@pytest.mark.parametrize("tail", [b'{"n": 2, "te', b"{", '{"t": "半'.encode()[:-1]])
def test_a_torn_last_line_is_no_loss(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "a.jsonl"
    appended(path, {"n": 1})
    path.write_bytes(path.read_bytes() + tail)
    assert [value for _, value in read_lines(path)] == [{"n": 1}]
    appended(path, {"n": 2})
    assert [value for _, value in read_lines(path)] == [{"n": 1}, {"n": 2}]


def test_a_whole_line_without_its_end_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"n": 1}', encoding="utf-8")
    appended(path, {"n": 2})
    assert [value for _, value in read_lines(path)] == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("line", ["{torn", "[1, 2]", "null"])
def test_a_broken_line_in_the_middle_is_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"n": 1}}\n{line}\n{{"n": 2}}\n', encoding="utf-8")
    with pytest.raises(CheckpointError, match="line 2"):
        list(read_lines(path))


def test_a_file_that_grows_is_read_on_from_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    starts = appended(path, {"n": 1}, {"n": 2, "t": "半"})
    assert [value["n"] for _, value in read_lines(path, starts[0])] == [2]
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"n": 3')
    assert list(read_lines(path, starts[1])) == []
    path.write_bytes(whole + b'{"n": 3}\n[4]\n')
    with pytest.raises(CheckpointError, match="line 4"):
        list(read_lines(path, starts[1]))
    path.write_bytes(whole + b'{"n": 3}\n')
    assert list(read_lines(path, starts[1])) == [(len(whole), {"n": 3})]


def test_a_full_disk_is_told_and_corrupts_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, check=True
    )
    assert "told: cannot write" in done.stdout
    lines = path.read_text("utf-8").splitlines()
    assert [json.loads(line)["n"] for line in lines] == list(range(len(lines)))
    assert 5 < len(lines) < 20


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot write"):
        FileLines(tmp_path / "nowhere" / "a.jsonl")
