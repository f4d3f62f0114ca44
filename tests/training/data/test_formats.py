"""What a dialogue looks like in each format, and what the supporter had been told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from emoharbor.prompts.loader import load_prompt
from emoharbor.runs.folder import RunFolder
from emoharbor.state.record import DialogueRecord
from tests.here import emoharbor
from tests.imports.foreign_dialogues import ESCONV, write_json
from tests.training.data.conftest import Runs
from tests.training.data.scripts import SUNK
from tests.training.data.sources import exported

SYSTEM = load_prompt("supporter", "en").remembered("system")


def record(run: Path, cell: str) -> DialogueRecord:
    return next(r for r in RunFolder(run).records().values() if "/".join(map(str, r.cell)) == cell)


def row(out: Path, run: Path, cell: str, form: str, *args: str) -> dict[str, Any]:
    """The entry of one dialogue."""
    rows = exported(out, run, "--validation", "0", *args, form=form).rows()
    [found] = [r for r in rows if (r.get("metadata") or r)["cell"] == cell]
    return found


def test_chat_has_the_supporters_lines_as_the_assistants(runs: Runs, tmp_path: Path) -> None:
    kept = record(runs.average, "bot/en-002/1")
    found = row(tmp_path / "data", runs.average, "bot/en-002/1", "chat")
    assert found["messages"] == [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": kept.h_s[0].text},
        {"role": "assistant", "content": kept.h_s[1].text},
        {"role": "user", "content": kept.h_s[2].text},
        {"role": "assistant", "content": kept.h_s[3].text},
    ]
    assert found["metadata"] == {
        "run": str(runs.average),
        "cell": "bot/en-002/1",
        "thread": kept.thread,
        "suite": "average_case",
        "arm": "average",
        "language": "en",
        "profile": "en-002",
        "supporter": "bot",
        "supporter_model": "scripted:tests.training.data.scripts:bot",
        "verdict_mean": found["metadata"]["verdict_mean"],
        "ending": "max_turns",
        "exchanges": 2,
    }
    assert kept.verdict
    marks = [score.value for score in kept.verdict.scores.values() if score.kind == "score"]
    assert found["metadata"]["verdict_mean"] == round(sum(marks) / len(marks), 4)


def test_a_supporter_who_opens_answers_the_suites_opening_line(runs: Runs, tmp_path: Path) -> None:
    kept = record(runs.opened, "bot/en-001/0")
    found = row(tmp_path / "data", runs.opened, "bot/en-001/0", "chat")
    assert [m.role for m in kept.h_s] == ["supporter", "user", "supporter", "user"]
    assert found["messages"][1:] == [
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "content": kept.h_s[0].text},
        {"role": "user", "content": kept.h_s[1].text},
        # The user's last words have no answer.
        {"role": "assistant", "content": kept.h_s[2].text},
    ]


def test_sharegpt(runs: Runs, tmp_path: Path) -> None:
    kept = record(runs.worst, "bot/en-001/0")
    found = row(tmp_path / "data", runs.worst, "bot/en-001/0", "sharegpt")
    assert found["conversations"] == [
        {"from": "system", "value": SYSTEM},
        {"from": "human", "value": kept.h_s[0].text},
        {"from": "gpt", "value": kept.h_s[1].text},
        {"from": "human", "value": kept.h_s[2].text},
        {"from": "gpt", "value": kept.h_s[3].text},
    ]


def test_alpaca(runs: Runs, tmp_path: Path) -> None:
    kept = record(runs.worst, "bot/en-001/0")
    found = row(tmp_path / "data", runs.worst, "bot/en-001/0", "alpaca")
    found.pop("metadata")
    assert found == {
        "instruction": kept.h_s[2].text,
        "input": "",
        "output": kept.h_s[3].text,
        "system": SYSTEM,
        "history": [[kept.h_s[0].text, kept.h_s[1].text]],
    }


def test_hf_has_plain_columns_of_one_type(runs: Runs, tmp_path: Path) -> None:
    args = (runs.average, runs.opened, "--inner-states")
    rows = exported(tmp_path / "data", *args, form="hf").every
    kinds = {key: {type(row[key]) for row in rows} for key in rows[0]}
    assert all(len(kind) == 1 for kind in kinds.values()), kinds
    assert all(row.keys() == rows[0].keys() for row in rows)
    assert kinds["messages"] == {list} and kinds["verdict_mean"] == {float}
    states = [s for row in rows for s in row["inner_states"]]
    assert states and {type(state["state"]) for state in states} == {str}


def test_inner_states_are_left_out_unless_asked_for(runs: Runs, tmp_path: Path) -> None:
    for form in ("chat", "sharegpt", "alpaca", "hf"):
        out = tmp_path / form
        exported(out, runs.worst, runs.opened, form=form)
        written = "".join(file.read_text("utf-8") for file in out.glob("*.json*"))
        assert SUNK not in written


def test_an_inner_state_names_the_line_that_it_led_to(runs: Runs, tmp_path: Path) -> None:
    found = row(tmp_path / "a", runs.worst, "bot/en-001/0", "chat", "--inner-states")
    states = found["metadata"]["inner_states"]
    assert [state["user_line"] for state in states] == [1, 2]
    assert {(state["kind"], state["description"]) for state in states} == {("emotion", SUNK)}

    found = row(tmp_path / "b", runs.opened, "bot/en-001/0", "chat", "--inner-states")
    states = found["metadata"]["inner_states"]
    # The first line is the suite's, the third and last one of the user has no answer.
    assert [(state["user_line"], state["emotion"]) for state in states] == [(2, SUNK)]


@pytest.mark.parametrize("journal", [True, False])
def test_the_system_text_comes_from_the_journal_or_the_prompt(
    runs: Runs, tmp_path: Path, journal: bool
) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for name in ("run.yaml", "records.jsonl", *(["calls.jsonl"] if journal else [])):
        (run / name).write_bytes((runs.average / name).read_bytes())
    card = exported(tmp_path / "data", run).card
    assert card["system_texts"] == [{"text": SYSTEM, "dialogues": 12}]


def test_no_system_text_is_made_up(runs: Runs, tmp_path: Path) -> None:
    """The prompt's file is another one than the record names, and there is no journal."""
    run = tmp_path / "run"
    run.mkdir()
    (run / "run.yaml").write_bytes((runs.average / "run.yaml").read_bytes())
    lines = (runs.average / "records.jsonl").read_text("utf-8").splitlines()
    changed = [json.loads(line) for line in lines]
    for one in changed:
        one["prompts"]["supporter/prompt"] = "0" * 12
    (run / "records.jsonl").write_text("".join(json.dumps(c) + "\n" for c in changed), "utf-8")
    written = exported(tmp_path / "data", run)
    assert written.card["system_texts"] == [{"text": None, "dialogues": 12}]
    assert all(row["messages"][0]["role"] == "user" for row in written.every)
    assert "12 dialogues: no system text that is known" in written.text


def test_imported_lines_in_a_row_become_one_message(tmp_path: Path) -> None:
    source, run = write_json(tmp_path / "ESConv.json", ESCONV), tmp_path / "run"
    assert emoharbor("import", "esconv", str(source), "-o", str(run)).returncode == 0
    rows = exported(tmp_path / "data", run, "--validation", "0").rows()
    assert rows[0]["messages"] == [
        {"role": "user", "content": "hi there"},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "bad week\ni hide in the parking lot all day now"},
        {"role": "assistant", "content": "Since when?"},
    ]
    assert rows[0]["metadata"]["verdict_mean"] is None
