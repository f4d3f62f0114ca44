"""`plot` from the command line: the figures, and a clear word where one cannot be drawn."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image

from emoharbor.plots.words import EN, ZH
from emoharbor.prompts.rubric import load_rubric
from emoharbor.runs.folder import RunFolder
from tests.here import emoharbor
from tests.profiles.test_figures import a_font_of, fresh, inked
from tests.reports.test_turns import prefixed
from tests.synthetic import synthetic_run

ALL = ("radar", "endings", "survival", "dimensions-by-turn", "intensity", "leaning")


def judged_run(folder: Path, systems: int, **more: object) -> RunFolder:
    names = {f"system-{number:02d}": 2 + 2 * number / systems for number in range(systems)}
    run = synthetic_run(folder, names, profiles=8, judged={"other": 0.0}, **more)
    prefixed(run, "other")
    return run


def test_each_figure_is_drawn_and_always_the_same(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", 2)
    for folder in (tmp_path / "a", tmp_path / "b"):
        told = emoharbor("plot", str(run.path), "-o", str(folder))
        assert told.returncode == 0, told.stderr
        assert {file.name for file in folder.iterdir()} == {
            f"{name}{end}" for name in ALL for end in (".png", ".svg")
        }
    for name in ALL:
        assert 0.005 < inked(tmp_path / "a" / f"{name}.png") < 0.6
        for end in (".png", ".svg"):
            file = f"{name}{end}"
            assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_many_systems_have_a_panel_each_and_fit_a_page(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", 20)
    assert emoharbor("plot", str(run.path), "-o", str(tmp_path)).returncode == 0
    for name in ALL:
        with Image.open(tmp_path / f"{name}.png") as many:
            assert 1000 < many.height < 1800 and many.width < 2400


def test_what_is_not_there_is_told_and_the_rest_is_drawn(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "run", {"x": 3.0}, profiles=3, states=None, repeats=2)
    told = emoharbor("plot", str(run.path), "-o", str(tmp_path / "out"))
    assert told.returncode == 0, told.stderr
    drawn = {file.stem for file in (tmp_path / "out").iterdir()}
    assert drawn == {"radar", "endings", "survival"}
    assert "dimensions-by-turn: not drawn, no prefix of a dialogue has been judged" in told.stdout
    assert "leaning: not drawn, there are no inner states with it" in told.stdout


def test_depth_is_drawn_of_worst_case_seekers(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "run", {"x": 3.0}, profiles=3, states="emotion")
    told = emoharbor("plot", str(run.path), "-o", str(tmp_path / "out"))
    assert told.returncode == 0 and (tmp_path / "out" / "depth.svg").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="the folder of a user's fonts is Linux's")
def test_chinese_runs_are_labelled_in_chinese_where_a_font_has_it(tmp_path: Path) -> None:
    run = judged_run(tmp_path / "run", 2, language="zh")
    english = emoharbor("plot", str(run.path), "-o", str(tmp_path / "en"), "--language", "en")
    assert english.returncode == 0, english.stderr
    (tmp_path / "fonts").mkdir()
    titles = "".join(facet.title for facet in load_rubric("worst-case-14", "zh").facets)
    chinese = {each for each in titles + "".join(ZH.values()) if not each.isascii()}
    a_font_of("".join(sorted(chinese)), tmp_path / "fonts" / "han.ttf")
    told = fresh("plot", str(run.path), "-o", str(tmp_path / "zh"), XDG_DATA_HOME=str(tmp_path))
    assert told.returncode == 0 and "Glyph" not in told.stderr, told.stderr
    for name in ALL:
        one, other = (tmp_path / code / f"{name}.svg" for code in ("zh", "en"))
        assert one.read_bytes() != other.read_bytes()


def test_a_name_that_no_font_has_is_told_with_what_to_do(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "run", {"x": 3.0}, profiles=3)
    text = run.records_file.read_text(encoding="utf-8")
    run.records_file.write_text(text.replace('"supporter":"x"', '"supporter":"\u0378"'))
    told = emoharbor("plot", str(run.path), "-o", str(tmp_path / "out"))
    assert told.returncode == 2 and "no installed font has all characters" in told.stderr
    assert "Traceback" not in told.stderr and not (tmp_path / "out").exists()


def test_both_languages_have_the_same_words() -> None:
    assert EN.keys() == ZH.keys()


def test_what_is_needed_is_told(tmp_path: Path) -> None:
    run = synthetic_run(tmp_path / "run", {"x": 3.0}, profiles=2)
    told = fresh(
        "plot", str(run.path), "-o", str(tmp_path / "out"),
        first="import sys; sys.modules['matplotlib'] = None; ",
    )  # fmt: skip
    assert told.returncode == 2 and "pip install 'emoharbor[plots]'" in told.stderr
    told = emoharbor("plot", str(run.path), "-o", str(tmp_path / "out"), "--language", "fr")
    assert told.returncode == 2 and "en or zh is wanted" in told.stderr
