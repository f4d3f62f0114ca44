"""`discriminate` on the command line: as printed, standard, and what is missing."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.here import emoharbor
from tests.synthetic import TEN, synthetic_run
from tests.verbs.told import Tables, refused_by, tables_of


def told(*args: str | Path) -> str:
    done = emoharbor("discriminate", *map(str, args), COLUMNS="200")
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


refused = partial(refused_by, "discriminate")
tables = partial(tables_of, "discriminate")


def measures(found: Tables) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["measure"].strip(), row["kind"]): row for row in found["discrimination"]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    means = {"a": 2.4, "b": 2.8, "c": 3.2, "d": 3.2}
    synthetic_run(folder / "whole", means, profiles=24, judged={"standard": 0.5})
    synthetic_run(folder / "gaps", means, profiles=24, failed={"b": 2}, unscored={"c": 3})
    return folder


@pytest.fixture(scope="module")
def whole(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    return tables(tmp_path_factory.mktemp("out"), runs / "whole", "--reference")


def test_what_is_printed_stands_beside_what_is_standard(whole: Tables) -> None:
    its = {key: float(row["value"]) for key, row in measures(whole).items()}
    msr = its["MSR", "eq. 11"]
    assert its["MAC", "eq. 12"] == msr / (1 + msr)
    assert its["F", "eq. 13"] == pytest.approx(its["F", "standard, one-way ANOVA"] * 23 / 24)
    assert its["F", "standard, one-way ANOVA"] == pytest.approx(msr * 4 * 24 / 3)
    assert its["F by person", "standard, repeated-measures ANOVA"] > its["F", "eq. 13"]
    paired = its["P", "eq. 14, signed-rank, Benjamini-Hochberg"]
    unpaired = its["P", "eq. 14, Mann-Whitney, Benjamini-Hochberg"]
    assert paired == pytest.approx(5 / 6) and 0 < unpaired <= 5 / 6
    assert 0 < its["if all were equal: mean", "shuffled"] < msr
    assert 0 < its["if all were equal: mean", "F distribution"] < msr
    for name in ("η²", "ω²", "ICC(1)"):
        assert 0 < its[name, "standard, one-way ANOVA"] < 1
    assert 0.5 < its["Kendall's W", "standard, Friedman"] < 1


def test_degrees_of_freedom_and_p_are_told(whole: Tables) -> None:
    its = measures(whole)
    assert its["F", "standard, one-way ANOVA"]["test"].startswith("df 3, 92, p ")
    assert "df 3, 69, p " in its["F by person", "standard, repeated-measures ANOVA"]["test"]
    assert its["P", "eq. 14, signed-rank, Benjamini-Hochberg"]["test"] == "5 of 6 pairs"
    assert "missing" not in whole


def test_the_published_figures_stand_beside_and_one_does_not_follow(
    runs: Path, whole: Tables
) -> None:
    its = measures(whole)
    published = [
        float(its[key]["published"])
        for key in (
            ("MSR", "eq. 11"),
            ("MAC", "eq. 12"),
            ("F", "eq. 13"),
            ("P", "eq. 14, signed-rank, Benjamini-Hochberg"),
        )
    ]
    assert published == [0.745, 0.427, 112, 0.87]
    text = told(runs / "whole", "--reference")
    assert "an MSR of 0.745 gives an F of 77.6 by equation 13 and 78.4" in text
    assert "not 112" in text
    assert "published" not in told(runs / "whole")


def test_dimensions_power_and_stability_have_tables(whole: Tables) -> None:
    assert [row["dimension"] for row in whole["discrimination-dimensions"]][:3] == [
        "RA",
        "AS",
        "RD",
    ]
    assert len(whole["discrimination-dimensions"]) == 10
    people = [int(row["typical"]) for row in whole["power"]]
    assert [float(row["difference"]) for row in whole["power"]] == [0.1, 0.2, 0.3]
    assert people[0] > people[1] > people[2] >= 6
    for row in whole["power"]:
        assert int(row["strict"]) >= int(row["typical"]) <= int(row["widest"])
    ranks = {r["supporter"]: (int(r["low"]), int(r["high"])) for r in whole["stability"]}
    assert (ranks["a"], ranks["b"]) == ((4, 4), (3, 3))
    assert {ranks["c"], ranks["d"]} <= {(1, 2), (1, 1), (2, 2)}


def test_missing_ratings_are_listed_and_make_a_mixed_model(runs: Path, tmp_path: Path) -> None:
    found = tables(tmp_path, runs / "gaps")
    missing = [(r["supporter"], r["why"], r["many"], r["people"]) for r in found["missing"]]
    assert missing == [
        ("b", "failed", "2", "en-001, en-002"),
        ("c", "a dimension is unscored", "3", "en-001, en-002, en-003"),
    ]
    its = measures(found)
    assert its["F by person", "standard, mixed model"]["people"] == "24"
    assert its["MSR", "eq. 11"]["people"] == "21"
    assert "3 of 24 people are not in them" in told(runs / "gaps")


def test_a_supporter_who_was_never_judged_is_left_out_and_named(tmp_path: Path) -> None:
    synthetic_run(
        tmp_path / "run", {"a": 2.4, "b": 3.0, "c": 3.6, "gone": 3.0},
        profiles=24, failed={"gone": 24},
    )  # fmt: skip
    text = told(tmp_path / "run")
    assert "left out, without a single whole rating: gone" in text
    found = tables(tmp_path / "out", tmp_path / "run")
    assert [row["many"] for row in found["missing"]] == ["24"]
    assert measures(found)["MSR", "eq. 11"]["people"] == "24"


def test_seeds_make_it_the_same_again(runs: Path) -> None:
    once = told(runs / "whole", "--seed", "5")
    assert once == told(runs / "whole", "--seed", "5")
    assert once != told(runs / "whole", "--seed", "6")


def test_a_later_judge_can_be_asked_about(runs: Path) -> None:
    assert "standard, judged by" in told(runs / "whole", "--judging", "standard")


def test_marks_measured_otherwise_are_refused(runs: Path, tmp_path: Path) -> None:
    synthetic_run(tmp_path / "zh", {"e": 3.0}, profiles=8, language="zh")
    error = refused(runs / "whole", tmp_path / "zh")
    assert "these marks differ in language (en and zh) and are never averaged together" in error


@pytest.mark.parametrize(
    "people, warning",
    [(24, None), (12, "12 people: under 20"), (5, "5 people: under 6 nothing is tested")],
)
def test_few_people_are_warned_of(people: int, warning: str | None, tmp_path: Path) -> None:
    synthetic_run(tmp_path / "run", {"a": 2.0, "b": 3.0, "c": 4.0}, profiles=people)
    text = told(tmp_path / "run")
    assert ("warning" in text) == (warning is not None)
    assert warning is None or warning in text
    found = measures(tables(tmp_path / "out", tmp_path / "run"))
    tested = " p " in f" {found['F', 'standard, one-way ANOVA']['test']}".replace("no p", "")
    assert tested == (people >= 6)
    assert bool(found["P", "eq. 14, signed-rank, Benjamini-Hochberg"]["value"]) == (people >= 6)


@pytest.mark.parametrize(
    "more, words",
    [
        ({"supporters": {"a": 3.0}}, "two supporters with ratings are needed"),
        ({"profiles": 1}, "fewer than two people"),
        ({"people": 0.0, "noise": 0.0}, "there is no noise to compare them with"),
        (
            {"unscored": {"a": 8, "b": 8, "c": 8}, "dimensions": TEN[:1]},
            "two supporters with ratings are needed",
        ),
    ],
)
def test_what_is_undefined_is_told_in_words(
    more: dict[str, object], words: str, tmp_path: Path
) -> None:
    plain: dict[str, object] = {"supporters": {"a": 2.0, "b": 3.0, "c": 4.0}, "profiles": 8}
    synthetic_run(tmp_path / "run", **{**plain, **more})  # type: ignore[arg-type]
    text = told(tmp_path / "run")
    assert words in text and "nan" not in text.lower().replace("dominan", "")
