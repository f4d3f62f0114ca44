"""What is the run folder's file alone: cost, formats, a full disk, a second reader."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from emoharbor.checkpoints.sqlite import SqliteSaver, SqliteThreads
from emoharbor.checkpoints.storage import Change
from emoharbor.errors import CheckpointError
from tests.checkpoints.growing import at, play, put, row, says, state
from tests.graphs.playing import compiled, context
from tests.people import make_profile


def bytes_of(folder: Path, turns: int) -> int:
    """What a dialogue of so many exchanges leaves on the disk."""
    path = folder / f"{turns}.sqlite"

    async def use() -> None:
        async with SqliteSaver.open(path) as saver:
            given = context(make_profile(), max_turns=turns)
            graph = compiled(saver=saver)
            await graph.ainvoke({"turn": 0}, at(), context=given, durability="sync")

    asyncio.run(use())
    assert [file.name for file in folder.iterdir() if file.name.startswith(str(turns))] == [
        path.name
    ]
    return path.stat().st_size


def test_a_file_grows_with_the_dialogue_and_not_with_its_square(tmp_path: Path) -> None:
    assert bytes_of(tmp_path, 30) / bytes_of(tmp_path, 15) <= 2.2


def test_what_a_step_wrote_is_stored_once(tmp_path: Path) -> None:
    async def use() -> list[str]:
        async with SqliteSaver.open(tmp_path / "c") as saver:
            words: list[str] = (await play(row(saver, *[says("w" * 1000)] * 10), words=["x"]))[
                "words"
            ]
            return words

    assert asyncio.run(use()) == ["x", *["w" * 1000] * 10]
    assert (tmp_path / "c").read_bytes().count(b"w" * 1000) == 10


def test_a_file_of_another_format_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE checkpoints (thread_id TEXT)")

    async def use() -> None:
        async with SqliteSaver.open(path):
            pytest.fail("it opened")

    with pytest.raises(CheckpointError, match=r"c\.sqlite is kept in format 0, .* knows 1"):
        asyncio.run(use())
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("checkpoints",)]


def test_a_full_disk_says_so_and_spoils_nothing(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"

    async def use() -> None:
        async with SqliteThreads.open(path) as threads:
            saver = SqliteSaver(threads)
            last = await put(saver, "t")
            threads.connection.execute("PRAGMA max_page_count = 20")
            with pytest.raises(CheckpointError, match=r"c\.sqlite: database or disk is full"):
                for step in range(1, 1000):
                    await threads.change("fill", Change(put={str(step): b"x" * 10_000}))
                    last = await put(saver, "t", last, step)
            kept = await saver.aget_tuple(at())
            assert kept and kept.checkpoint["id"] == last
            threads.connection.execute("PRAGMA max_page_count = 1000")
            await put(saver, "t", last, step=99)

    asyncio.run(use())


def test_a_refused_change_is_refused_alone(tmp_path: Path) -> None:
    async def use() -> None:
        async with SqliteThreads.open(tmp_path / "c.sqlite") as threads:
            no = Change(put={"a": b"1", "b": b"2"}, expect=("a", b"0"), conflict="not so")
            results = await asyncio.gather(
                threads.change("s", Change(put={"a": b"1"})),
                threads.change("t", no),
                threads.change("u", Change(put={"a": b"3"})),
                return_exceptions=True,
            )
            assert [str(result) for result in results] == ["None", "not so", "None"]
            assert await threads.names() == ["s", "u"]

    asyncio.run(use())


def test_a_second_process_may_look_while_the_first_writes(tmp_path: Path) -> None:
    async def use() -> None:
        async with SqliteSaver.open(tmp_path / "c") as one, SqliteSaver.open(tmp_path / "c") as two:
            await play(row(one, says("a")), words=["x"])
            assert (await state(row(two, says("a"))))["words"] == ["x", "a"]

    asyncio.run(use())
