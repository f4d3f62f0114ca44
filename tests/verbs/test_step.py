"""`emoharbor step` as a person uses it: lines in, views out, and nothing lost on leaving."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from emoharbor.cli import main
from emoharbor.runs.folder import open_run
from tests import here
from tests.fake_openai import fake_openai
from tests.processes import Forked, forked
from tests.runs.steady import Steady

ECHO = ("emoharbor", "--supporter", "bot=scripted:echo", "--model", "scripted:echo")
OWN = """
from emoharbor.state.dialogue import Utterance

async def shy(user):
    return Utterance(text=f"um, {user.inner.emotion}")

async def broken(user):
    raise RuntimeError("out of order")
"""


def emoharbor(cwd: Path, *args: str, says: str = "") -> subprocess.CompletedProcess[str]:
    """The command line with `says` as its standard input."""
    stdin, sys.stdin = sys.stdin, io.StringIO(says)
    try:
        return here.emoharbor(*args, cwd=cwd)
    finally:
        sys.stdin = stdin


def test_a_dialogue_is_played_edited_swapped_left_and_finished(tmp_path: Path) -> None:
    (tmp_path / "own_talkers.py").write_text(OWN, encoding="utf-8")
    first = emoharbor(
        tmp_path, "step", *ECHO, "--turns", "2", "--profile", "en-003",
        says="?\n\nn\np\ns\ne thinker.emotion=torn\nw talker use=own_talkers:shy\nt\nq\n",
    )  # fmt: skip
    assert first.returncode == 0, first.stderr
    for words in (
        "bot/en-003/0, node by node",
        "swap the agent of a node",
        "next: supporter  (chat, scripted:echo)",
        "+ h_s, h_u: supporter: ",
        "== call at step 2, thinker, attempt 1",
        "h_u (2)",
        "+ h_u: noticed='Nothing to add.', cognition='Nothing to add.', emotion='torn'",
        "next: talker  (own_talkers:shy)",
        "+ h_s, h_u: user: um, torn",
        "step 2: termination  -> next supporter",
        "Go on with: emoharbor step runs/step-emoharbor-en-003",
    ):
        assert words in first.stdout, words
    assert "error" not in first.stdout
    run = "runs/step-emoharbor-en-003"
    again = emoharbor(tmp_path, "step", *ECHO, "--turns", "2", "--profile", "en-003", says="n\nn\n")
    assert "[2] user: um, torn" in again.stdout and "feels torn" in again.stdout
    assert (
        "next: talker  (own_talkers:shy)" in again.stdout
        and "Left before the talker" in again.stdout
    )
    last = emoharbor(tmp_path, "step", run, says="c\nn\n")
    assert "user: um, Nothing to add." in last.stdout and "Verdict (emoharbor-10" in last.stdout
    assert "the dialogue is over" in last.stdout and f"emoharbor show {run}" in last.stdout
    shown = emoharbor(tmp_path, "show", run, "en-003").stdout
    assert "feels torn" in shown and "[4] user: um, Nothing to add." in shown
    told = emoharbor(tmp_path, "history", run, "en-003").stdout
    assert "branch of step-emoharbor-en-003: bot/en-003/0/" in told and "evaluator" in told
    assert "1 dialogues are what was recorded" in emoharbor(tmp_path, "replay", run).stdout


def test_mistakes_at_the_prompt_are_told_and_change_nothing(tmp_path: Path) -> None:
    (tmp_path / "own_talkers.py").write_text(OWN, encoding="utf-8")
    says = "x\ne user=hi\ne\np\nw\nw talker 'use\nw thinker prompt=nowhere\nw talker temperature\n"
    done = emoharbor(tmp_path, "step", *ECHO, "--out", "here", says=says)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert done.stdout.count("error: ") == 8 and done.stdout.count("next: ") == 1
    for words in ("no command 'x'", "holds none yet", "no model was called", "no prompt file"):
        assert words in done.stdout, words
    says = "n\nn\nw talker use=own_talkers:broken\nc\nn\nw talker use=own_talkers:shy\nc\n"
    done = emoharbor(tmp_path, "step", *ECHO, "--turns", "1", "--out", "there", says=says)
    assert done.stdout.count("the talker failed: RuntimeError('out of order')") == 2
    assert "n tries it again" in done.stdout and "Verdict" in done.stdout


@pytest.mark.parametrize(
    "args, words",
    [
        (("step", "emoharbr", *ECHO[1:]), "did you mean 'emoharbor'?"),
        (("step", "emoharbor"), "no supporter to evaluate"),
        (("step", *ECHO, "--profile", "en-03"), "did you mean 'en-0"),
        (("step", *ECHO, "--supporter", "b=scripted:echo"), "one supporter (bot, b)"),
        (("step", "empty"), "empty holds no run"),
        (("step", "empty", "--turns", "2"), "w NODE KEY=VALUE"),
        (("step", *ECHO, "--store", "http://x"), "no store 'http://x'"),
    ],
)
def test_mistakes_are_told_in_words(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    (tmp_path / "empty").mkdir()
    told = emoharbor(tmp_path, *args)
    assert told.returncode == 2, told.stdout + told.stderr
    assert words in " ".join(told.stderr.split()) and "Traceback" not in told.stderr


def test_any_machine_goes_on_with_a_dialogue_in_redis(tmp_path: Path, redis_url: str) -> None:
    run = f"step-{uuid.uuid4().hex}"
    args = ("step", *ECHO, "--turns", "1", "--store", redis_url)
    assert emoharbor(tmp_path, *args, "--out", run, says="n\nn\ne supporter=Yes?\n").returncode == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = emoharbor(elsewhere, "step", run, "--store", redis_url, says="s\nc\n")
    assert "[1] supporter: Yes?" in done.stdout and "Verdict" in done.stdout
    (record,) = open_run(elsewhere / run).records().values()
    assert record.h_s[0].text == "Yes?"


def at_a_prompt(lines: Path, *args: str) -> None:
    """`emoharbor ARGS` with a pipe as its standard input."""
    sys.stdin = lines.open(encoding="utf-8")
    sys.argv = ["emoharbor", *args]
    main()


@contextmanager
def typed(lines: Path) -> Iterator[Callable[[bytes], int]]:
    """A pipe, and what writes to it; at the end it is closed."""
    os.mkfifo(lines)
    pipe = os.open(lines, os.O_RDWR)
    try:
        yield partial(os.write, pipe)
    finally:
        os.close(pipe)


async def interrupted(process: Forked) -> None:
    """Ctrl-C, again if need be: between a prompt and its read Python only notes a signal."""
    while process.returncode is None:
        process.send_signal(signal.SIGINT)
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.to_thread(process.process.join, 5), 6)


@pytest.mark.parametrize("during", ["a node", "the prompt"])
def test_ctrl_c_loses_nothing(tmp_path: Path, during: str) -> None:
    async def go() -> None:
        steady = Steady(at=2, hold=asyncio.Event())
        async with fake_openai(steady) as server:
            url, out = server.url, tmp_path / "run"
            models = ("--supporter", f"bot=openai:b@{url}", "--model", f"openai:m@{url}")
            args = ("step", "emoharbor", *models, "--turns", "1", "--out", str(out))
            with typed(tmp_path / "first") as say:
                first = await forked(at_a_prompt, tmp_path / "first", *args)
                say(b"n\n" if during == "the prompt" else b"n\nn\n")
                await first.stdout.readuntil(b"thinker> ")
                if during == "a node":
                    await steady.reached_by(first)
                await interrupted(first)
                words, error = await first.communicate()
            assert first.returncode == 130, words + error
            assert b"Left before the thinker" in words and b"Traceback" not in error
            assert steady.hold
            steady.hold.set()
            with typed(tmp_path / "second") as say:
                second = await forked(at_a_prompt, tmp_path / "second", *args)
                say(b"c\nq\n")
                words, error = await second.communicate()
            assert second.returncode == 0 and b"Verdict" in words, error
            assert sum(steady.asked.values()) == 4 + (during == "a node")

    asyncio.run(go())
