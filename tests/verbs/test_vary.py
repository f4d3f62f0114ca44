"""`run --vary` and `controls`: a grid is run, stopped, gone on with, and reported on."""

from __future__ import annotations

import asyncio
import csv
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from emoharbor.runs.folder import open_run
from emoharbor.state.dialogue import Emotion
from emoharbor.state.profile import Language
from tests.fake_openai import fake_openai
from tests.here import emoharbor
from tests.processes import emoharbor as elsewhere
from tests.reports.obeying import obeys
from tests.runs.steady import Steady
from tests.runs.worst import people
from tests.served import lines_of, plays_all

LANGUAGES: tuple[Language, ...] = ("en", "zh")
ECHO = ("run", "worst_case", "--supporter", "bot=scripted:echo", "--model", "scripted:echo")
LOW = ("--vary", "engagement=ordinary,low")


def refused(*args: str, cwd: Path) -> str:
    done = emoharbor(*args, cwd=cwd)
    assert done.returncode == 2 and "Traceback" not in done.stderr, done.stdout + done.stderr
    return " ".join(done.stderr.split())


def args_of(
    url: str, folder: Path, out: Path, *more: str, language: Language = "en", count: int = 6
) -> list[str]:
    args = ["run", "worst_case", "--supporter", f"bot=openai:b@{url}", "--out", str(out)]
    args += ["--model", f"openai:m@{url}", "--language", language]
    return [*args, "--profiles", people(folder, language, count), *more]


def served(handler: Any, *calls: Callable[[str], list[str]]) -> list[tuple[int | None, str]]:
    """What came of one command after the other against one served model."""

    async def go() -> list[tuple[int | None, str]]:
        found = []
        async with fake_openai(handler) as server:
            for call in calls:
                done = await elsewhere(*call(server.url))
                words = b"".join(await done.communicate()).decode()
                found.append((done.returncode, words))
        return found

    return asyncio.run(go())


