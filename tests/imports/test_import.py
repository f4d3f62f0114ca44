"""Dialogues from elsewhere become records that every command reads; what is none is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from emoharbor.runs.folder import open_run
from emoharbor.state.dialogue import Emotion
from emoharbor.state.record import DialogueRecord, Imported
from emoharbor.state.verdict import Failure
from emoharbor.stats.summary import summarize
from tests.here import emoharbor
from tests.imports.foreign_dialogues import CHAT, ESCONV, release, write_json, write_lines
from tests.small_runs import echo_run


def brought(form: str, source: Path, out: Path) -> dict[str, DialogueRecord]:
    """The records of an import, by name; it must end well."""
    done = emoharbor("import", form, str(source), "-o", str(out))
    assert done.returncode == 0, done.stderr
    return {"/".join(map(str, cell)): r for cell, r in open_run(out).records().items()}


def test_a_release_becomes_a_run(tmp_path: Path) -> None:
    source, out = release(tmp_path / "release"), tmp_path / "runs" / "all"
    done = emoharbor("import", "worst-case", str(source), "-o", str(out))
    assert done.returncode == 0 and "7 dialogues in" in done.stdout
    assert "worst/other/3.json: not JSON" in done.stdout
    records = open_run(out).records()
    assert ("worst.bot", "1", 0) in records and ("average.other", "1", 0) in records
    one = records[("worst.bot", "1", 0)]
    assert one.language == "zh" and one.suite == "worst" and one.turns == 3
    assert one.verdict is None and one.failure is None
    assert [item.label for item in one.h_u if isinstance(item, Emotion)][:2] == ["烦恼", "疲惫"]
    assert one.imported and one.imported.where == "worst/bot/1.json"
    assert any("合伙人不告而别" in text for text in one.imported.person)
    torn = records[("worst.bot", "2", 0)].imported
    assert torn and torn.torn == "`turn` says 4 utterances, 2 are there"
    kept = yaml.safe_load((out / "run.yaml").read_text(encoding="utf-8"))
    assert [one["where"] for one in kept["imported"]["left_out"]] == ["worst/other/3.json"]
    assert kept["recorded"]["cells"] == 7


def test_an_arm_alone_keeps_the_names_of_its_supporters(tmp_path: Path) -> None:
    source = release(tmp_path / "release")
    for arm in ("average", "worst"):
        records = brought("worst-case", source / arm, tmp_path / arm)
        assert {r.supporter for r in records.values()} == {"bot", "other"}
        assert all(r.imported and r.imported.person for r in records.values())


def test_the_other_verbs_read_it_like_a_run(tmp_path: Path) -> None:
    source = release(tmp_path / "release")
    for arm in ("average", "worst"):
        brought("worst-case", source / arm, tmp_path / "runs" / arm)
    run, other = str(tmp_path / "runs" / "worst"), str(tmp_path / "runs" / "average")
    shown = emoharbor("show", run).stdout
    assert "dialogues without a verdict" in shown and "recording ended" in shown
    assert "Model calls" not in shown
    whole = emoharbor("show", run, "bot/1/0").stdout
    assert "feels 疲惫" in whole and "[5] user: 算了" in whole
    assert "imported from bot/1.json" in whole
    compared = emoharbor("compare", other, run)
    assert compared.returncode == 0 and "2 pairs, 2 of them without a verdict" in compared.stdout
    listed = emoharbor("runs", str(tmp_path / "runs")).stdout
    assert "4 of 4" in listed and listed.count("finished") == 2
    assert emoharbor("delete", run, "--yes").returncode == 0
    assert not (tmp_path / "runs" / "worst").exists()


def test_what_would_go_on_with_it_says_why_not(tmp_path: Path) -> None:
    brought("worst-case", release(tmp_path / "release"), tmp_path / "run")
    run = str(tmp_path / "run")
    echo = ("--supporter", "bot=scripted:echo", "--model", "scripted:echo")
    for args in (
        ("resume", run), ("replay", run), ("history", run, "worst.bot/1/0"),
        ("fork", run, "worst.bot/1/0", "--at-turn", "1"),
        ("run", "emoharbor", *echo, "--out", run),
    ):  # fmt: skip
        told = emoharbor(*args)
        assert told.returncode == 2, args
        assert "imported dialogues" in told.stderr, args


def test_esconv_is_read_in_both_of_its_shapes(tmp_path: Path) -> None:
    records = brought("esconv", write_json(tmp_path / "ESConv.json", ESCONV), tmp_path / "run")
    first = records["people/ESConv-1/0"]
    assert [m.role for m in first.h_s] == ["user", "supporter", "user", "user", "supporter"]
    assert first.turns == 2 and first.language == "en"
    assert first.imported and first.imported.person == (ESCONV[0]["situation"],)
    assert [m.text for m in records["people/ESConv-2/0"].h_s] == ["cannot sleep", "Tell me."]


def test_chats_are_read_from_lines_from_one_file_and_from_a_mapping(tmp_path: Path) -> None:
    again = {**CHAT, "messages": CHAT["messages"][1:]}
    lines = write_lines(tmp_path / "chats.jsonl", [CHAT, again])
    records = brought("chat", lines, tmp_path / "lines")
    assert list(records) == ["some-bot/c-7/0", "some-bot/c-7/1"]
    assert [m.text for m in records["some-bot/c-7/0"].h_s] == [
        "Hello, how are you?",
        "Tired, mostly.",
    ]
    bare = write_json(tmp_path / "bare.json", CHAT["messages"])
    assert list(brought("chat", bare, tmp_path / "bare")) == ["chat/bare/0"]
    named = write_json(tmp_path / "named.json", {"a": CHAT["messages"], "b": CHAT["messages"]})
    assert list(brought("chat", named, tmp_path / "named")) == ["chat/a/0", "chat/b/0"]


def strange_files(folder: Path) -> Path:
    """One dialogue that can be read among files that cannot."""
    narrator = {"messages": [{"role": "narrator", "content": "Rain."}]}
    wordless = {"messages": [{"role": "user"}]}
    write_lines(folder / "chats.jsonl", [CHAT, narrator, wordless, {"messages": ["hi"]}])
    with (folder / "chats.jsonl").open("a") as file:
        file.write('{"messages": [')
    (folder / "latin.json").write_bytes('{"messages": "caf\xe9"}'.encode("latin-1"))
    write_json(folder / "other.json", ESCONV)
    write_json(folder / "number.json", 3)
    (folder / "notes.txt").write_text("notes")
    (folder / ".hidden.json").write_text("{")
    return folder


def test_what_cannot_be_read_is_named_and_costs_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    source, out = strange_files(tmp_path / "source"), tmp_path / "run"
    done = emoharbor("import", "chat", str(source), "-o", str(out))
    assert done.returncode == 0 and "1 dialogues in" in done.stdout
    left_out = yaml.safe_load((out / "run.yaml").read_text())["imported"]["left_out"]
    says = {one["where"]: one["says"] for one in left_out}
    assert says["chats.jsonl, line 2"] == "line 1: role 'narrator' is nobody known here"
    assert says["chats.jsonl, line 3"] == "line 1 has no text under 'content'"
    assert says["chats.jsonl, line 4"] == "line 1 is no object with 'role'"
    assert says["chats.jsonl, line 5"].startswith("not JSON")
    assert says["latin.json"] == "not UTF-8 (byte 17)"
    assert says["number.json"] == "no dialogue; chat is wanted"
    assert says["notes.txt"] == "neither .json nor .jsonl"
    assert says["other.json, entry 1"] == "of esconv; chat is wanted"
    assert len(says) == 9 and all(where in done.stdout for where in says)


@pytest.mark.parametrize(
    "args, words",
    [
        (("worstcase", "release"), "did you mean 'worst-case'?"),
        (("chat", "nowhere"), "no file or folder nowhere"),
        (("esconv", "release"), "holds no dialogue that can be read: average/bot/1.json: of worst"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    release(tmp_path / "release")
    told = emoharbor("import", *args, "-o", "run", cwd=tmp_path)
    assert told.returncode == 2 and words in " ".join(told.stderr.split())
    assert not (tmp_path / "run").exists()


def test_a_run_is_never_written_over(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "run").path
    before = (run / "records.jsonl").read_bytes()
    chats = write_lines(tmp_path / "chats.jsonl", [CHAT])
    told = emoharbor("import", "chat", str(chats), "-o", str(run))
    assert told.returncode == 2 and "holds a run already" in told.stderr
    assert (run / "records.jsonl").read_bytes() == before


def test_a_seeker_that_cannot_be_read_is_named_and_the_dialogue_kept(tmp_path: Path) -> None:
    source = release(tmp_path / "release")
    (source / "profiles" / "1.json").write_text("{")
    for what, shown in ((source, "profiles/1.json: not JSON"), (source / "worst", "the seeker")):
        out = tmp_path / what.name
        done = emoharbor("import", "worst-case", str(what), "-o", str(out))
        assert done.returncode == 0 and done.stdout.count("1.json: ") == 1
        assert shown in done.stdout
        people = {
            r.profile: r.imported and r.imported.person for r in open_run(out).records().values()
        }
        assert people["1"] == () and people["2"]  # fmt: skip


def test_only_an_imported_dialogue_may_lack_an_outcome(tmp_path: Path) -> None:
    own: dict[str, Any] = json.loads(echo_run(tmp_path / "run").records_file.read_text())
    failure = Failure(error="E", cause=None, message="m", node=None, turn=1).model_dump()
    with pytest.raises(ValidationError, match="exactly one of verdict and failure"):
        DialogueRecord.model_validate({**own, "verdict": None})
    origin = Imported(format="chat", where="c.json").model_dump()
    open_ = DialogueRecord.model_validate({**own, "verdict": None, "imported": origin})
    judged = DialogueRecord.model_validate({**own, "imported": origin})
    with pytest.raises(ValidationError):
        DialogueRecord.model_validate({**own, "imported": origin, "failure": failure})
    broken = DialogueRecord.model_validate({**own, "verdict": None, "failure": failure})
    (summary,) = summarize([open_, judged, broken])
    assert (summary.finished, summary.unjudged, summary.failed) == (1, 1, 1)
    assert summary.exchanges == 2.0 and sum(summary.endings.values()) == 2
