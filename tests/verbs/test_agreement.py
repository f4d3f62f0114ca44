"""`agreement` from files and runs: what a reader is told, first of all about the people."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from emoharbor.ratings import Rating, write_ratings
from tests.here import emoharbor
from tests.imports.foreign_marks import mindeval_file
from tests.reports.marked import STRATEGIES, judge, people
from tests.small_runs import echo_run

TEN = ("RA", "AS", "RD", "CS", "SF", "HL", "EG", "EP", "PR", "MI")
FAST = ("--draws", "200")


def kept(folder: Path, name: str, ratings: list[Rating]) -> str:
    file = folder / name
    write_ratings(ratings, file)
    return str(file)


def said(*args: str) -> str:
    """What `agreement` says on a wide terminal, its lines joined; it must end well."""
    done = emoharbor("agreement", *args, COLUMNS="300")
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def refused(*args: str) -> str:
    done = emoharbor("agreement", *args)
    assert done.returncode == 2, done.stdout
    return " ".join(done.stderr.split())


def tables(folder: Path, *args: str) -> dict[str, list[dict[str, str]]]:
    """The tables as CSV, by name."""
    said(*args, "-o", str(folder))
    return {file.stem: _rows(file) for file in folder.glob("*.csv")}


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines))


def test_mindeval_goes_from_its_file_to_a_report_in_one_command(tmp_path: Path) -> None:
    source, table = mindeval_file(tmp_path), tmp_path / "marks.csv"
    told = said(str(source), *FAST)
    assert told.startswith("Agreement between people: none on 2 of 3 dimensions")
    assert "PEOPLE DO NOT AGREE AMONG THEMSELVES on 2 of 3 dimensions" in told
    assert "No judge can be validated on these marks" in told
    assert "missing marks of people, in no figure: 1 (0, taken as not applicable)" in told
    assert "under 20 people who sought support: intervals are rough" in told
    assert emoharbor("import", "mindeval", str(source), "--ratings", str(table)).returncode == 0
    assert said(str(table), *FAST) == told


@pytest.mark.parametrize(
    ("noise", "title", "says"),
    [
        (0.1, "seen", "People agree on RA: α is +0.9"),
        (0.4, "seen", "People agree enough for tentative conclusions on RA: α is +0.7"),
        (0.9, "under 0.667 on 1 of 1", "People agree only weakly on RA: α is +0.4"),
    ],
)
def test_how_far_people_agree_is_told_first(
    tmp_path: Path, noise: float, title: str, says: str
) -> None:
    told = said(kept(tmp_path, "marks.csv", people(noise=noise, items=60)), *FAST)
    assert told.startswith(f"Agreement between people: {title}") and says in told
    assert "NOT AGREE" not in told and "under 20 people" not in told


def test_people_who_contradict_each_other_validate_no_judge(tmp_path: Path) -> None:
    contrary = [
        replace(r, score=6 - r.score) if r.rater_id == "h1" and r.score else r
        for r in people(raters=2)
    ]
    file = kept(tmp_path, "marks.csv", contrary + judge("gpt", [0.5]))
    told = said(file, *FAST)
    assert told.startswith("Agreement between people: none")
    assert told.count("PEOPLE DO NOT AGREE AMONG THEMSELVES on RA: Krippendorff's α") == 3
    assert "its interval reaches 0 or below" in told
    assert "RA †" in told and "† people do not agree on this dimension" in told


def test_one_rater_an_item_is_told_as_unknown(tmp_path: Path) -> None:
    marks = kept(tmp_path, "marks.csv", people(raters=1) + judge("gpt", [0.5]))
    told = said(marks, *FAST)
    assert "Whether people agree on RA cannot be known (one rater an item)" in told
    found = tables(tmp_path / "out", marks, *FAST)
    assert found["people"][0]["alpha"] == "" == found["correlations"][0]["ceiling"]
    assert float(found["correlations"][0]["pearson"]) > 0.5


def test_a_judge_stands_beside_the_ceiling(tmp_path: Path) -> None:
    marks = kept(tmp_path, "marks.csv", people(("RA", "my own")))
    judged = kept(tmp_path, "judged.jsonl", judge("gpt", [2, 1, 0.3], ("RA", "my own")))
    found = tables(tmp_path / "out", marks, judged, *FAST)
    assert set(found) == {"people", "pearson", "correlations", "bias", "strategies"}
    wide = found["pearson"]
    assert [row["judge"] for row in wide] == ["people", "gpt", "gpt", "gpt"]
    assert [row["strategy"] for row in wide[1:]] == list(STRATEGIES)
    means = [float(row["mean of the correlations"]) for row in wide]
    assert means[1] < means[2] < means[3]
    row = next(r for r in found["correlations"] if r["dimension"] == "RA")
    assert float(row["ceiling"]) == float(wide[0]["response_appropriateness"])
    assert float(row["pearson"]) == float(wide[1]["response_appropriateness"])
    assert row["n"] == "30" and row["pearson_note"].startswith("[")
    names = [r["dimension"] for r in found["correlations"][:4]]
    assert names == ["RA", "my own", "mean of the correlations", "mean mark"]


def test_the_ceiling_s_mean_is_over_the_judge_s_own_dimensions(tmp_path: Path) -> None:
    marks = people(("RA", "AS")) + judge("gpt", [0.5], ("AS",))
    found = tables(tmp_path / "out", kept(tmp_path, "marks.csv", marks), *FAST)
    no_mark, own, mean, mean_mark = found["correlations"]
    assert no_mark["pearson"] == "" and "no mark of these items" in no_mark["pearson_why"]
    assert mean["ceiling"] == own["ceiling"] and mean["pearson"] == own["pearson"]
    assert mean_mark["pearson"][:8] == own["pearson"][:8] and mean_mark["ceiling"] == ""


def test_strategies_are_compared_on_the_items_of_both(tmp_path: Path) -> None:
    judged = judge("gpt", [2, 0.3])
    # The second strategy lacks three items: the first is then looked at without them too.
    judged = [r for r in judged if r.strategy == "standard" or r.profile_id != "p00"]
    found = tables(tmp_path / "out", kept(tmp_path, "marks.csv", people() + judged), *FAST)
    row, mean = found["strategies"]
    assert (row["first"], row["second"], row["n"]) == ("user_aware", "standard", "27")
    gain = float(row["difference"])
    assert gain > 0 and gain == pytest.approx(float(row["a"]) - float(row["b"]))
    assert mean["dimension"] == "mean of the correlations"
    assert "gpt, user_aware judged 27 of the 30 items that people marked, and 0 others" in said(
        str(tmp_path / "marks.csv"), *FAST
    )


def test_a_judge_that_was_asked_again(tmp_path: Path) -> None:
    marks = people() + judge("gpt", [0.5], repeats=3) + judge("sure", [0.5])
    found = tables(tmp_path / "out", kept(tmp_path, "marks.csv", marks), *FAST)
    (row,) = found["repeats"]
    assert (row["judge"], row["n"], row["repeats"]) == ("gpt", "30", "3")
    assert 0 < float(row["sd"]) < 1 and 0 < float(row["equal"]) < 1 and row["icc_note"]


def test_within_raters_the_heights_of_people_s_scales_count_for_nothing(tmp_path: Path) -> None:
    """Each person has dialogues of their own, as in the paper, and a level of their own."""
    levels = {f"p{n:02}": n % 3 for n in range(10)}
    plain = {r.item_id: r.score or 0 for r in judge("gpt", [0.2])}
    own = [
        Rating(r.item_id, r.profile_id, "seeker", "RA", plain[r.item_id] + 5 * levels[r.profile_id],
               1, 15, r.profile_id)
        for r in people(raters=1)
    ]  # fmt: skip
    file = kept(tmp_path, "marks.csv", own + judge("gpt", [0.2]))
    as_given = tables(tmp_path / "given", file, *FAST)["correlations"][0]
    within = tables(tmp_path / "within", file, "--within-rater", *FAST)["correlations"][0]
    assert float(within["pearson"]) == pytest.approx(1) and float(as_given["pearson"]) < 0.7


def test_another_scale_is_laid_on_people_s(tmp_path: Path) -> None:
    wider = [replace(r, score=2 * (r.score or 0), scale_min=2, scale_max=10) for r in people()]
    file = kept(tmp_path, "marks.csv", wider + judge("gpt", [0.5]))
    (row,) = tables(tmp_path / "out", file, *FAST)["bias"]
    assert float(row["judge_mean"]) > 5 and abs(float(row["bias"])) < 1
    assert "judges' marks from 1 to 5 on 2 to 10 of people's scale" in said(file, *FAST)
    mixed = kept(tmp_path, "mixed.csv", [*people(), replace(wider[0], item_id="other")])
    assert "people mark response_appropriateness on several scales" in refused(mixed)


def test_the_published_table_stands_beside(tmp_path: Path) -> None:
    marks = kept(tmp_path, "marks.csv", people(TEN, raters=2) + judge("gpt", [0.5], TEN))
    rows = tables(tmp_path / "out", marks, "--reference", *FAST)["pearson"]
    qwen = next(r for r in rows if r["judge"] == "Qwen3-235B (published)" and "internal" in str(r))
    assert (qwen["mood_improvement"], qwen["response_appropriateness"]) == ("0.61", "0.44")
    assert float(qwen["mean of the correlations"]) == pytest.approx(0.481)
    assert len(rows) == 2 + 12
    other = kept(tmp_path, "other.csv", people(("my own",)))
    assert len(tables(tmp_path / "apart", other, "--reference", *FAST)["published"]) == 12


def test_what_judges_and_people_do_not_share_is_told(tmp_path: Path) -> None:
    far = [replace(r, item_id=f"far/{r.item_id}") for r in judge("far", [0.5])]
    file = kept(tmp_path, "marks.csv", people() + far + judge("gpt", [0.5], ("warmth",)))
    told = said(file, *FAST)
    assert "far, standard judged none of the 30 items that people marked" in told
    assert "its items are named like far/bot/p00/0, people's like bot/p00/0" in told
    assert "judged, but marked by nobody, and left out: warmth" in told
    assert "the judge has no mark of these items in this dimension" in told
    assert "nan" not in told


def test_degenerate_marks_become_words(tmp_path: Path) -> None:
    flat = [replace(r, score=3) for r in judge("flat", [0.5])]
    told = said(kept(tmp_path, "flat.csv", people() + flat), *FAST)
    assert "all marks are the same" in told and "nan" not in told
    two = kept(tmp_path, "two.csv", people(items=2) + judge("gpt", [0.5], items=2))
    told = said(two, *FAST)
    assert "fewer than 3 items with both marks" in told and "nan" not in told
    empty = [replace(r, score=None) for r in people()]
    assert "no mark of a person is there" in refused(kept(tmp_path, "empty.csv", empty))
    assert "no mark of a person is there" in refused(kept(tmp_path, "j.csv", judge("gpt", [1])))


def test_a_run_s_verdicts_are_a_judge_s_marks(tmp_path: Path) -> None:
    run = echo_run(tmp_path / "run", limit=4)
    items = ["/".join(map(str, record.cell)) for record in run.records().values()]
    marks = kept(tmp_path, "marks.csv", [
        Rating(item, who, "human", "safety", place + 1, 1, 5, item.split("/")[1])
        for who in ("ann", "bob") for place, item in enumerate(items)
    ])  # fmt: skip
    told = said(marks, str(run.path), *FAST)
    assert "internal_state_aware" in told and "judge - people" in told
    assert "judged, but marked by nobody, and left out: RA, AS" in told
    unjudged = tmp_path / "foreign"
    mindeval = str(mindeval_file(tmp_path))
    emoharbor("import", "mindeval", mindeval, "-o", str(unjudged))
    assert "has been judged: emoharbor judge RUN" in refused(mindeval, str(unjudged))


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    marks = kept(tmp_path, "marks.csv", people())
    assert "--draws 5: 100 or more give an interval" in refused(marks, "--draws", "5")
    assert "no file or run" in refused(str(tmp_path / "nowhere"))
    assert "two sources hold response_appropriateness of bot/p00/0 by h0" in refused(marks, marks)
    chats = tmp_path / "chat.json"
    chats.write_text('[{"messages": [{"role": "user", "content": "hi"}]}]')
    assert "holds no mark that people gave" in refused(str(chats))
    torn = tmp_path / "torn.jsonl"
    torn.write_text('{"item_id": ')
    assert "line 1: not JSON" in refused(str(torn))


def test_the_seed_decides_and_is_told(tmp_path: Path) -> None:
    marks = kept(tmp_path, "marks.csv", people())
    assert said(marks, *FAST) == said(marks, *FAST)
    other = said(marks, *FAST, "--seed", "7")
    assert "200 draws of 10 people who sought support, seed 7" in other != said(marks, *FAST)
