"""Counselling systems as presets of one supporter: what reaches their server, what comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
import yaml

from emoharbor.agents.template import SHIPPED, load_preset
from emoharbor.runs.executor import run_suite
from tests.agents.asked import CHAT, LINES, ask, text_of
from tests.fake_openai import fake_openai
from tests.people import heard, said
from tests.served import plays_all, role_of, small_suite

SHORT = [said("你好"), heard("你好，想聊什么？"), said("睡不着\n一闭眼就想事")]
LONG = [said(f"我{n}") if n % 2 == 0 else heard(f"你{n}") for n in range(81)]


def test_these_are_all_that_is_shipped() -> None:
    assert set(yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))) == {*CHAT, *LINES}


@pytest.mark.parametrize("preset", CHAT)
def test_a_dialogue_as_chat_messages(preset: str) -> None:
    assert ask(SHORT, preset=preset).messages == [
        {"role": "system", "content": text_of(preset)},
        {"role": "user", "content": "你好"},
        {"role": "assistant", "content": "你好，想聊什么？"},
        {"role": "user", "content": "睡不着\n一闭眼就想事"},
    ]


@pytest.mark.parametrize("preset", LINES)
def test_a_dialogue_as_lines_of_one_message(preset: str) -> None:
    lines = "来访者：你好\n咨询师：你好，想聊什么？\n来访者：睡不着\n一闭眼就想事\n咨询师："
    content = f"{text_of(preset)}\n\n对话：\n{lines}"
    assert ask(SHORT, preset=preset).messages == [{"role": "user", "content": content}]


@pytest.mark.parametrize("preset", CHAT)
def test_an_empty_history_as_chat_messages(preset: str) -> None:
    assert ask(preset=preset).messages == [
        {"role": "system", "content": text_of(preset)},
        {"role": "user", "content": "你好"},
    ]


@pytest.mark.parametrize("preset", LINES)
def test_an_empty_history_as_lines(preset: str) -> None:
    (message,) = ask(preset=preset).messages
    assert message["content"] == f"{text_of(preset)}\n\n对话：\n来访者：你好\n咨询师："


@pytest.mark.parametrize("preset", [*CHAT, *LINES])
def test_the_opening_stays_before_what_the_system_opened_with(preset: str) -> None:
    messages = ask([heard("坐吧"), said("嗯")], preset=preset).messages
    if preset in LINES:
        assert messages[0]["content"].endswith("\n来访者：你好\n咨询师：坐吧\n来访者：嗯\n咨询师：")
    else:
        assert [m["content"] for m in messages[1:]] == ["你好", "坐吧", "嗯"]


@pytest.mark.parametrize("preset", [*CHAT, *LINES])
def test_a_long_history_is_sent_whole_and_in_order(preset: str) -> None:
    messages = ask(LONG, preset=preset).messages
    words = [message.text for message in LONG]
    if preset in LINES:
        (message,) = messages
        sent = message["content"].split("对话：\n")[1].split("\n")
        assert [line.split("：", 1)[1] for line in sent] == [*words, ""]
    else:
        assert [m["content"] for m in messages[1:]] == words
        assert [m["role"] for m in messages[1:3]] == ["user", "assistant"]


@pytest.mark.parametrize(
    ("preset", "sampling"),
    [
        ("soulchat2", {"temperature": 0.7, "top_p": 0.95, "max_tokens": 4096}),
        ("simpsybot", {"max_tokens": 512}),
        ("mechat", {"temperature": 0.8, "top_p": 0.8}),
        ("psychat", {"temperature": 0.8, "top_p": 0.8}),
        ("cpsycounx", {"temperature": 0.8, "top_p": 0.8, "max_tokens": 1024}),
        ("mindchat", {}),
        ("emollm", {"temperature": 0.7, "top_p": 0.8}),
    ],
)
def test_a_presets_sampling_reaches_the_server_and_the_fingerprint(
    preset: str, sampling: dict[str, Any]
) -> None:
    asked = ask(preset=preset)
    assert asked.sampling == sampling
    assert asked.seat.fingerprint.items() >= sampling.items()


def test_the_suites_own_sampling_comes_first_and_null_takes_a_value_out() -> None:
    asked = ask(preset="soulchat2", temperature=0.1, max_tokens=None)
    assert asked.sampling == {"temperature": 0.1, "top_p": 0.95}
    assert asked.seat.fingerprint["temperature"] == 0.1
    assert "max_tokens" not in asked.seat.fingerprint


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        ("咨询师：你好", "你好"),
        (" 咨询师: 你好\n", "你好"),
        ("你好\n来访者：谢谢\n咨询师：不客气", "你好"),
        ("咨询师：你好\n\n 来访者: 嗯", "你好"),
        ("来访者：谢谢", ""),
        ("上次你说“来访者：我”是什么意思", "上次你说“来访者：我”是什么意思"),
        ("咨询师能做的：听你说", "咨询师能做的：听你说"),
        ("先歇一歇\n再说\n不急", "先歇一歇\n再说\n不急"),
    ],
)
def test_labels_and_the_clients_lines_are_taken_off_a_reply(reply: str, left: str) -> None:
    assert ask(SHORT, reply, preset="psychat").reply == left


def test_a_preset_without_rules_leaves_the_reply_as_it_is() -> None:
    assert ask(SHORT, "咨询师：好\n来访者：嗯", preset="mindchat").reply == "咨询师：好\n来访者：嗯"


def test_a_whole_dialogue_with_a_preset(tmp_path: Path) -> None:
    def runs_on(role: str, body: dict[str, Any], nth: int) -> str | None:
        return f"咨询师：第{nth}句\n来访者：嗯" if role == "supporter" else None

    async def go() -> None:
        async with fake_openai(plays_all(runs_on)) as server:
            suite = small_suite(server.url, plain={"language": "zh"})
            supporter = {"name": "bot", "use": "template", "model": "bot", "preset": "mechat"}
            suite = suite.model_validate(suite.model_dump() | {"supporters": [supporter]})
            folder = await run_suite(suite, tmp_path / "run")
            (record,) = folder.records().values()
            assert [m.text for m in record.h_s if m.role == "supporter"] == ["第1句", "第2句"]
            assert record.prompts["supporter/preset"] == load_preset("mechat").hash
            last = [body for body in server.bodies if role_of(body) == "supporter"][-1]
            asked = last["messages"][0]["content"]
            assert asked.endswith(f"咨询师：第1句\n来访者：{record.h_s[1].text}\n咨询师：")
            assert (last["temperature"], last["top_p"]) == (0.8, 0.8)

    asyncio.run(go())
