"""People of an evaluation do not get into training data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.building import built
from tests.here import emoharbor
from tests.imports.foreign_dialogues import CHAT, SEEKERS, release, write_json
from tests.profiles.crowd import people, spoilt, written
from tests.training.data.conftest import PEOPLE, Runs
from tests.training.data.sources import exported, finished_run, refused

PROBLEM = (
    "My sister took over our mother's bakery and I signed away my half without reading it, "
    "because I wanted to be generous in front of everybody. Now she is selling it."
)
RETOLD = (
    "My sister is selling our mother's bakery. I gave my half of it to her and never read what I "
    "signed: everybody was there, and generous is how I wanted to look."
)
OTHER = "Every night at three the lift stops on my floor, the doors open, and nobody gets out."
TOLD: dict[str, Any] = {
    "demographics": {"age": 52, "gender": "woman", "occupation": "dental nurse"},
    "counselling": {"problem": PROBLEM},
}


def evaluation(tmp_path: Path, **changes: Any) -> str:
    """One person of an evaluation: somebody else but for `changes`."""
    [other] = people("en", 41)[40:]
    other = spoilt(other, id="eval-1", demographics={"age": 23, "gender": "man"})
    return written(tmp_path / "evaluation.jsonl", [spoilt(other, **changes)])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dialogues of two: en-001, and train-2 of whom `TOLD` is told."""
    folder = tmp_path_factory.mktemp("leaks")
    first, other = people("en", 1)[0], people("en", 31)[30]
    known = [first, spoilt(other, id="train-2", **TOLD)]
    file = written(folder / "people.jsonl", known)
    return finished_run("average_case", folder / "run", profiles=file)


def test_people_who_have_nothing_in_common_pass(run: Path, tmp_path: Path) -> None:
    found = exported(tmp_path / "data", run, "--against", evaluation(tmp_path), "--validation", "0")
    assert found.people() == {"en-001", "train-2"}
    assert found.card["overlap"] == {
        "checked_against": [str(tmp_path / "evaluation.jsonl")],
        "people_there": 1,
        "pairs": [],
        "profiles_left_out": [],
        "notes": [],
    }
    assert "None found." in found.text


@pytest.mark.parametrize(
    "changes, who, why",
    [
        ({"id": "en-001"}, "en-001 and en-001", "the same id"),
        (
            {"counselling": {"problem": PROBLEM}},
            "train-2 and eval-1",
            "nearly the same text (1.00)",
        ),
        (
            {**TOLD, "counselling": {"problem": RETOLD}},
            "train-2 and eval-1",
            "the same demographics with a similar problem",
        ),
    ],
)
def test_a_made_up_pair_is_refused_or_left_out(
    run: Path, tmp_path: Path, changes: dict[str, Any], who: str, why: str
) -> None:
    against = evaluation(tmp_path, **changes)
    said = refused(tmp_path / "data", run, "--against", against, "--validation", "0")
    assert f"1 people of the training data are in {against} too: {who}: {why}" in said
    assert "leave these out with --drop-overlap" in said

    args = (run, "--against", against, "--validation", "0", "--drop-overlap")
    found = exported(tmp_path / "data", *args)
    training, _, other = who.partition(" and ")
    assert found.people() == {"en-001", "train-2"} - {training}
    [pair] = found.card["overlap"]["pairs"]
    assert (pair["training"], pair["evaluation"]) == (training, other)
    assert pair["why"][0].startswith(why)
    assert found.card["overlap"]["profiles_left_out"] == [training]
    assert found.card["removed"][f"people of {against}"] == 1
    assert f"- {who}: {why}" in found.text


