"""A program on the other end of the pipe: it answers, dies, hangs, is started again, ends."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from pathlib import Path

import pytest

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import Completion
from emoharbor.models.config import ModelConfig
from emoharbor.models.pool import ModelPool
from tests.models.small_bot import (
    EACH,
    ECHO,
    PRIVATE,
    ask,
    lives,
    pids,
    refused,
    told,
    user,
    with_bot,
)


def test_one_program_answers_all_and_is_gone_afterwards(tmp_path: Path) -> None:
    texts = ["Hi.", "你好 👋", "a\nb\u2028c", "long " * 40_000]
    (first, *others) = ask(tmp_path, ECHO, *texts)
    assert told([first, *others]) == [f"You said: {text}".strip() for text in texts]
    assert isinstance(first, Completion) and first.seconds > 0 and first.usage.input_tokens is None
    (pid,) = pids(tmp_path)
    assert not lives(pid)


def test_a_death_is_told_with_code_and_last_words_and_without_the_prompt(tmp_path: Path) -> None:
    code = EACH + (
        "    print('got', line, file=sys.stderr)\n    print(words(asked), file=sys.stderr)\n"
        "    sys.exit('no model loaded') if start else 0\n"
    )
    failure = refused(tmp_path, code, PRIVATE)
    assert failure.cause == "unreachable" and failure.__context__ is None
    assert 'it ended with exit code 1; its last words: "no model loaded"' in str(failure)
    assert "bot.py" in str(failure) and "piano" not in repr(failure)


def test_what_it_logged_of_another_dialogue_is_not_shown_either(tmp_path: Path) -> None:
    code = EACH + (
        "    print('got:', words(asked), file=sys.stderr)\n"
        "    if words(asked) == 'die': sys.exit(4)\n    answer(asked, text='ok')\n"
    )
    ok, failure = told(ask(tmp_path, code, PRIVATE, "die"))
    assert ok == "ok" and "with exit code 4" in failure and "piano" not in failure


def test_a_traceback_is_worth_its_last_lines(tmp_path: Path) -> None:
    failure = refused(tmp_path, EACH + "    asked['no such key']\n")
    assert str(failure).endswith("KeyError: 'no such key'\" (given up after 1 try)")


def test_a_signal_has_a_name(tmp_path: Path) -> None:
    failure = refused(tmp_path, EACH + "    os.kill(os.getpid(), signal.SIGKILL)\n")
    assert "it ended by SIGKILL" in str(failure)


def test_it_is_started_again_after_a_death(tmp_path: Path) -> None:
    code = EACH + "    sys.exit(3) if start < 3 else answer(asked, text='better')\n"
    assert told(ask(tmp_path, code, "Hi.", tries=6)) == ["better"]
    assert len(set(pids(tmp_path))) == 3


def test_a_death_in_the_midst_of_others_loses_no_dialogue(tmp_path: Path) -> None:
    code = EACH + "    sys.exit(3) if start == 1 else answer(asked, text=words(asked))\n"
    texts = [f"text {n}" for n in range(8)]
    assert told(ask(tmp_path, code, *texts, tries=6, concurrency=8)) == texts
    assert len(pids(tmp_path)) == 2


def test_a_program_that_only_dies_is_left_alone_after_ten_times(tmp_path: Path) -> None:
    failures = ask(tmp_path, "sys.exit('no GPU')", "a", "b", tries=50)
    assert len(pids(tmp_path)) == 10
    for failure in failures:
        assert isinstance(failure, ModelError) and failure.cause == "refused_request"
        assert "no GPU" in str(failure) and "10th time in a row" in str(failure)


def test_deaths_with_replies_between_them_are_no_end(tmp_path: Path) -> None:
    code = EACH + "    sys.exit(0) if words(asked) == 'die' else answer(asked, text='ok')\n"

    async def use(pool: ModelPool, entry: ModelConfig) -> list[str]:
        model, said = pool.model(entry), []
        for text in ("die", "live") * 12:
            said += told(await asyncio.gather(model.complete(user(text)), return_exceptions=True))
        return said

    said = with_bot(tmp_path, code, use)
    assert said[1::2] == ["ok"] * 12 and all("exit code 0" in text for text in said[::2])


def test_one_that_hangs_is_stopped_and_started_again(tmp_path: Path) -> None:
    code = EACH + "    time.sleep(600) if start == 1 else answer(asked, text='awake')\n"

    async def use(pool: ModelPool, entry: ModelConfig) -> tuple[str, str, bool]:
        first, second = pool.model(entry), pool.model(entry.model_copy(update={"timeout": 20}))
        with pytest.raises(ModelError) as caught:
            await first.complete(user("Hi."))
        assert caught.value.cause == "timeout"
        reply = await second.complete(user("Hi."))
        return str(caught.value), reply.text, lives(pids(tmp_path)[0])

    failure, text, still = with_bot(tmp_path, code, use, timeout=0.5)
    assert "no reply within 0.5 seconds; does it flush what it prints?" in failure
    assert text == "awake" and not still and len(pids(tmp_path)) == 2


def test_one_that_answers_others_is_not_stopped_for_a_slow_reply(tmp_path: Path) -> None:
    code = """
late = None
for line in sys.stdin:
    asked = json.loads(line)
    if words(asked) == 'slow':
        late = asked
        continue
    if words(asked) == 'last': answer(late, text='far too late')
    answer(asked, text=words(asked))
"""

    async def use(pool: ModelPool, entry: ModelConfig) -> list[str]:
        model, patient = pool.model(entry), pool.model(entry.model_copy(update={"timeout": 20}))
        slow = asyncio.create_task(model.complete(user("slow")))
        said = [(await patient.complete(user("quick"))).text]
        with pytest.raises(ModelError, match=r"no reply within 1 seconds \(given up"):
            await slow
        return [*said, (await patient.complete(user("last"))).text]

    assert with_bot(tmp_path, code, use, timeout=1, concurrency=2) == ["quick", "last"]
    assert len(pids(tmp_path)) == 1


def test_ctrl_c_does_not_reach_it(tmp_path: Path) -> None:
    code = EACH + "    answer(asked, text=str(os.getpgid(0)))\n"
    (group,) = told(ask(tmp_path, code, "Hi."))
    assert int(group) != os.getpgid(0)


def test_one_that_does_not_end_with_its_input_is_ended(tmp_path: Path) -> None:
    assert told(ask(tmp_path, ECHO + "time.sleep(600)", "Hi.")) == ["You said: Hi."]
    assert not lives(pids(tmp_path)[0])


def probe(pool: ModelPool, entry: ModelConfig) -> Awaitable[str]:
    return pool.probe(entry)


def test_a_probe_starts_it_and_asks_nothing(tmp_path: Path) -> None:
    line = with_bot(tmp_path, EACH + "    sys.exit(9)\n", probe)
    assert line.startswith("process:") and line.endswith("runs (it was not asked anything)")
    assert len(pids(tmp_path)) == 1


def test_a_probe_tells_of_one_that_cannot_start(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="No module named 'no_such_thing'"):
        with_bot(tmp_path, "import no_such_thing\n", probe)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("process:/no/such/program --fast", "cannot be started"),
        ("process:", "a command is wanted"),
        ("process:python 'bot.py", "the command cannot be read"),
    ],
)
def test_what_is_no_program_is_named(spec: str, words: str) -> None:
    async def run() -> None:
        async with ModelPool() as pool:
            await pool.probe(ModelConfig(spec=spec))

    with pytest.raises(ConfigError, match=words):
        asyncio.run(run())
