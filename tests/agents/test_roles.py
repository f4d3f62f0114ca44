"""A simulated user who speaks as an assistant is out of role; one who speaks of it is not."""

from __future__ import annotations

import asyncio

import pytest

from emoharbor.models.scripted import ScriptedChat
from tests.agents import seats
from tests.people import heard, view

OUT = [
    "As an AI language model, I can't have feelings.",
    "I understand. As an AI, I don't have personal experiences, but I can help.",
    "As a large language model I am not able to feel.",
    "as an AI assistant, my role is to listen",
    "As an AI developed by OpenAI, I have no childhood.",
    "As an AI language model, while helpful, I cannot replace a friend.",
    "I'm just an AI language model, so no.",
    "I am a large language model.",
    "I’m an AI assistant and here to help you.",
    "I am an AI model trained to talk.",
    "作为一个人工智能，我没有感情。",
    "作为AI语言模型，我无法体会。",
    "作为一名人工智能助手，我很乐意帮你。",
    "作为一个大语言模型，虽然会聊天，但我没有童年。",
    "我是一个人工智能，没有感情。",
    "我只是一个AI助手。",
    "我是一个语言模型，不能替你决定",
]
IN = [
    "as an AI you can't know",
    "as an AI, you can't know what that's like",
    "as an AI language model, you wouldn't get it, I guess",
    "as an AI assistant you must hear this all day",
    "do you, as an AI, ever get tired of me",
    "you as an AI have it easy, I don't",
    "as an AI engineer I work till ten",
    "I got the job as an AI trainer, I hate it",
    "I'm a language model researcher, funny enough",
    "I'm a virtual assistant for a realtor in Manila",
    "he said I'm an AI model in disguise. I mean I just work a lot",
    "are you an AI?",
    "my boss wants to replace me with an AI assistant",
    "作为一个AI，你不懂",
    "作为一个人工智能助手，你怎么会懂我",
    "你作为一个AI，怎么会懂我",
    "您作为AI助手，能理解我吗",
    "你是个人工智能吧",
    "作为一个AI工程师，我天天加班",
    "我是一名人工智能工程师，快被自己做的东西顶替了",
    "我是一个AI专业的学生",
    "作为女儿，我很内疚",
]


@pytest.mark.parametrize("words", OUT)
def test_out_of_role_is_asked_again(words: str) -> None:
    model = ScriptedChat([words, "not great"])
    said = asyncio.run(seats.talker(model)(view([heard("how are you")])))
    assert said.text == "not great"
    assert len(model.requests) == 2
    repair = seats.talker().repair.render("role")
    assert model.requests[1].messages[-1]["content"] == repair


@pytest.mark.parametrize("words", IN)
def test_what_a_person_may_say_is_left_alone(words: str) -> None:
    model = ScriptedChat([words])
    assert asyncio.run(seats.talker(model)(view([heard("how are you")]))).text == words