@pytest.mark.parametrize(
    "changes",
    [
        {**TOLD, "counselling": {"problem": OTHER}},
        {"counselling": {"problem": RETOLD}},
        {**TOLD, "counselling": {"problem": RETOLD}, "demographics": {"age": 51}},
    ],
)
def test_one_thing_in_common_is_no_overlap(
    run: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    """Neither the same demographics nor a similar problem is enough alone."""
    against = evaluation(tmp_path, **changes)
    exported(tmp_path / "data", run, "--against", against, "--validation", "0")


def test_only_people_of_dialogues_that_are_left_count(runs: Runs, tmp_path: Path) -> None:
    """Somebody whom a filter leaves out anyway does not stop an export."""
    args = (runs.average, "--against", f"{runs.people}?risk=abuse", "--validation", "0")
    assert "en-006 and en-006: the same id" in refused(tmp_path / "data", *args)
    found = exported(tmp_path / "data", *args, "--risk", "none")
    assert len(found.people()) == PEOPLE - 1
    assert found.card["overlap"]["pairs"] == []


def test_against_a_run_and_several_at_once(run: Path, runs: Runs, tmp_path: Path) -> None:
    other = evaluation(tmp_path)
    args = ("--against", other, "--against", str(runs.worst), "--validation", "0")
    said = refused(tmp_path / "data", run, *args)
    assert f"in {other}, {runs.worst} too: en-001 and en-001" in said
    found = exported(tmp_path / "data", run, *args, "--drop-overlap")
    assert found.card["overlap"]["people_there"] == 1 + PEOPLE
    assert found.people() == {"train-2"}


def test_a_profile_and_the_draft_it_was_built_from(tmp_path: Path) -> None:
    """Nothing but the source ties them; the file of the profiles, and the build, both tell it."""
    draft = {
        "id": "seeker-7",
        "language": "en",
        "source": "worst_case: 7.json, entry 1",
        "lacks": ["demographics"],
        "notes": {"persona": "mark7 drives the early ferry"},
    }
    drafts = tmp_path / "drafts.jsonl"
    drafts.write_text(json.dumps(draft) + "\n", encoding="utf-8")
    made, _ = built(tmp_path / "build", seeds=drafts)
    assert [record.id for record in made.accepted] == ["p-001"]

    run = finished_run("average_case", tmp_path / "run", profiles=str(made.file))
    said = refused(tmp_path / "data", run, "--against", str(drafts), "--validation", "0")
    assert "p-001 and seeker-7: the same source (worst_case: 7.json, entry 1)" in said
    said = refused(tmp_path / "data", run, "--against", str(made.file.parent))
    assert "p-001 and p-001: the same id, the same source (worst_case: 7.json, entry 1)" in said


def test_people_of_another_project_and_of_imported_dialogues(tmp_path: Path) -> None:
    """The release's seekers as they come; what all of them are told is nobody's own."""
    whole = release(tmp_path / "release")
    assert (
        emoharbor("import", "worst-case", str(whole), "-o", str(tmp_path / "run")).returncode == 0
    )
    said = refused(
        tmp_path / "data", tmp_path / "run", "--against", str(whole / "profiles"),
        "--validation", "0",
    )  # fmt: skip
    for name in SEEKERS:
        assert f"{name} and 00{name}: nearly the same text (1.00)" in said


def test_people_who_cannot_be_compared_are_told(tmp_path: Path) -> None:
    """Imported dialogues of whose people nothing is said, and a profile that is another by now."""
    source, run = write_json(tmp_path / "chat.json", CHAT), tmp_path / "imported"
    assert emoharbor("import", "chat", str(source), "-o", str(run)).returncode == 0
    args = ("--against", evaluation(tmp_path), "--validation", "0")
    [note] = exported(tmp_path / "a", run, *args).card["overlap"]["notes"]
    assert note == f"{run}: nothing but the id is known of c-7"

    first, second = people("en", 2)
    file = written(tmp_path / "people.jsonl", [first, second])
    run = finished_run("average_case", tmp_path / "run", profiles=file)
    written(tmp_path / "people.jsonl", [spoilt(first, hard=not first["hard"]), second])
    found = exported(tmp_path / "b", run, *args)
    [note] = found.card["overlap"]["notes"]
    assert note == f"{run}: profiles that have changed since it was run: en-001"
    assert f"{note}." in found.text


@pytest.mark.parametrize(
    "against, says",
    [
        ("nowhere.jsonl", "no profiles 'nowhere.jsonl'"),
        ("en?topic=chess", "profiles 'en?topic=chess': none fits"),
    ],
)
def test_an_evaluation_that_cannot_be_read(
    run: Path, tmp_path: Path, against: str, says: str
) -> None:
    assert says in refused(tmp_path / "data", run, "--against", against)


def test_profiles_that_are_gone(tmp_path: Path) -> None:
    file = tmp_path / "people.jsonl"
    run = finished_run("average_case", tmp_path / "run", profiles=written(file, people("en", 2)))
    file.unlink()
    said = refused(tmp_path / "data", run, "--against", "zh")
    assert f"{run}: its people cannot be read (no profiles '{file}'" in said
    written(file, people("en", 1))
    said = refused(tmp_path / "data", run, "--against", "zh")
    assert f"{run}: profile en-002 is no more in its profiles" in said
