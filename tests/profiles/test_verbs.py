"""`profiles list`, `show` and `stats`: who there is, on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from emoharbor.profiles.filters import FILTERS as OF_ADDRESSES
from emoharbor.profiles.load import load_profiles
from emoharbor.verbs.profiles import FILTERS
from tests.here import emoharbor
from tests.people import leaves
from tests.profiles.crowd import people, spoilt, written
from tests.test_imports import imported


def listed(*args: str) -> list[str]:
    """The ids that `profiles list ARGS` prints."""
    told = emoharbor("profiles", "list", *args)
    assert told.returncode == 0, told.stderr
    return [line.split("│")[1].strip() for line in told.stdout.splitlines() if line[0] == "│"]


def test_every_filter_of_an_address_is_an_option() -> None:
    assert {"id", *FILTERS} == set(OF_ADDRESSES)


@pytest.mark.parametrize(
    "options, address",
    [
        (("en", "--topic", "work,grief"), "en?topic=work,grief"),
        (("--language", "zh", "--age", "18-30"), "zh?age=18-30"),
        (("zh", "--gender", "女", "--risk", "none"), "zh?gender=女&risk=none"),
        (("en", "--mbti", "istp,infp"), "en?mbti=istp,infp"),
        (("en", "--goal", "repair", "--no-hard"), "en?goal=repair&hard=false"),
        (("zh?risk=none", "--minor"), "zh?risk=none&minor=true"),
    ],
)
def test_options_are_the_filters_of_an_address(options: tuple[str, ...], address: str) -> None:
    assert listed(*options) == listed(address) == [p.id for p in load_profiles(address)]


def test_without_a_source_all_that_ship_are_listed() -> None:
    hard = [p.id for name in ("en", "zh") for p in load_profiles(f"{name}?hard=true")]
    assert listed("--hard") == hard


def test_marks_say_what_to_know_before_picking_somebody(tmp_path: Path) -> None:
    first, second = people(number=2)
    crowd = [spoilt(first, risk=["violence"], hard=True), spoilt(second, minor=True)]
    told = emoharbor("profiles", "list", written(tmp_path / "p.jsonl", crowd)).stdout
    assert "violence, hard" in told and "minor" in told


def test_chinese_columns_line_up() -> None:
    lines = emoharbor("profiles", "list", "zh", COLUMNS="100").stdout.splitlines()
    assert "懊悔" in "".join(lines)
    assert len({cell_len(line) for line in lines}) == 1


@pytest.mark.parametrize("person", ["en-001", "zh-003"])
def test_show_prints_every_word_of_a_person(person: str) -> None:
    told = "".join(emoharbor("profiles", "show", person).stdout.split())
    profile = load_profiles(person[:2] + f"?id={person}")[0]
    for _, text in leaves(profile.model_dump(exclude={"minor", "hard"})):
        assert "".join(str(text).split()) in told, text
    assert all(kind in told for kind in profile.scenario.reactions)


def test_show_takes_a_file_of_ones_own(tmp_path: Path) -> None:
    mine = written(tmp_path / "mine.jsonl", [spoilt(people()[0], id="me")])
    assert emoharbor("profiles", "show", "me", mine).stdout.startswith("me  (en)")


@pytest.mark.parametrize(
    "args, words",
    [
        (("show", "en-0001"), "no person 'en-0001' in en or zh; did you mean 'en-001'?"),
        (("list", "fr"), "no profiles 'fr'"),
        (("list", "--topic", "astronomy"), "none fits"),
        (("stats", "en", "--age", "old"), "age=old"),
        (("list", "en?topik=work"), "did you mean 'topic'?"),
    ],
)
def test_what_is_not_there_is_told(args: tuple[str, ...], words: str) -> None:
    told = emoharbor("profiles", *args)
    assert told.returncode == 2 and words in " ".join(told.stderr.split())


def test_stats_count_people(tmp_path: Path) -> None:
    one = people()[0]
    crowd = [spoilt(one, id=f"p{n}", demographics={"age": 20 + n // 3}) for n in range(31)]
    crowd[0]["preferences"]["big_five"]["openness"] = 5
    told = emoharbor("profiles", "stats", written(tmp_path / "p.jsonl", crowd)).stdout
    rows = {tuple(cell.strip() for cell in line.split("│")) for line in told.splitlines()}
    cells = {cell for row in rows for cell in zip(row, row[1:], strict=False)}
    assert {("20-29", "30"), ("30-39", "1"), ("ISTP", "31"), ("work", "31")} <= cells
    assert re.search(r"openness +│ +0 │ +30 │ +0 │ +0 │ +1 │", told)


def test_a_long_tail_is_summed_up(tmp_path: Path) -> None:
    one = people()[0]
    jobs = ["baker"] * 3 + [f"job {n:02}" for n in range(30)]
    crowd = [
        spoilt(one, id=f"p{n}", demographics={"occupation": job}) for n, job in enumerate(jobs)
    ]
    told = emoharbor("profiles", "stats", written(tmp_path / "p.jsonl", crowd)).stdout
    assert "occupation: 31 different" in told and "15 others" in told
    assert "job 14 " in told and "job 15 " not in told


def test_a_set_in_which_nobody_fits_is_left_out_of_several() -> None:
    told = emoharbor("profiles", "stats", "--gender", "女").stdout
    assert "zh?gender=女: " in told and "\nen" not in told


def test_looking_at_people_imports_nothing_heavy() -> None:
    heavy = {"langgraph", "langchain_core", "numpy", "pandas", "matplotlib"}
    assert not heavy & imported("profiles", "list", "en", says="en-001")
    assert not {*heavy, "yaml"} & imported("profiles", "--help", says="import")
