from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.errors import CheckpointError, ConfigError
from emoharbor.state.dialogue import Message
from tests.graphs.playing import compiled, config, play

OPENINGS = ("supporter", "user")


async def state_after(
    address: str, opening: Any, max_turns: int = 3, run: str = ""
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a dialogue ended with, and what is stored of it."""
    async with open_checkpointer(address, run) as saver:
        played = await play(opening=opening, saver=saver, max_turns=max_turns)
        snapshot = await compiled(opening=opening, saver=saver).aget_state(config())
    return played.state, dict(snapshot.values)


async def nothing(address: str) -> None:
    async with open_checkpointer(address):
        pytest.fail("it opened")


@pytest.mark.parametrize("opening", OPENINGS)
def test_every_store_ends_a_dialogue_alike(tmp_path: Path, opening: str) -> None:
    addresses = ["memory:", f"sqlite:///{tmp_path / 'c.sqlite'}"]
    results = [asyncio.run(state_after(address, opening)) for address in addresses]
    assert results[0] == results[1]
    final, kept = results[1]
    assert kept == final
    assert [type(item) for item in kept["h_s"]] == [Message] * 6
    assert {type(item) for item in kept["h_u"]} == {type(item) for item in final["h_u"]}
    assert kept["verdict"] is not None


def test_a_long_dialogue_is_restored_from_its_whole_copies(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'c.sqlite'}"
    final, kept = asyncio.run(state_after(address, "supporter", max_turns=70))
    assert kept == final
    assert [len(kept["h_s"]), len(kept["h_u"])] == [140, 210]


def test_a_file_holds_the_dialogue_when_it_is_opened_again(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'c.sqlite'}"
    final, _ = asyncio.run(state_after(address, "supporter"))

    async def look() -> dict[str, Any]:
        async with open_checkpointer(address) as saver:
            return dict((await compiled(saver=saver).aget_state(config())).values)

    assert asyncio.run(look()) == final


@pytest.mark.parametrize("address", ["", "memory", "sqlite:c.db", "mysql://x", "c.sqlite"])
def test_another_address_is_refused(address: str) -> None:
    with pytest.raises(ConfigError, match="sqlite:///PATH or memory: is wanted"):
        asyncio.run(nothing(address))


def unreadable(folder: Path) -> dict[str, Path]:
    (folder / "garbage.sqlite").write_bytes(b"not a database" * 500)
    (folder / "folder.sqlite").mkdir()
    names = ("garbage.sqlite", "folder.sqlite", "missing/c.sqlite")
    return {name: folder / name for name in names}


@pytest.mark.parametrize("name", ["garbage.sqlite", "folder.sqlite", "missing/c.sqlite"])
def test_a_file_that_cannot_be_read_is_named_and_leaves_nothing_open(
    tmp_path: Path, name: str
) -> None:
    path = unreadable(tmp_path)[name]
    before = threading.active_count()
    with pytest.raises(CheckpointError, match=name):
        asyncio.run(nothing(f"sqlite:///{path}"))
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join(timeout=2)
    assert threading.active_count() <= before


STRICT = """
import asyncio, sys
from langgraph.checkpoint.serde._msgpack import STRICT_MSGPACK_ENABLED
from tests.checkpoints.test_open import state_after
assert STRICT_MSGPACK_ENABLED
for address in sys.argv[2:]:
    final, kept = asyncio.run(state_after(address, "supporter", run=sys.argv[1]))
    assert kept == final, kept
    print(*(type(item).__name__ for item in kept["h_u"]), type(kept["verdict"]).__name__)
"""


def test_all_this_holds_in_strict_mode(tmp_path: Path, redis_url: str, run: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STRICT, run, f"sqlite:///{tmp_path / 'c.sqlite'}", redis_url],
        env={**os.environ, "LANGGRAPH_STRICT_MSGPACK": "true"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=120,
    )
    words = [*("Message Appraisal Message".split() * 3), "Verdict"]
    assert [line.split() for line in done.stdout.splitlines()] == [words, words], done
    assert "Blocked deserialization" not in done.stderr
