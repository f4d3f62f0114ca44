"""`emoharbor judge`, and what the other verbs do with what it leaves."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.runs.folder import open_run
from tests.here import emoharbor
from tests.imports.foreign_dialogues import CHAT, write_lines
from tests.judging.judged import marks
from tests.small_runs import echo_run
from tests.test_imports import heavy

STRATEGIES = ("--strategy", "standard", "--strategy", "user_aware")


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three exchanges that two strategies have judged, each twice, after each exchange."""
    run = echo_run(tmp_path_factory.mktemp("judged") / "zh", max_turns=3, language="zh").path
    before = marks(run)
    more = ("--repeats", "2", "--every", "1")
    done = emoharbor("judge", str(run), "--model", "scripted:echo", *STRATEGIES, *more)
    assert done.returncode == 0, done.stderr
    assert "zh judged by scripted:echo, standard, emoharbor-10" in done.stdout
    assert "zh judged by scripted:echo, user_aware, emoharbor-10" in done.stdout
    assert done.stdout.count("1.00 ±0.00 (2/0)") == 20
    assert marks(run) == before
    return run


def folder_of(run: Path, strategy: str) -> Path:
    return run / "judged" / f"scripted-echo--{strategy}--emoharbor-10"


def test_each_judge_and_strategy_has_a_folder(judged: Path) -> None:
    folders = sorted(path.name for path in (judged / "judged").iterdir())
    assert folders == sorted(folder_of(judged, s).name for s in ("standard", "user_aware"))
    for strategy in ("standard", "user_aware"):
        records = open_run(folder_of(judged, strategy)).records()
        assert len(records) == 6
        assert {r.verdict.strategy for r in records.values() if r.verdict} == {strategy}


def test_show_tells_the_marks_and_one_verdict(judged: Path) -> None:
    folder = str(folder_of(judged, "user_aware"))
    whole = emoharbor("show", folder).stdout
    assert "mood_improvement" in whole and "verdicts on prefixes" in whole
    assert "bot/zh-001/0@2#1" in whole and "judged up to exchange 2" in whole
    assert "Model calls" not in whole
    one = emoharbor("show", folder, "bot/zh-001/0@2#1").stdout
    assert "Verdict (emoharbor-10, user_aware)" in one and "[4]" in one and "[5]" not in one
    assert "[6]" in emoharbor("show", folder, "zh-001/0").stdout
    asked = emoharbor("show", folder, "zh-001/0@1", "--prompts", "evaluator").stdout
    assert "== call at step" in asked and "<transcript>" in asked


def test_showing_it_imports_nothing_that_judges(judged: Path) -> None:
    folder = str(folder_of(judged, "standard"))
    assert not heavy("show", folder, says="dialogues judged")
    assert not heavy("judge", "--help", says="--strategy")


def test_runs_and_resume_know_it(judged: Path) -> None:
    listed = emoharbor("runs", str(judged / "judged")).stdout
    assert listed.count("6 of 6") == 2 and listed.count("finished") == 2
    done = emoharbor("resume", str(folder_of(judged, "standard")))
    assert done.returncode == 0 and "6 of 6 verdicts are done already" in done.stdout


def test_it_goes_with_its_run_wherever_that_is_moved(judged: Path, tmp_path: Path) -> None:
    shutil.copytree(judged, tmp_path / "elsewhere")
    done = emoharbor("resume", str(folder_of(tmp_path / "elsewhere", "standard")))
    assert done.returncode == 0 and "6 of 6 verdicts are done already" in done.stdout
    assert emoharbor("delete", str(tmp_path / "elsewhere"), "--yes").returncode == 0
    gone = emoharbor("resume", str(folder_of(tmp_path / "elsewhere", "standard")))
    assert gone.returncode == 2 and "holds no run" in gone.stderr


def test_what_needs_a_run_of_dialogues_says_that_it_is_none(judged: Path) -> None:
    folder = str(folder_of(judged, "standard"))
    echo = ("--supporter", "bot=scripted:echo", "--model", "scripted:echo")
    for args, words in (
        (("judge", folder, "--model", "scripted:echo"), "judge the run 'zh' it is of"),
        (("history", folder, "zh-001"), "is of a judging of recorded dialogues"),
        (("replay", folder), "is of a judging of recorded dialogues"),
        (("fork", folder, "zh-001", "--at-turn", "1"), "is of a judging of recorded dialogues"),
        (("run", "emoharbor", *echo, "--out", folder), "holds a judging"),
    ):
        told = emoharbor(*args)
        assert told.returncode == 2 and words in " ".join(told.stderr.split()), args


def test_a_judging_is_not_put_over_a_run(judged: Path, tmp_path: Path) -> None:
    other = tmp_path / "out" / "judged" / folder_of(judged, "standard").name
    echo_run(other)
    args = ("--model", "scripted:echo", "--strategy", "standard", "--out", str(tmp_path / "out"))
    told = emoharbor("judge", str(judged), *args)
    assert told.returncode == 2 and "holds a run already" in told.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("nowhere",), "nowhere holds no run"),
        ((".",), "holds runs; name one of them, as in run"),
        (("run", "--rubric", "emoharbor-11"), "no rubric 'emoharbor-11' in en"),
        (("run", "--set", "agents.evaluator.use=scripted"), "agents.evaluator"),
        (("run", "--max-calls", "0"), "--max-calls 0"),
        (("run", "--profiles", "zh"), "the user of bot/en-001/0 is 'en-001'"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    echo_run(tmp_path / "run")
    told = emoharbor("judge", *args, "--model", "scripted:echo", cwd=tmp_path)
    assert told.returncode == 2 and words in " ".join(told.stderr.split())
    assert not (tmp_path / "run" / "judged").exists()


def test_a_file_of_dialogues_becomes_a_run_and_is_judged(tmp_path: Path) -> None:
    write_lines(tmp_path / "my chats.jsonl", [CHAT, {"messages": ["hi"]}])
    more = ("--strategy", "standard", "--limit", "1")
    done = emoharbor("judge", "my chats.jsonl", "--model", "scripted:echo", *more, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "line 1 is no object with 'role'" in done.stdout
    run = tmp_path / "runs" / "my-chats"
    (record,) = open_run(folder_of(run, "standard")).records().values()
    assert record.verdict and record.judging and record.judging.run == "my-chats"


def test_a_rubric_of_ones_own_is_found_again_from_elsewhere(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "run").path
    warmth: dict[str, Any] = {
        "key": "warmth",
        "short": "W",
        "title": "Warmth",
        "facet": "all",
        "question": "Warm?",
    }
    warmth["levels"] = {n: f"level {n}" for n in range(1, 6)}
    rubric: dict[str, Any] = {
        "name": "mine",
        "language": "en",
        "version": 1,
        "dimensions": [warmth],
    }
    rubric["facets"] = [{"key": "all", "title": "All"}]
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(rubric))
    args = ("--model", "scripted:echo", "--rubric", "mine.yaml")
    done = emoharbor("judge", str(run), *args, cwd=tmp_path)
    assert done.returncode == 0 and "warmth" in done.stdout, done.stderr
    folder = run / "judged" / "scripted-echo--internal_state_aware--mine"
    assert emoharbor("resume", str(folder)).returncode == 0
