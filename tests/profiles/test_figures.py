"""`profiles stats -o`: six figures, and a clear word where they cannot be drawn."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from PIL import Image

from tests.here import emoharbor
from tests.processes import ROOT
from tests.profiles.crowd import people, spoilt, written

KINDS = ("age", "occupation", "mbti", "topic", "emotion", "nationality")
MAIN = "import sys; sys.argv[0] = 'emoharbor'; from emoharbor.cli import main; main()"
NO_FONT_HAS = "\u0378"  # no character at all


def inked(file: Path) -> float:
    """The part of a picture that is not white."""
    with Image.open(file) as picture:
        counts = picture.convert("L").histogram()
    return 1 - counts[255] / sum(counts)


def test_each_figure_is_drawn_as_png_and_svg_and_always_the_same(tmp_path: Path) -> None:
    names = {f"en-{kind}{end}" for kind in KINDS for end in (".png", ".svg")}
    for folder in (tmp_path / "a", tmp_path / "b"):
        told = emoharbor("profiles", "stats", "en", "-o", str(folder))
        assert told.returncode == 0 and {file.name for file in folder.iterdir()} == names
        assert all(name in told.stdout for name in names)
    for kind in KINDS:
        assert 0.01 < inked(tmp_path / "a" / f"en-{kind}.png") < 0.6
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_more_people_make_longer_figures_up_to_a_limit(tmp_path: Path) -> None:
    one = people()[0]

    def height(number: int) -> int:
        crowd = [
            spoilt(one, id=f"p{n}", counselling={"emotion": f"mood {n}"}) for n in range(number)
        ]
        source = written(tmp_path / f"of{number}.jsonl", crowd)
        assert emoharbor("profiles", "stats", source, "-o", str(tmp_path)).returncode == 0
        with Image.open(tmp_path / f"of{number}-emotion.png") as picture:
            return picture.height

    assert 2 * height(5) < height(300) < 2000


def test_a_label_that_no_font_has_is_told_and_no_box_is_drawn(tmp_path: Path) -> None:
    crowd = [spoilt(people()[0], counselling={"emotion": f"x{NO_FONT_HAS}"})]
    source = written(tmp_path / "p.jsonl", crowd)
    told = emoharbor("profiles", "stats", source, "-o", str(tmp_path / "figures"), COLUMNS="500")
    assert told.returncode == 2 and "no installed font has all characters" in told.stderr
    assert "U+0378" in told.stderr and not (tmp_path / "figures").exists()


def fresh(*args: str, first: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """`emoharbor ARGS` in an interpreter that has imported nothing yet."""
    return subprocess.run(
        [sys.executable, "-c", first + MAIN, *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "500", **env},
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the folder of a user's fonts is Linux's")
def test_an_installed_font_is_found_for_what_is_lacking(tmp_path: Path) -> None:
    fonts = tmp_path / "fonts"
    fonts.mkdir()
    a_font_of(f"{NO_FONT_HAS}", fonts / "rare.ttf")
    crowd = [spoilt(people()[0], counselling={"emotion": f"x{NO_FONT_HAS}"})]
    source = written(tmp_path / "p.jsonl", crowd)
    told = fresh(
        "profiles", "stats", source, "-o", str(tmp_path), XDG_DATA_HOME=str(tmp_path)
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert "Glyph" not in told.stderr and (tmp_path / "p-emotion.png").exists()


def test_without_matplotlib_it_is_told_what_to_install(tmp_path: Path) -> None:
    # A module that is None is one that cannot be imported.
    told = fresh(
        "profiles", "stats", "en", "-o", str(tmp_path),
        first="import sys; sys.modules['matplotlib'] = None; ",
    )  # fmt: skip
    assert told.returncode == 2 and "pip install 'emoharbor[plots]'" in told.stderr


def a_font_of(characters: str, file: Path) -> None:
    """A font in which each of `characters` is a square."""
    pen: Any = TTGlyphPen(None)
    for corner in ((100, 0), (100, 700), (800, 700), (800, 0)):
        (pen.moveTo if corner == (100, 0) else pen.lineTo)(corner)
    pen.closePath()
    square = pen.glyph()
    names = [".notdef", *(f"u{ord(each):04X}" for each in characters)]
    untyped: Any = FontBuilder
    font = untyped(1000, isTTF=True)
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(each): f"u{ord(each):04X}" for each in characters})
    font.setupGlyf(dict.fromkeys(names, square))
    font.setupHorizontalMetrics(dict.fromkeys(names, (900, 100)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Rare", "styleName": "Regular"})
    font.setupOS2()
    font.setupPost()
    font.save(file)
