"""A judging that is killed or stopped goes on: no call is made twice, and nothing differs after."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from emoharbor.runs.folder import open_run
from tests.fake_openai import fake_openai
from tests.here import emoharbor as here
from tests.imports.foreign_dialogues import write_json
from tests.judging.judged import marks
from tests.judging.test_imported_judging import CHATS
from tests.runs.steady import Steady, emoharbor, told
from tests.runs.worst import people
from tests.served import lines_of

REPEATS, CUTS, STATES = 10, 5, 4
VERDICTS = REPEATS * CUTS


def args(url: str, tmp: Path, run: Path, *more: str) -> list[str]:
    """Two imported dialogues, whose five prefixes are judged ten times."""
    chats = write_json(tmp / "chats.json", CHATS)
    known = ("--profiles", people(tmp, "en", 2), "--repeats", str(REPEATS), "--every", "1")
    asked = ("--model", f"openai:judge@{url}", "--concurrency", "8", "--out", str(run))
    return ["judge", str(chats), *asked, *known, *more]


def judging(run: Path) -> Path:
    (folder,) = (run / "judged").iterdir()
    return folder


async def undisturbed(tmp: Path) -> dict[Any, Any]:
    async with fake_openai(Steady(pause=0)) as server:
        process = await emoharbor(*args(server.url, tmp, tmp / "run"))
        words = await process.communicate()
        assert process.returncode == 0, words
    return told(judging(tmp / "run"))


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    return asyncio.run(undisturbed(tmp_path_factory.mktemp("undisturbed")))


@pytest.mark.parametrize(
    ("number", "moment"),
    [(signal.SIGKILL, 2), (signal.SIGKILL, STATES + 21), (signal.SIGINT, STATES + 21)],
)
def test_a_stop_loses_and_repeats_nothing(
    tmp_path: Path, number: signal.Signals, moment: int, wanted: dict[Any, Any]
) -> None:
    async def go() -> dict[Any, Any]:
        steady = Steady(at=moment, pause=0.05)
        async with fake_openai(steady) as server:
            first = await emoharbor(*args(server.url, tmp_path, tmp_path / "run"))
            await steady.reached_by(first)
            first.send_signal(number)
            words = await first.communicate()
            stopped = 128 + number if number == signal.SIGINT else -number
            assert first.returncode == stopped, words
            assert number == signal.SIGKILL or b"The same command goes on" in words[0]
            before, kept = marks(tmp_path / "run"), journaled(tmp_path / "run")
            assert len(kept) < STATES + VERDICTS
            second = await emoharbor(*args(server.url, tmp_path, tmp_path / "run"))
            words = await second.communicate()
            assert second.returncode == 0, words
        assert not [call for call in kept if steady.asked[call] > 1]
        assert len(steady.asked) == STATES + VERDICTS
        assert marks(tmp_path / "run") == before
        return told(judging(tmp_path / "run"))

    assert asyncio.run(go()) == wanted


def journaled(run: Path) -> set[tuple[str, int]]:
    """The calls that journals hold, as the server counts them."""
    lines = [line for file in run.glob("*/*/calls.jsonl") for line in lines_of(file)]
    return {(e["model_asked"]["model"], e["seed"]) for e in lines if e["kind"] == "call"}


def test_a_limit_stops_it_and_resume_goes_on_from_its_folder_alone(tmp_path: Path) -> None:
    async def go() -> None:
        steady = Steady(pause=0)
        async with fake_openai(steady) as server:
            process = await emoharbor(
                *args(server.url, tmp_path, tmp_path / "run", "--max-calls", "20"), COLUMNS="80"
            )
            words = b"".join(await process.communicate()).decode()
            folder = judging(tmp_path / "run")
            assert process.returncode == 3, words
            assert f"Go on with: emoharbor resume {folder}\n" in words, "to be copied, not folded"
            assert 20 <= len(open_run(folder).records()) < VERDICTS
            process = await emoharbor("resume", str(folder))
            words = b"".join(await process.communicate()).decode()
            assert process.returncode == 0 and "are done already" in words, words
        assert set(steady.asked.values()) == {1} and len(steady.asked) == STATES + VERDICTS
        assert len(open_run(folder).records()) == VERDICTS

    asyncio.run(go())
    listed = here("runs", str(tmp_path / "run" / "judged")).stdout
    assert f"{VERDICTS} of {VERDICTS}" in listed and "finished" in listed
