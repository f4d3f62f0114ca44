"""`emoharbor graph`: as a person uses it, with neither key nor network."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from emoharbor.cli import app
from emoharbor.errors import ConfigError
from tests.processes import ROOT, command_line, run_forked


def offline(*args: str) -> None:
    """`emoharbor graph ARGS` without keys, in a process that ends with any look at a host."""

    def watch(event: str, about: tuple[Any, ...]) -> None:
        if event in ("socket.connect", "socket.getaddrinfo"):
            sys.exit(f"the network is asked: {event} {about}")

    sys.addaudithook(watch)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        del os.environ[name]
    command_line("graph", *args)


def without_the_extra(*args: str) -> None:
    sys.modules["resvg_py"] = None  # type: ignore[assignment]
    offline(*args)


def apart(
    *args: str, call: Callable[..., None] = offline, encoding: str = "utf-8"
) -> subprocess.CompletedProcess[bytes]:
    return run_forked(call, *args, COLUMNS="120", PYTHONIOENCODING=encoding)


def graph(*args: str) -> bytes:
    done = CliRunner().invoke(app, ["graph", *args])
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


def told(*args: str) -> str:
    done = CliRunner().invoke(app, ["graph", *args])
    assert isinstance(done.exception, ConfigError), done.output
    return str(done.exception)


def test_boxes_are_what_a_terminal_gets() -> None:
    done = apart("demo")
    golden = (ROOT / "tests/graphs/pictures/demo-supporter.txt").read_bytes()
    assert (done.returncode, done.stdout, done.stderr) == (0, golden, b"")


def test_a_terminal_without_unicode_gets_plain_boxes() -> None:
    done = apart("demo", "--model", "openai:模型", encoding="latin-1")
    assert done.returncode == 0 and b"+- Supporter ---" in done.stdout
    assert b"appraisal - openai:??" in done.stdout and done.stdout.isascii()


def test_flags_swap_what_is_drawn() -> None:
    shown = graph(
        "emoharbor", "--supporter", "a=openai:x", "--supporter", "b=openai:y",
        "--model", "openai:m", "--judge", "openai:j", "--language", "zh",
        "--set", "max_turns=4", "--set", "opening=user",
    ).decode()  # fmt: skip
    assert "the user opens, at most 4 exchanges" in shown and "2 supporters" in shown
    for words in ("a: chat · openai:x", "talker · openai:m", "user_as_judge · openai:j"):
        assert words in shown


@pytest.mark.parametrize(
    "file, start",
    [
        ("g.svg", b"<svg "),
        ("G.PNG", b"\x89PNG\r\n"),
        ("g.mmd", b"flowchart TD\n"),
        ("g.mermaid", b"flowchart TD\n"),
        ("g.txt", b"  demo: the supporter opens"),
    ],
)
def test_a_file_is_of_the_format_that_its_name_says(
    tmp_path: Path, file: str, start: bytes
) -> None:
    drawn = graph("demo", "-o", str(tmp_path / file)).decode().strip()
    assert drawn == f"Drawn: {tmp_path / file}"
    assert (tmp_path / file).read_bytes().startswith(start)


def test_a_format_may_be_named_instead(tmp_path: Path) -> None:
    assert graph("demo", "--format", "mermaid").startswith(b"flowchart TD")
    assert ElementTree.fromstring(graph("demo", "--format", "svg")).tag.endswith("svg")
    assert graph("demo", "--format", "png").startswith(b"\x89PNG\r\n")
    graph("demo", "--format", "svg", "-o", str(tmp_path / "graph"))
    assert (tmp_path / "graph").read_bytes().startswith(b"<svg ")


def test_a_terminal_is_given_no_png() -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "emoharbor.cli", "graph", "demo", "--format", "png"]
    done = subprocess.run(command, cwd=ROOT, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 2 and b"-o graph.png" in done.stderr


def test_mistakes_are_told_in_words(tmp_path: Path) -> None:
    assert "did you mean 'demo'" in told("demmo")
    assert "did you mean 'talker'" in told("demo", "--set", "agents.talker.use=talkr")
    assert "name its format with --format" in told("demo", "-o", str(tmp_path / "g.jpg"))
    assert "but --format says png" in told("demo", "-o", "g.svg", "--format", "png")
    assert "cannot write" in told("demo", "-o", str(tmp_path / "no" / "g.svg"))
    assert not list(tmp_path.iterdir())


def test_a_png_needs_neither_key_nor_network(tmp_path: Path) -> None:
    done = apart("emoharbor_as_published", "-o", str(tmp_path / "graph.png"))
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_png_without_its_extra_says_what_to_install() -> None:
    done = apart("demo", "--format", "png", call=without_the_extra)
    assert done.returncode == 2 and b"Traceback" not in done.stderr
    assert b"pip install 'emoharbor[draw]'" in done.stderr


def test_the_picture_in_the_readme_is_what_its_command_makes(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.endswith("-o docs/images/graph.svg")]
    command = shlex.split(lines[0])
    assert len(lines) == 1 and command[:2] == ["emoharbor", "graph"]
    assert "](docs/images/graph.svg)" in text
    graph(*command[2:-1], str(tmp_path / "graph.svg"))
    shown = (ROOT / "docs/images/graph.svg").read_bytes()
    assert (tmp_path / "graph.svg").read_bytes() == shown
