"""`emoharbor audit`: every figure with its n, of any corpus, beside people and another corpus."""

from __future__ import annotations

import asyncio
import csv
import json
from pathlib import Path

import pytest

from emoharbor.flags import suite_from_flags
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from tests.audit.audited import Rows, audited
from tests.here import emoharbor
from tests.imports.foreign_dialogues import (
    CHAT,
    ESCONV,
    RELEASE,
    felt,
    heard,
    release,
    told,
    write_json,
    write_lines,
)
from tests.small_runs import echo_run


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return audited(release(tmp_path_factory.mktemp("audit") / "release"))


def test_what_is_wrong_with_dialogues_is_counted_and_named(rows: Rows) -> None:
    assert rows.share("dialogues")[1] == 7 and rows.share("failed") == (0, 7)
    assert rows.share("empty") == (1, 7) and rows.share("torn") == (1, 7)
    assert rows.row("torn")["dialogues"] == ["worst.bot/2/0"]
    assert rows.row("torn")["detail"] == "`turn` says 4 utterances, 2 are there 1"
    assert rows.share("silent") == (1, 6)
    assert rows.row("silent")["dialogues"] == ["worst.other/2/0"]
    assert rows.share("unanswered") == (1, 6)
    assert rows.row("unanswered")["dialogues"] == ["worst.bot/1/0"]
    assert [one["where"] for one in rows.whole["left_out"]] == ["worst/other/3.json"]


def test_figures_come_by_arm_and_by_supporter(rows: Rows) -> None:
    assert rows.share("stage", "average") == (3, 6) and rows.share("stage", "worst") == (0, 5)
    assert rows.share("stage", "average.bot") == (3, 4)
    assert rows.share("openings.stage", "average") == (2, 3)
    assert rows.value("exchanges", "average") == 2.0
    assert rows.value("exchanges", "worst") == pytest.approx(5 / 3)
    assert rows.share("outside") == (1, 5) and rows.share("outside", "average") == (0, 0)
    assert rows.row("outside")["detail"] == "疲惫 1"
    assert rows.share("thanks", "average") == (2, 6) and rows.share("thanks", "worst") == (0, 5)
    assert rows.share("supporter.again") == (1, 10)
    assert rows.row("supporter.again")["dialogues"] == ["worst.bot/1/0"]


def test_lines_are_measured_as_they_are_defined(rows: Rows) -> None:
    assert rows.value("length.median", "worst.bot") == 4.5
    assert rows.share("short", "worst.bot") == (3, 4)
    assert rows.share("no_final_mark", "worst.bot") == (2, 4)
    assert rows.share("ellipsis") == (2, 11) and rows.share("marks") == (1, 11)
    assert rows.share("question") == (1, 11) and rows.share("simile") == (1, 11)
    assert rows.share("greeting") == (1, 6) and rows.share("wordless") == (1, 11)
    assert rows.share("thanks.first") == (1, 6) and rows.share("relief") == (1, 11)
    assert rows.row("length.median")["definition"] == "characters, median"


def test_a_run_from_the_profile_is_found(rows: Rows) -> None:
    assert rows.share("copied") == (1, 11)
    assert rows.row("copied")["dialogues"] == ["worst.bot/1/0"]
    assert rows.value("copied.longest") == 14.0


def test_what_no_human_corpus_shows_is_marked(tmp_path: Path) -> None:
    long = "我今天又去了一趟店里，把合伙人留下的账本从头到尾翻了一遍，越看越觉得难受……（叹气）"
    lines = [part for n in range(40) for part in (felt(f"{n}，{long}"), heard("我在听。"))]
    rows = audited(write_json(tmp_path / "a" / "b" / "1.json", told(*lines)))
    assert rows.row("length.median")["mark"] == "above people"
    assert rows.row("ellipsis")["mark"] == "above people"
    assert rows.row("short")["mark"] == "below people"
    # Forty lines without any are too few to tell.
    assert rows.row("question")["mark"] == "" and rows.value("question") == 0
    assert rows.row("thanks")["mark"] == "" and rows.row("stage")["mark"] == ""
    assert rows.row("length.median")["people"] == {"Chinese patients": 19.0}
    assert rows.row("stage")["simulators"] == {"average-case simulator": 0.29}
    shown = emoharbor("audit", str(tmp_path / "a")).stdout
    assert "Messages of patients in Chinese" in shown and "▲" in shown and "▼" in shown


def test_headings_of_supporters_are_whole_at_80_columns(tmp_path: Path) -> None:
    shown = emoharbor("audit", str(release(tmp_path / "release")), COLUMNS="80").stdout
    table = shown.partition("By supporter")[2]
    for word in ("supporter", "logues", "changes", "brackets", "thanks", "again", "answered"):
        assert word in table
    assert "…" not in table and max(map(len, table.splitlines())) <= 80


def test_languages_are_told_apart(tmp_path: Path) -> None:
    folder = tmp_path / "both"
    write_json(folder / "a" / "bot" / "1.json", RELEASE["average/bot/1.json"])
    write_json(folder / "ESConv.json", ESCONV)
    rows = audited(folder)
    assert rows.value("length.median", language="en") == 2.0
    assert rows.row("length.median", language="en")["definition"] == "words, median"
    assert rows.share("dialogues", language="en")[1] == 2 and rows.share("dialogues")[1] == 1
    assert rows.share("greeting", language="en") == (1, 2)
    # A run of eight words from what the seeker wrote before the dialogue.
    assert rows.share("copied", language="en") == (1, 4)
    assert "particle" not in {r["measure"] for r in rows.whole["figures"] if r["language"] == "en"}


