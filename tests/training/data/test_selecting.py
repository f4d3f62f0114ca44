"""Which dialogues are taken: filters, recipes, and the split by person."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from emoharbor.runs.folder import RunFolder
from tests.here import emoharbor
from tests.imports.foreign_dialogues import CHAT, write_json
from tests.profiles.crowd import people, spoilt, written
from tests.training.data.conftest import PEOPLE, Runs
from tests.training.data.sources import MODELS, Written, exported, finished_run, refused

ALL = ("--validation", "0")


def changed(run: Path, folder: Path, change: Any) -> Path:
    """A copy of a run; `change(number, record)` spoils a record."""
    folder.mkdir()
    for name in ("run.yaml", "calls.jsonl"):
        (folder / name).write_bytes((run / name).read_bytes())
    lines = (run / "records.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    for number, record in enumerate(records):
        change(number, record)
    (folder / "records.jsonl").write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    return folder


def spoil(number: int, record: dict[str, Any]) -> None:
    """Dialogue 0 is marked 2 all over, 1 has one dimension unmarked, 2 is given up after one."""
    scores = record["verdict"]["scores"]
    for score in scores.values():
        score["value"] = 2 if number == 0 else 4
    if number == 1:
        scores["empathetic"] = {"kind": "unscored", "cause": "no reply", "raw": ""}
    if number == 2:
        record["ending"]["reason"] = "user_gave_up"
        record["turns"] = 1


@pytest.mark.parametrize(
    "args, step, left_out",
    [
        (["--min-mean", "4"], "verdict mean at least 4", {0}),
        (["--min-score", "empathetic=3"], "empathetic at least 3", {0, 1}),
        (["--ending", "max_turns"], "ending max_turns", {2}),
        (["--ending", "user_gave_up", "--ending", "max_turns"], "", set()),
        (["--exchanges", "2-9"], "at least 2 exchanges", {2}),
        (["--exchanges", "-1"], "at most 1 exchanges", {0, 1, *range(3, 12)}),
        (["--exchanges", "1"], "at most 1 exchanges", {0, 1, *range(3, 12)}),
        (["--language", "en"], "language en", set()),
    ],
)
def test_a_filter_leaves_out_what_it_says_and_is_counted(
    runs: Runs, tmp_path: Path, args: list[str], step: str, left_out: set[int]
) -> None:
    run = changed(runs.average, tmp_path / "run", spoil)
    cells = ["/".join(map(str, cell)) for cell in RunFolder(run).records()]
    found = exported(tmp_path / "data", run, *ALL, *args)
    kept = {row["metadata"]["cell"] for row in found.every}
    assert {n for n, cell in enumerate(cells) if cell not in kept} == left_out
    assert found.card["removed"].get(step, 0) == len(left_out)
    assert sum(found.card["removed"].values()) == len(left_out)


def test_a_supporter_alone(runs: Runs, tmp_path: Path) -> None:
    found = exported(tmp_path / "data", runs.opened, *ALL, "--supporter", "bot")
    assert found.cells == ["emoharbor bot/en-001/0", "emoharbor bot/en-002/0"]
    assert found.card["removed"]["supporter bot"] == 2


def test_the_risk_of_the_profiles(tmp_path: Path) -> None:
    crowd = [spoilt(one, risk=[]) for one in people("en", 3)]
    crowd[1]["risk"], crowd[2]["risk"] = ["abuse"], ["self_harm", "abuse"]
    file = written(tmp_path / "people.jsonl", crowd)
    run = finished_run("average_case", tmp_path / "run", profiles=file)

    def kept(risk: str) -> set[str]:
        return exported(tmp_path / risk, run, *ALL, "--risk", risk).people()

    assert kept("none") == {"en-001"}
    assert kept("self_harm") == {"en-003"}
    assert kept("none,abuse") == {"en-001", "en-002", "en-003"}


def test_failed_dialogues_and_repeated_texts_are_left_out(runs: Runs, tmp_path: Path) -> None:
    twice = changed(runs.average, tmp_path / "twice", lambda number, record: None)

    def fail(number: int, record: dict[str, Any]) -> None:
        if number < 3:
            record["verdict"] = None
            record["failure"] = {
                "error": "ModelError", "cause": "timeout", "message": "no answer",
                "node": "talker", "turn": 1,
            }  # fmt: skip

    broken = changed(runs.worst, tmp_path / "broken", fail)
    found = exported(tmp_path / "data", runs.average, twice, broken, *ALL)
    assert found.card["removed"]["failed"] == 3
    assert found.card["removed"]["the same text as another"] == 12
    assert len(found.every) == 12 + 9


@pytest.mark.parametrize(
    "recipe, arms",
    [("average", {"average": 12}), ("worst", {"worst": 12}), ("mix", {"average": 12, "worst": 12})],
)
def test_a_recipe_takes_its_arms(
    runs: Runs, tmp_path: Path, recipe: str, arms: dict[str, int]
) -> None:
    found = exported(tmp_path / "data", runs.average, runs.worst, *ALL, "--recipe", recipe)
    assert Counter(row["metadata"]["arm"] for row in found.every) == arms
    assert found.card["recipe"] == {"name": recipe, "counts": {}, "arms": arms}
    assert found.card["removed"]["another arm"] == 24 - sum(arms.values())


def test_a_mix_takes_as_many_of_each_arm(runs: Runs, tmp_path: Path) -> None:
    def spoil_half(number: int, record: dict[str, Any]) -> None:
        record["turns"] = number % 2

    short = changed(runs.worst, tmp_path / "short", spoil_half)
    args = (runs.average, short, *ALL, "--recipe", "mix", "--exchanges", "1-")
    found = exported(tmp_path / "data", *args)
    assert Counter(row["metadata"]["arm"] for row in found.every) == {"average": 6, "worst": 6}


def test_what_is_drawn_is_balanced_by_profile(runs: Runs, tmp_path: Path) -> None:
    args = (runs.average, runs.worst, *ALL, "--recipe", "mix")
    found = exported(tmp_path / "data", *args, "--count", "average=6,worst=9")
    drawn = Counter((row["metadata"]["arm"], row["metadata"]["profile"]) for row in found.every)
    assert [n for (arm, _), n in drawn.items() if arm == "average"] == [1] * PEOPLE
    assert sorted(n for (arm, _), n in drawn.items() if arm == "worst") == [1, 1, 1, 2, 2, 2]
    assert found.card["removed"]["not drawn"] == 9


def test_a_seed_draws_the_same_again_and_another_one_others(runs: Runs, tmp_path: Path) -> None:
    def drawn(name: str, *args: str) -> Written:
        return exported(tmp_path / name, runs.average, "--count", "6", *args)

    first, again, other = drawn("a"), drawn("b", "--seed", "0"), drawn("c", "--seed", "7")
    assert first.card["files"] == again.card["files"]
    assert first.cells != other.cells


def test_nobody_stands_in_both_splits(runs: Runs, tmp_path: Path) -> None:
    args = (runs.average, runs.worst, "--validation", "0.3")
    found = exported(tmp_path / "data", *args)
    train, validation = found.people("train"), found.people("validation")
    assert not train & validation
    assert (len(train), len(validation)) == (PEOPLE - 2, 2)
    assert len(found.every) == 24
    assert found.card["splits"]["validation"]["profiles"] == 2
    other = exported(tmp_path / "other", *args, "--seed", "3")
    assert other.people("validation") != validation


def test_dialogues_without_a_verdict_pass_only_where_none_is_asked_for(tmp_path: Path) -> None:
    source, run = write_json(tmp_path / "chat.json", CHAT), tmp_path / "run"
    assert emoharbor("import", "chat", str(source), "-o", str(run)).returncode == 0
    said = refused(tmp_path / "data", run, *ALL, "--min-mean", "3")
    assert "none of these dialogues has a verdict" in said
    assert len(exported(tmp_path / "data", run, *ALL).every) == 1


@pytest.mark.parametrize(
    "args, says",
    [
        (["--min-mean", "9"], "--min-mean 9.0: a mark from 1 to 5 is wanted"),
        (["--min-score", "empathetic"], "DIMENSION=MARK is wanted"),
        (["--min-score", "emphatetic=4"], "did you mean 'empathetic'?"),
        (["--ending", "satisfied"], "did you mean 'user_satisfied'?"),
        (["--exchanges", "many"], "--exchanges many: a number or a range is wanted"),
        (["--exchanges", "9-2"], "no dialogue is that long and that short"),
        (["--language", "fr"], "--language fr; known: en, zh"),
        (["--risk", "selfharm"], "did you mean 'self_harm'?"),
        (["--supporter", "bott"], "--supporter bott: no dialogue has it; did you mean 'bot'?"),
        (["--recipe", "worse"], "did you mean 'worst'?"),
        (["--count", "0"], "--count 0: a number is wanted"),
        (["--count", "average=3"], "with --recipe mix as in average=60,worst=40"),
        (["--recipe", "mix", "--count", "average=3"], "as in average=60,worst=40"),
        (["--count", "13"], "13 dialogues are wanted, 12 are left"),
        (["--recipe", "average", "--count", "13"], "wanted in the average case, 12 are left"),
        (["--recipe", "mix"], "--recipe mix: one arm has no dialogue"),
        (["--recipe", "worst"], "no dialogue is left. Left out: another arm: 12"),
        (["--validation", "1"], "a share from 0 to below 1 is wanted"),
        (["--validation", "0.95"], "of 6 profiles nobody would be left for training"),
        (["--ending", "user_left"], "no dialogue is left. Left out: ending user_left: 12"),
    ],
)
def test_a_slip_is_told(runs: Runs, tmp_path: Path, args: list[str], says: str) -> None:
    assert says in refused(tmp_path / "data", runs.average, *args)


def test_a_run_of_neither_arm_is_refused_by_a_recipe(runs: Runs, tmp_path: Path) -> None:
    said = refused(tmp_path / "data", runs.opened, runs.worst, "--recipe", "mix")
    assert f"{runs.opened} is of suite 'emoharbor', which is no arm" in said


def test_what_cannot_be_exported(runs: Runs, tmp_path: Path) -> None:
    out = tmp_path / "data"
    assert "holds no run: there is no run.yaml" in refused(out, tmp_path)
    assert "did you mean 'chat'?" in refused(out, runs.average, form="chats")
    out.mkdir()
    (out / "train.json").write_text("mine")
    assert f"{out} holds train.json already" in refused(out, runs.average)
    assert (out / "train.json").read_text() == "mine"


def test_one_person_is_not_split(tmp_path: Path) -> None:
    run = finished_run("average_case", tmp_path / "run", limit=1)
    said = refused(tmp_path / "data", run)
    assert "of 1 profile nobody would be left for training" in said and "--validation 0" in said


def test_a_run_in_redis(redis_url: str, run: str, tmp_path: Path) -> None:
    args = ["--supporter", "bot=scripted:tests.training.data.scripts:bot", "--turns", "1"]
    args += ["--model", MODELS["model"], "--judge", MODELS["judge"], "--limit", "2"]
    done = emoharbor(
        "run", "average_case", *args, "--out", str(tmp_path / run), "--store", redis_url
    )
    assert done.returncode == 0, done.stderr
    found = exported(tmp_path / "data", tmp_path / "elsewhere" / run, *ALL, "--store", redis_url)
    assert found.people() == {"en-001", "en-002"}
    assert found.card["system_texts"][0]["text"]