def effects(tables: Path) -> dict[tuple[str, str, str, str], dict[str, str]]:
    with (tables / "effects.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(r["control"], r["from"], r["to"], r["measure"]): r for r in rows}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_seeker_that_obeys_is_told_from_one_that_does_not(
    tmp_path: Path, language: Language
) -> None:
    out, tables = tmp_path / "grid", tmp_path / "tables"
    grid = [*LOW, "--vary", "resistance=ordinary,strong"]
    ((code, words),) = served(
        plays_all(obeys(language)),
        lambda url: args_of(url, tmp_path, out, *grid, "--turns", "2", language=language),
    )
    assert code == 0 and "Did the seeker obey?" in words and f"emoharbor controls {out}" in words
    done = emoharbor("controls", str(out), "-o", str(tables))
    assert done.returncode == 0, done.stderr
    found = effects(tables)
    low, strong = (
        {measure: row for (name, *_, measure), row in found.items() if name == control}
        for control in ("engagement", "resistance")
    )
    assert len(found) == 12
    assert {row["people"] for key, row in found.items() if "withheld" not in key[3]} == {"6"}
    for measure in ("length of a line", "facts told, %", "questions answered, %"):
        assert (low[measure]["meant"], low[measure]["found"]) == ("less", "as intended"), measure
        assert float(low[measure]["difference"]) < 0
    assert low["questions answered, %"]["difference"] == "-100.0"
    assert strong["lines that reject, %"]["found"] == "as intended"
    assert strong["lines that reject, %"]["difference"] == "100.0"
    # A longer line was not meant by it.
    assert strong["length of a line"]["found"] == "side effect"
    assert low["change of emotion"]["found"] == ""
    runs = (tables / "runs.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(runs) == 5 and all(row.endswith(",6,6,0") for row in runs[1:])


def test_all_else_is_the_same_in_every_combination(tmp_path: Path) -> None:
    out = tmp_path / "grid"
    ((code, _),) = served(
        plays_all(obeys("en")),
        lambda url: args_of(url, tmp_path, out, *LOW, "--turns", "8", count=3),
    )
    assert code == 0
    one, other = (open_run(out / f"engagement={level}").records() for level in ("ordinary", "low"))
    assert one.keys() == other.keys() and len(one) == 3
    drawn = []
    for key, record in one.items():
        assert record.seed == other[key].seed
        schedules = [
            [item.deteriorated for item in each.h_u if isinstance(item, Emotion)]
            for each in (record, other[key])
        ]
        assert schedules[0] == schedules[1]
        drawn += schedules[0]
        assert record.h_s[0].text != other[key].h_s[0].text
    assert any(drawn)


def test_a_signal_stops_a_grid_and_resume_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "grid"

    async def go() -> None:
        steady = Steady(at=12, pause=0.05)
        async with fake_openai(steady) as server:
            args = args_of(server.url, tmp_path, out, *LOW, "--turns", "2", count=3)
            first = await elsewhere(*args, "--concurrency", "2")
            await steady.reached_by(first)
            first.send_signal(signal.SIGINT)
            words = b"".join(await first.communicate()).decode()
            assert first.returncode == 130 and f"emoharbor resume {out}" in words, words
            second = await elsewhere("resume", str(out))
            words = b"".join(await second.communicate()).decode()
            assert second.returncode == 0 and "engagement=low (2 of 2)" in words, words
            assert "Did the seeker obey?" in words
            third = await elsewhere(*args)
            words = b"".join(await third.communicate()).decode()
            assert words.count("3 of 3 dialogues are done already") == 2

    asyncio.run(go())
    for level in ("ordinary", "low"):
        run = out / f"engagement={level}"
        assert len(open_run(run).records()) == 3
        keys = [
            (e["thread"], e["step"], e["node"], e["ordinal"], e["attempt"])
            for e in lines_of(run / "calls.jsonl")
            if e["kind"] == "call"
        ]
        assert len(keys) == len(set(keys))


def test_a_limit_holds_for_the_whole_grid(tmp_path: Path) -> None:
    out = tmp_path / "grid"
    # Three people, at one exchange: a profile, an emotion, a line, a reply and a verdict each.
    more = [*LOW, "--turns", "1", "--concurrency", "1", "--max-calls", "20"]
    (first, again, last) = served(
        plays_all(),
        lambda url: args_of(url, tmp_path, out, *more, count=3),
        lambda url: ["resume", str(out), "--max-calls", "20"],
        lambda url: ["resume", str(out)],
    )
    assert first[0] == 3 and "--max-calls" in first[1], first[1]
    assert again[0] == 3 and last[0] == 0, again[1] + last[1]
    calls = [
        entry
        for level in ("ordinary", "low")
        for entry in lines_of(out / f"engagement={level}" / "calls.jsonl")
    ]
    assert len([entry for entry in calls if entry["kind"] == "call"]) == 30


def test_failed_dialogues_are_counted_and_in_no_figure(tmp_path: Path) -> None:
    out = tmp_path / "grid"

    def change(role: str, body: dict[str, Any], nth: int) -> Any:
        words = json.dumps(body["messages"])
        return "" if role == "talker" and "You are only half here" in words else None

    ((code, words),) = served(
        plays_all(change), lambda url: args_of(url, tmp_path, out, *LOW, "--turns", "1", count=2)
    )
    assert code == 1 and "2 dialogues failed" in words and f"emoharbor resume {out}" in words
    told = emoharbor("controls", str(out), "--format", "csv").stdout
    assert "low,2,0,2" in told and "ordinary,2,2,0" in told and "nobody has it" in told


def test_levels_may_be_added_and_none_left_out(tmp_path: Path) -> None:
    short = (*ECHO, "--turns", "1", "--limit", "1", "--out", "grid")
    assert emoharbor(*short, *LOW, cwd=tmp_path).returncode == 0
    told = refused(*short, "--vary", "engagement=low,minimal", cwd=tmp_path)
    assert "holds the grid --vary engagement=ordinary,low" in told
    told = refused(*short, "--vary", "resistance=ordinary,strong", cwd=tmp_path)
    assert "holds the grid --vary engagement=ordinary,low" in told
    more = ("--vary", "engagement=ordinary,low,minimal")
    assert "another configuration" in refused(*short, *more, "--seed", "4", cwd=tmp_path)
    assert not (tmp_path / "grid" / "engagement=minimal").exists()
    done = emoharbor(*short, *more, cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.count("are done already") == 2
    assert (tmp_path / "grid" / "engagement=minimal" / "run.yaml").is_file()


def test_people_who_are_gone_are_a_note(tmp_path: Path) -> None:
    file = people(tmp_path, "en")
    args = (*ECHO, *LOW, "--turns", "1", "--profiles", file, "--out", "grid")
    assert emoharbor(*args, cwd=tmp_path).returncode == 0
    Path(file).unlink()
    done = emoharbor("controls", "grid", cwd=tmp_path)
    assert done.returncode == 0 and "its people cannot be read any more" in done.stdout


def test_dry_run_tells_the_whole_grid(tmp_path: Path) -> None:
    args = (*ECHO, *LOW, "--vary", "preset=average,hard,hardest", "--limit", "2", "--dry-run")
    done = emoharbor(*args, cwd=tmp_path)
    assert done.returncode == 0 and not list(tmp_path.iterdir())
    told = " ".join(done.stdout.split())
    assert "The same 6 times" in told and "engagement=low,preset=hardest" in told
    assert ": 12 dialogues" in told


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--vary", "engagment=low,minimal"), "no control 'engagment'; did you mean 'engagement'?"),
        (("--vary", "engagement=low,minimum"), "no level 'minimum'; did you mean 'minimal'?"),
        (("--vary", "engagement=low"), "two different levels are wanted"),
        (("--vary", "engagement=low,low"), "two different levels are wanted"),
        (("--vary", "engagement"), "CONTROL=LEVEL,LEVEL is wanted"),
        (("--vary", "engagement=low,"), "CONTROL=LEVEL,LEVEL is wanted"),
        ((*LOW, *LOW), "engagement is named twice"),
        ((*LOW, "--supporter", "two=scripted:echo"), "one supporter is wanted"),
        ((*LOW, "--as", "other"), "leave --as out"),
        ((*LOW, "--store", "redis://127.0.0.1:1/0"), "leave --store"),
        ((*LOW, "--set", "agents.talker.use=talker"), "the talker of worst_case is 'talker'"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    more = ("--set", "agents.talker.preset=hard") if "agents.talker.use=talker" not in args else ()
    told = refused(*ECHO, *more, *args, cwd=tmp_path)
    assert words in told and not list(tmp_path.iterdir())


def test_controls_is_of_a_grid(tmp_path: Path) -> None:
    assert "holds no grid" in refused("controls", "nowhere", cwd=tmp_path)
    args = (*ECHO, "--turns", "1", "--limit", "1", "--out", "run")
    assert emoharbor(*args, cwd=tmp_path).returncode == 0
    assert "holds no grid" in refused("controls", "run", cwd=tmp_path)
    assert "run holds a run" in refused(*args, *LOW, cwd=tmp_path)
