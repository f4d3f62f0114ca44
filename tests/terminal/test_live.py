"""What is printed while a run goes on, where there is no terminal and where there is one."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
from rich.console import Console

from emoharbor.flags import suite_from_flags
from emoharbor.runs.executor import run_suite
from emoharbor.terminal.live import LiveRun


def printed(tmp_path: Path, *, follow: bool, terminal: bool, language: str = "en") -> str:
    suite = suite_from_flags(
        "emoharbor",
        supporters=["bot=scripted:echo"],
        model="scripted:echo",
        plain={"max_turns": 2, "limit": 2, "language": language},
    )
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    live = LiveRun(console, follow=follow)
    with live.bar.progress:
        asyncio.run(run_suite(suite, tmp_path / "run", live.listener))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_plain_lines_count_what_is_done(tmp_path: Path) -> None:
    text = printed(tmp_path, follow=False, terminal=False)
    assert "1/2 bot/en-001/0: 2 exchanges, exchange limit" in text and "2/2 bot/en-002/0" in text
    assert "\x1b[" not in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_follow_shows_lines_and_inner_states_as_they_come(tmp_path: Path, language: str) -> None:
    text = printed(tmp_path, follow=True, terminal=False, language=language)
    for words in ("[1] supporter:", "[4] user:", "ended in exchange 2", "Verdict"):
        assert text.count(words) == 2
    assert text.count("thinks ") == 4
    assert text.index("[1] supporter:") < text.index("thinks ") < text.index("[2] user:")


def test_a_terminal_shows_a_count_and_an_estimate(tmp_path: Path) -> None:
    text = printed(tmp_path, follow=False, terminal=True)
    assert "2/2" in text and "dialogues" in text and "left" in text
