"""What goes through the pipe to a program and back, and what is made of nonsense."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError
from emoharbor.models.base import Completion
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.pool import ModelPool
from tests.models.small_bot import (
    EACH,
    ECHO,
    PRIVATE,
    ask,
    refused,
    told,
    user,
    with_bot,
)


def test_a_lone_surrogate_arrives_as_a_replacement(tmp_path: Path) -> None:
    assert told(ask(tmp_path, ECHO, "\ud800!")) == ["You said: \ufffd!"]


def test_the_request_is_the_documented_shape(tmp_path: Path) -> None:
    code = EACH + "    answer(asked, text=json.dumps(asked))\n"
    (text,) = told(ask(tmp_path, code, "Hi."))
    asked = json.loads(text)
    assert asked.pop("dialogue") and asked == {"id": 1, "messages": user("Hi.")}


def test_replies_are_matched_by_id_whatever_their_order(tmp_path: Path) -> None:
    code = """
four = [json.loads(sys.stdin.readline()) for _ in range(4)]
for asked in reversed(four): answer(asked, text=words(asked).upper())
"""
    assert told(ask(tmp_path, code, *"abcd", concurrency=4)) == [*"ABCD"]


def test_without_a_word_in_the_suite_one_request_is_sent_after_the_other(tmp_path: Path) -> None:
    # The bot answers a line only when no other one lies in the pipe.
    code = """
import select
os.set_blocking(0, False)
while True:
    select.select([0], [], [])
    time.sleep(0.02)
    lines = os.read(0, 1 << 20).splitlines()
    if not lines: break
    for line in lines: answer(json.loads(line), text=str(len(lines)))
"""
    assert told(ask(tmp_path, code, *"abcdef")) == ["1"] * 6


def test_reasoning_is_removed(tmp_path: Path) -> None:
    (reply,) = ask(tmp_path, EACH + "    answer(asked, text='<think>hm</think>Yes.')", "Hi.")
    assert isinstance(reply, Completion) and (reply.text, reply.reasoning) == ("Yes.", "hm")


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("say('Loading model')", 'it wrote no reply, but "Loading model"'),
        ("say(json.dumps({'text': 'Hi.'}))", "a reply is one line of JSON with the id"),
        ("say(json.dumps({'id': 99, 'text': 'Hi.'}))", "a reply is one line of JSON with the id"),
        ("say(json.dumps({'id': True, 'text': 'Hi.'}))", "a reply is one line of JSON"),
        ("say('[1]')", "a reply is one line of JSON"),
        ("say('[' * 200_000)", "a reply is one line of JSON"),
        ("sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush()", "a reply is one line"),
        ("answer(asked)", 'the reply is neither {"text": "…"} nor {"error": "…"}'),
        ("answer(asked, text=3)", 'the reply is neither {"text": "…"}'),
        ("answer(asked, text=None)", 'the reply is neither {"text": "…"}'),
    ],
)
def test_rubbish_is_told(tmp_path: Path, reply: str, words: str) -> None:
    failure = refused(tmp_path, EACH + f"    {reply}\n")
    assert failure.cause == "bad_reply" and words in str(failure)


def test_rubbish_that_repeats_the_prompt_is_not_shown(tmp_path: Path) -> None:
    failure = refused(tmp_path, EACH + "    say(words(asked))\n", PRIVATE)
    assert failure.cause == "bad_reply" and "piano" not in repr(failure)


def test_a_banner_before_the_first_reply_passes(tmp_path: Path) -> None:
    assert told(ask(tmp_path, "say('Welcome!')\n" + ECHO, "Hi.", tries=3)) == ["You said: Hi."]


def test_an_error_of_the_bots_own(tmp_path: Path) -> None:
    failure = refused(tmp_path, EACH + "    answer(asked, error='out of memory')\n")
    assert failure.cause == "server_error" and 'it failed: "out of memory"' in str(failure)
    failure = refused(tmp_path, EACH + "    answer(asked, error=words(asked))\n", PRIVATE)
    assert "it says that it failed" in str(failure) and "piano" not in repr(failure)


def test_much_on_stderr_blocks_nobody(tmp_path: Path) -> None:
    code = EACH + "    sys.stderr.write('x' * 3_000_000)\n    answer(asked, text='ok')\n"
    assert told(ask(tmp_path, code, "a", "b")) == ["ok", "ok"]


def test_an_endless_line_is_cut_short(tmp_path: Path) -> None:
    failure = refused(tmp_path, EACH + "    say('x' * (1 << 25))\n")
    assert "it wrote a line of more than 16 MiB" in str(failure)


def test_a_finished_bot_takes_neither_sampling_nor_a_schema(tmp_path: Path) -> None:
    async def use(pool: ModelPool, entry: ModelConfig) -> None:
        with pytest.raises(ConfigError, match="is a finished bot .* takes no 'temperature'"):
            pool.model(entry, Sampling(temperature=0.7))
        with pytest.raises(ConfigError, match="cannot fill in a JSON schema"):
            await pool.model(entry).complete(user("Hi."), schema={"type": "object"})

    with_bot(tmp_path, ECHO, use)
