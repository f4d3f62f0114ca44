"""`emoharbor generate`: run, filter and export in one, on the command line."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from emoharbor.flags import suite_from_flags
from emoharbor.stats.cost import load_prices
from emoharbor.training.data.estimate import Estimate, estimate
from tests.here import emoharbor
from tests.profiles.crowd import people, written
from tests.served import lines_of
from tests.training.data.sources import HERE, MODELS, Written

SUPPORTER = ("--supporter", f"strong={HERE}:bot")
USERS = ("--model", MODELS["model"], "--judge", MODELS["judge"])


def generate(out: Path, *args: str) -> CompletedProcess[str]:
    done = emoharbor("generate", *args, *SUPPORTER, *USERS, "--turns", "2", "-o", str(out))
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def crowd(tmp_path: Path) -> str:
    return written(tmp_path / "people.jsonl", people("en", 4))


def test_a_mix_is_run_filtered_and_written_and_nothing_twice(crowd: str, tmp_path: Path) -> None:
    out = tmp_path / "data"
    args = ["--recipe", "mix", "--profiles", crowd, "--repeats", "2", "--format", "hf"]
    args += ["--min-score", "safety=3", "--against", "zh?age=20-22", "--validation", "0.25"]
    done = generate(out, *args)
    assert done.returncode == 0, done.stderr
    assert "average_case" in done.stdout and "worst_case" in done.stdout
    found = Written(out)
    assert {run["arm"]: run["suite"] for run in found.card["runs"]} == {
        "average": "average_case",
        "worst": "worst_case",
    }
    assert found.card["recipe"]["arms"] == {"average": 4, "worst": 4}
    assert found.card["removed"]["safety at least 3"] == 8
    assert not found.people("train") & found.people("validation")

    again, calls = generate(out, *args), lines_of(out / "runs" / "worst" / "calls.jsonl")
    assert again.returncode == 0, again.stderr
    assert lines_of(out / "runs" / "worst" / "calls.jsonl") == calls
    assert Written(out).card["files"] == found.card["files"]


def test_the_card_says_what_is_there(crowd: str, tmp_path: Path) -> None:
    out = tmp_path / "data"
    assert generate(out, "--recipe", "worst", "--profiles", crowd, "--seed", "5").returncode == 0
    found = Written(out)
    card = found.card
    assert card["format"] == "emoharbor-training-data-1" and card["emoharbor"] == "0.1.0"
    assert card["seed"] == 5 and card["data_format"] == "chat"
    assert card["splits"]["train"] == {
        "dialogues": 3,
        "profiles": 3,
        "dialogues_a_profile": [1, 1],
        "supporter_lines": 6,
        "supporter_characters": sum(
            len(m["content"])
            for row in found.rows("train")
            for m in row["messages"]
            if m["role"] == "assistant"
        ),
        "verdict_mean": card["splits"]["train"]["verdict_mean"],
    }
    assert card["supporters"] == {"strong": 4} and card["endings"] == {"max_turns": 4}
    assert card["languages"] == {"en": 4}
    assert card["models"]["talker"] == {MODELS["model"]: 4}
    assert card["models"]["supporter"] == {f"{HERE}:bot": 4}
    for name, about in card["files"].items():
        data = (out / name).read_bytes()
        assert about == {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        assert about["sha256"] in found.text
    for words in ("Not for clinical use", "Not checked", "max_turns 4", f"{HERE}:bot 4"):
        assert words in found.text


def test_another_format_takes_the_place_of_the_first(crowd: str, tmp_path: Path) -> None:
    out, args = tmp_path / "data", ("average_case", "--profiles", crowd)
    assert generate(out, *args).returncode == 0
    assert generate(out, *args, "--format", "alpaca").returncode == 0
    files = {path.name for path in out.iterdir() if path.is_file()}
    assert files == {"train.json", "validation.json", "data_card.json", "DATA_CARD.md"}


def test_a_dry_run_tells_the_cost_and_writes_nothing(crowd: str, tmp_path: Path) -> None:
    done = generate(tmp_path / "data", "--recipe", "mix", "--profiles", crowd, "--dry-run")
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if "_case" in line]
    # Two exchanges: talker and supporter, in the worst case the thinker too, then the judge; and
    # once for each person the cleaning of the profile.
    assert [[cell.strip() for cell in row.split("│")][2:5] for row in rows] == [
        ["4", "0", str(4 * (2 * 2 + 1 + 1))],
        ["4", "0", str(4 * (3 * 2 + 1 + 1))],
    ]
    assert not (tmp_path / "data").exists()


def test_people_of_the_evaluation_are_refused_before_anybody_is_asked(
    crowd: str, tmp_path: Path
) -> None:
    out, args = tmp_path / "data", ("--recipe", "average", "--profiles", crowd)
    done = generate(out, *args, "--against", f"{crowd}?id=en-002")
    assert done.returncode == 2 and "en-002 and en-002: the same id" in done.stderr
    assert not out.exists()
    done = generate(out, *args, "--against", f"{crowd}?id=en-002", "--drop-overlap")
    assert done.returncode == 0, done.stderr
    found = Written(out)
    assert found.people("train") | found.people("validation") == {"en-001", "en-003", "en-004"}
    assert found.card["overlap"]["profiles_left_out"] == ["en-002"]
    records = lines_of(out / "runs" / "average" / "records.jsonl")
    assert {record["profile"] for record in records} == {"en-001", "en-003", "en-004"}


def test_a_limit_stops_it_and_the_same_command_goes_on(crowd: str, tmp_path: Path) -> None:
    out = tmp_path / "data"
    args = ("--recipe", "mix", "--profiles", crowd)
    done = generate(out, *args, "--max-calls", "20")
    assert done.returncode == 3, done.stderr
    assert "The same command goes on" in done.stdout
    assert not (out / "data_card.json").exists()
    done = generate(out, *args)
    assert done.returncode == 0, done.stderr
    assert len(Written(out).every) == 8


def test_failed_dialogues_do_not_keep_the_others_back(crowd: str, tmp_path: Path) -> None:
    """The data is written without them, and the exit code says so."""
    out = tmp_path / "data"
    users = ("--model", f"{HERE}:stumbling", "--judge", MODELS["judge"])
    args = ("average_case", "--profiles", crowd, *SUPPORTER, *users, "--turns", "1")
    done = emoharbor("generate", *args, "-o", str(out))
    assert done.returncode == 1, done.stderr
    assert f"1 dialogues failed; try them again with: emoharbor resume {out}" in done.stdout
    found = Written(out)
    assert found.card["removed"]["failed"] == 1
    assert {row["metadata"]["profile"] for row in found.every} == {"en-002", "en-003", "en-004"}


def test_the_suite_of_the_other_arm_goes_with_the_one_named(tmp_path: Path) -> None:
    args = ("worst_case_as_published", "--recipe", "mix", "--limit", "2", "--dry-run")
    done = generate(tmp_path / "data", *args)
    assert "average_case_as_published" in done.stdout and done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "args, says",
    [
        ([], "a SUITE is wanted, or --recipe average, worst or mix"),
        (["worst_case", "--recipe", "average"], "--recipe average takes one of average_case"),
        (["emoharbor", "--recipe", "mix"], "takes one of average_case and one of worst_case"),
        (["worst_csae"], "did you mean 'worst_case'?"),
        (["worst_case", "--max-calls", "0"], "--max-calls 0: a number above 0 is wanted"),
        (["worst_case", "--format", "csv"], "--format csv"),
        (["worst_case", "--against", "nowhere"], "no profiles 'nowhere'"),
        (["worst_case", "--limit", "0"], "limit"),
    ],
)
def test_a_slip_is_told(tmp_path: Path, args: list[str], says: str) -> None:
    done = generate(tmp_path / "data", *args)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
    assert not (tmp_path / "data").exists()


def test_files_of_somebody_else_are_not_written_over(crowd: str, tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("mine")
    done = generate(tmp_path, "worst_case", "--profiles", crowd)
    assert done.returncode == 2 and "holds train.jsonl already" in " ".join(done.stderr.split())
    assert (tmp_path / "train.jsonl").read_text() == "mine"
    assert not (tmp_path / "runs").exists()


def estimated(suite: str, **plain: Any) -> Estimate:
    made = suite_from_flags(
        suite,
        supporters=plain.pop("supporters", ["openai:gpt-4o"]),
        model="openai:gpt-4o-mini",
        judge=plain.pop("judge", None),
        plain={"max_turns": 4, **plain},
    )
    return asyncio.run(estimate(made, Path("nowhere"), load_prices()))


def test_an_estimate_grows_with_people_and_is_priced() -> None:
    one, ten = estimated("worst_case", limit=1), estimated("worst_case", limit=10)
    assert ten.calls == 10 * one.calls and one.calls == 3 * 4 + 2
    assert ten.input_tokens == 10 * (one.input_tokens or 0) > 0
    assert one.usd and ten.usd == pytest.approx(10 * one.usd)
    longer = estimated("worst_case", limit=1, max_turns=8)
    # The history grows: twice the exchanges take more than twice the tokens of the talks.
    assert (longer.input_tokens or 0) > 1.8 * (one.input_tokens or 0)


def test_what_has_no_price_is_named_and_no_zero() -> None:
    found = estimated("worst_case", limit=1, judge="openai:own@http://127.0.0.1:9/v1")
    assert found.usd is None and found.input_tokens
    assert found.unpriced == ("openai:own@http://127.0.0.1:9/v1",)


def test_agents_of_ones_own_are_not_rehearsed() -> None:
    """A supporter has a stand-in; a user's side that is not built in leaves tokens unknown."""
    own = "emoharbor.agents.scripted:ScriptedSupporter"
    assert estimated("worst_case", limit=1, supporters=[f"own={own}"]).input_tokens
    made = suite_from_flags(
        "worst_case",
        supporters=["openai:gpt-4o"],
        model="openai:gpt-4o-mini",
        settings=[
            "agents.termination={use: 'emoharbor.agents.termination:structured_termination'}"
        ],
    )
    found = asyncio.run(estimate(made, Path("nowhere"), load_prices()))
    assert found.input_tokens is None and found.usd is None and found.calls
