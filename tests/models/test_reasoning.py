from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.models.reasoning import clean, split_reasoning

CASES = [
    ("Hello.", "Hello.", ""),
    ("<think>plan</think>Hello.", "Hello.", "plan"),
    ("<THINK>\nplan\n</THINK>\n\nHello.", "Hello.", "plan"),
    ("<thinking>plan</thinking>Hello.", "Hello.", "plan"),
    ("<reasoning>plan</reasoning>Hello.", "Hello.", "plan"),
    ("<think>plan</thinking>Hello.", "Hello.", "plan"),
    ("<think></think>Hello.", "Hello.", ""),
    ("<think>plan", "", "plan"),
    ("Hello.<think>plan", "Hello.", "plan"),
    ("plan</think>Hello.", "Hello.", "plan"),
    ("<think>a</think>Hello <think>b</think>you.", "Hello you.", "a\nb"),
    ("<think>a <think> b</think>Hello.", "Hello.", "a <think> b"),
    ("<think>a<think>b</think>c</think>Hello.", "Hello.", "a<think>b\nc"),
    ("<think>a<reasoning>b</reasoning>c", "", "a<reasoning>b</reasoning>c"),
    ("<thi<think>x</think>nk>secret", "", "x\nsecret"),
    ("[THINK]plan[/THINK]Hello.", "Hello.", "plan"),
    ("◁think▷plan◁/think▷Hello.", "Hello.", "plan"),
    ("<|channel>thought\nplan<channel|>Hello.", "Hello.", "plan"),
    ("<|channel|>analysis<|message|>plan<|end|>Hello.", "Hello.", "plan"),
    (
        "<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>Hi."
        "<|return|>",
        "Hi.",
        "plan",
    ),
    ("<|channel|>analysis<|message|>p<|end|>assistant<|channel|>final<|message|>Hi.", "Hi.", "p"),
    ("plan<|end|><|start|>assistant<|channel|>final<|message|>Hi.", "Hi.", "plan"),
    ("<|channel|>final <|constrain|>json<|message|>{}", "{}", ""),
    ("<|channel|>analysis<|message|>plan", "", "plan"),
    ("<|channel|>commentary to=f<|message|>x<|call|>", "", "x"),
    ("analysisThe user is sad.assistantfinalHello.", "Hello.", "The user is sad."),
    ("Hello.<|end|>", "Hello.", ""),
    ("I think so. Let me think about reasoning.", "I think so. Let me think about reasoning.", ""),
    ("The analysis and the final word.", "The analysis and the final word.", ""),
    ("1 < 2 and thinking > doing", "1 < 2 and thinking > doing", ""),
    ("", "", ""),
]


@pytest.mark.parametrize(("text", "visible", "reasoning"), CASES)
def test_what_was_thought_is_told_from_what_was_said(
    text: str, visible: str, reasoning: str
) -> None:
    assert split_reasoning(text) == (visible, reasoning)


SECRET = "S3CRET"
PLAIN = st.text(alphabet="ab .\n", max_size=6)
THOUGHT = st.builds(lambda a, b: f"{a}{SECRET}{b}", PLAIN, PLAIN)
NAME = st.sampled_from(["think", "thinking", "reasoning", "THINK"])
BLOCK = st.builds(lambda name, thought: f"<{name}>{thought}</{name}>", NAME, THOUGHT)
MIXED = st.lists(st.one_of(PLAIN, BLOCK), max_size=6).map("".join)
OPEN = st.builds(lambda text, name, thought: f"{text}<{name}>{thought}", MIXED, NAME, THOUGHT)
ORPHAN = st.builds(
    lambda thought, name, text: f"{thought}</{name}>{text}", THOUGHT, NAME, st.one_of(MIXED, OPEN)
)
HARMONY = st.builds(
    lambda thought, text: (
        f"<|channel|>analysis<|message|>{thought}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{text}"
    ),
    THOUGHT,
    MIXED,
)


@given(st.one_of(MIXED, OPEN, ORPHAN, HARMONY))
def test_no_thought_is_ever_visible(text: str) -> None:
    visible, reasoning = split_reasoning(text)
    assert SECRET not in visible
    assert reasoning.count(SECRET) == text.count(SECRET)


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    visible, _ = split_reasoning(clean(text))
    assert split_reasoning(visible) == (visible, "")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("plain", "plain"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude00", "\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("שלום 😀 你好", "שלום 😀 你好"),
    ],
)
def test_lone_surrogates_are_replaced(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_what_is_clean_can_be_written(text: str) -> None:
    assert clean(text).encode().decode() == clean(text)