def test_people_are_alike_where_they_say_the_same(tmp_path: Path) -> None:
    same = "I cannot sleep and my head is full of it"
    chats = [
        {"id": name, "messages": [{"role": "user", "content": text}]}
        for name, text in (("a", same), ("a", same), ("b", same), ("c", "Nothing new, really."))
    ]
    rows = audited(write_lines(tmp_path / "chats.jsonl", chats))
    # Of the five pairs of two people, those of b with both dialogues of a say the same.
    assert rows.value("likeness", language="en") == pytest.approx(2 / 5)
    assert rows.row("likeness", language="en")["n"] == 5
    assert "chat/a/0 and chat/b/0, 1.000" in rows.row("likeness", language="en")["detail"]
    assert rows.value("likeness.same", language="en") == 1.0
    assert rows.share("elsewhere", language="en") == (3, 3)


def test_another_corpus_stands_beside_it(tmp_path: Path) -> None:
    source = release(tmp_path / "release")
    rows = audited(source / "average", "--against", str(source / "worst"))
    against = str(source / "worst")
    assert rows.share("stage", against) == (0, 5) and rows.share("stage") == (3, 6)
    assert rows.whole["against"] == against and len(rows.whole["left_out"]) == 1
    english = write_json(tmp_path / "ESConv.json", ESCONV)
    rows = audited(source / "average", "--against", str(english))
    assert all(r["of"] != "against" for r in rows.whole["figures"])
    assert "average has no dialogue in English" in rows.whole["notes"][0]
    assert "ESConv.json has no dialogue in Chinese" in rows.whole["notes"][1]


def test_an_import_is_audited_as_its_source_is(tmp_path: Path) -> None:
    source = release(tmp_path / "release")
    out = tmp_path / "run"
    assert emoharbor("import", "worst-case", str(source), "-o", str(out)).returncode == 0
    there, here = audited(source).whole, audited(out).whole
    assert here["figures"] == there["figures"] and here["left_out"] == there["left_out"]
    lines = audited(out / "records.jsonl")
    assert lines.whole["figures"] == here["figures"] and "its run.yaml" in lines.whole["notes"][0]


def test_every_figure_is_a_row_of_the_table(tmp_path: Path) -> None:
    file = tmp_path / "audit.csv"
    source = release(tmp_path / "release")
    assert emoharbor("audit", str(source), "-o", str(file)).returncode == 0
    with file.open(encoding="utf-8", newline="") as lines:
        table = list(csv.DictReader(lines))
    (stage,) = [r for r in table if r["measure"] == "stage" and r["name"] == "average"]
    assert (stage["of"], stage["hits"], stage["n"]) == ("arm", "3", "6")
    assert stage["simulators"] == "average-case simulator 0.29"
    (left_out,) = [r for r in table if r["measure"] == "left_out"]
    assert left_out["name"] == "worst/other/3.json" and "not JSON" in left_out["detail"]


def test_a_run_of_our_own_is_read_from_its_folder_and_from_redis(
    tmp_path: Path, redis_url: str, run: str
) -> None:
    suite = suite_from_flags(
        "emoharbor",
        supporters=["bot=scripted:echo"],
        model="scripted:echo",
        plain={"max_turns": 2, "limit": 2},
    )
    asyncio.run(run_suite(suite, tmp_path / run, options=RunOptions(redis_url)))
    folder = audited(tmp_path / run)
    assert folder.share("dialogues", language="en")[1] == 2
    # The supporter opens: a last line of the user's is no fault.
    assert folder.share("unanswered", language="en") == (0, 0)
    assert folder.share("copied", language="en")[1] == 4 and folder.whole["notes"] == []
    away = tmp_path / "elsewhere" / run
    away.parent.mkdir()
    redis = audited(away, "--store", redis_url)
    assert redis.whole["figures"] == folder.whole["figures"]


def test_failed_dialogues_are_counted_by_cause_and_not_measured(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "run", limit=2).path
    first, second = (json.loads(line) for line in (run / "records.jsonl").open())
    failure = {
        "error": "SimulatorFailed",
        "cause": None,
        "message": "m",
        "node": "talker",
        "turn": 1,
    }
    broken = {**second, "verdict": None, "failure": failure}  # fmt: skip
    write_lines(run / "records.jsonl", [first, broken])
    rows = audited(run)
    assert rows.share("failed", language="en") == (1, 2)
    assert rows.row("failed", language="en")["detail"] == "SimulatorFailed 1"
    assert rows.row("length.median", language="en")["n"] == 2


def test_profiles_that_are_gone_are_a_note(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "run").path
    text = (run / "run.yaml").read_text().replace("profiles: en", "profiles: gone.jsonl", 1)
    (run / "run.yaml").write_text(text)
    rows = audited(run)
    assert "no profiles 'gone.jsonl'" in rows.whole["notes"][0]
    assert rows.share("copied", language="en") == (0, 0)


@pytest.mark.parametrize(
    "args, words",
    [
        (("nowhere",), "nowhere holds no run"),
        (("chats.jsonl", "-o", "a.txt"), "ends in .csv or .json"),
        (("chats.jsonl", "--against", "number.json"), "holds no dialogue that can be read"),
        (("chats.jsonl", "-o", "none/a.csv"), "cannot write none/a.csv"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    write_lines(tmp_path / "chats.jsonl", [CHAT])
    write_json(tmp_path / "number.json", 3)
    told = emoharbor("audit", *args, cwd=tmp_path)
    assert told.returncode == 2 and words in " ".join(told.stderr.split())
