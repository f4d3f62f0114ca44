"""What a judge may reply, and what becomes of it: repaired once, else unscored, never clamped."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emoharbor.agents.verdict_reply import RAW_KEPT
from emoharbor.models.base import Completion
from emoharbor.models.scripted import Reply, ScriptedChat
from emoharbor.prompts.rubric import load_rubric
from emoharbor.state.verdict import Score, Unscored, Verdict
from tests.agents import seats
from tests.people import felt, heard, said, view

KEYS = load_rubric("emoharbor-10", "en").keys
ONE = "safety"
MARK = {"evidence": [1, 3], "reason": "it asked", "value": 4}
GOOD = dict.fromkeys(KEYS, MARK)
SEEN = view([heard("hello"), felt(), said("hi"), heard("go on"), felt(), said("no")])


def with_one(**changes: Any) -> dict[str, Any]:
    """A good reply but for one dimension's mark."""
    return {**GOOD, ONE: {**MARK, **changes}}


def judged(*replies: Reply) -> tuple[Verdict, int]:
    model = ScriptedChat(replies)
    verdict = asyncio.run(seats.judge(model)(SEEN))
    return verdict, len(model.requests)


def text_of(reply: Reply) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


FULL_WIDTH = (
    text_of(GOOD).replace("4", "４").replace('"', "“").replace(":", "：").replace(",", "，")
)
READ_AT_ONCE: dict[str, Reply] = {
    "fenced": f"```json\n{text_of(GOOD)}\n```",
    "fenced without a language": f"```\n{text_of(GOOD)}\n```",
    "prose before": f"As myself, I would say:\n\n{text_of(GOOD)}",
    "prose behind": f"{text_of(GOOD)}\n\nI hope this helps {{you}}!",
    "a thought before": f"<think>value: {{6}}</think>{text_of(GOOD)}",
    "a brace in a string": with_one(reason='it said "}{" and {"value": 1}'),
    "a fence in a string": with_one(reason="```json {} ```"),
    "full-width digits and curly quotes": FULL_WIDTH,
    "a line break in a string": text_of(with_one(reason="a@b")).replace("@", "\n"),
    "a key too many in a mark": with_one(missing="nothing"),
    "evidence named twice": with_one(evidence=[3, 1, 3]),
}


@pytest.mark.parametrize("reply", READ_AT_ONCE.values(), ids=READ_AT_ONCE.keys())
def test_what_can_be_read_is_read_at_once(reply: Reply) -> None:
    verdict, calls = judged(reply)
    assert calls == 1
    scores = [mark for mark in verdict.scores.values() if isinstance(mark, Score)]
    assert [score.value for score in scores] == [4] * 10
    assert all(set(score.evidence) == {1, 3} for score in scores)


BAD_MARKS: dict[str, tuple[dict[str, Any], str]] = {
    "4/5": (with_one(value="4/5"), "value: Input should be a valid integer"),
    "a digit in quotes": (with_one(value="4"), "value: Input should be a valid integer"),
    "full-width in quotes": (with_one(value="４"), "value: Input should be a valid integer"),
    "6": (with_one(value=6), "value: Input should be less than or equal to 5"),
    "0": (with_one(value=0), "value: Input should be greater than or equal to 1"),
    "-1": (with_one(value=-1), "value: Input should be greater than or equal to 1"),
    "true": (with_one(value=True), "value: Input should be a valid integer"),
    "3.5": (with_one(value=3.5), "value: Input should be a valid integer"),
    "null": (with_one(value=None), "value: Input should be a valid integer"),
    "a list of values": (with_one(value=[4]), "value: Input should be a valid integer"),
    "no value": ({**GOOD, ONE: {"evidence": [1], "reason": "r"}}, "value: Field required"),
    "the bare value": ({**GOOD, ONE: 4}, "reply: Input should be a valid dictionary"),
    "nothing for it": ({**GOOD, ONE: None}, "reply: Input should be a valid dictionary"),
    "no reason": ({**GOOD, ONE: {"evidence": [1], "value": 4}}, "reason: Field required"),
    "an empty reason": (with_one(reason=""), "reason: String should have at least 1"),
    "no evidence": (with_one(evidence=[]), "evidence: List should have at least 1"),
    "evidence as a number": (with_one(evidence=1), "evidence: Input should be a valid list"),
    "evidence in quotes": (with_one(evidence=["1"]), "evidence.0: Input should be a valid integer"),
    "evidence true": (with_one(evidence=[True]), "evidence.0: Input should be a valid integer"),
    "evidence 0": (with_one(evidence=[0]), "evidence: there is no message 0"),
    "evidence 5 of 4": (with_one(evidence=[1, 5]), "evidence: there is no message 5"),
    "evidence -1": (with_one(evidence=[-1]), "evidence: there is no message -1"),
    "9 dimensions": ({k: m for k, m in GOOD.items() if k != ONE}, "missing"),
}


@pytest.mark.parametrize(("bad", "cause"), BAD_MARKS.values(), ids=BAD_MARKS.keys())
def test_a_bad_mark_is_repaired_or_unscored_alone(bad: dict[str, Any], cause: str) -> None:
    verdict, calls = judged(bad, GOOD)
    assert calls == 2
    assert all(mark == Score(reason="it asked", evidence=(1, 3), value=4) for mark in
               verdict.scores.values())  # fmt: skip
    verdict, calls = judged(bad, bad)
    assert calls == 2
    unscored = verdict.scores[ONE]
    assert isinstance(unscored, Unscored)
    assert cause in unscored.cause
    assert json.loads(unscored.raw) == bad.get(ONE, bad)
    others = [mark for key, mark in verdict.scores.items() if key != ONE]
    assert [mark.value for mark in others if isinstance(mark, Score)] == [4] * 9


TRUNCATED = text_of(GOOD)[:400]
NO_OBJECT: dict[str, tuple[Reply, str]] = {
    "NaN": (with_one(value=math.nan), "not one JSON object"),
    "Infinity": (with_one(value=math.inf), "not one JSON object"),
    "a key twice": (f'{text_of(GOOD)[:-1]}, "{ONE}": {text_of(MARK)}}}', "not one JSON object"),
    "a truncated object": (Completion(TRUNCATED, finish_reason="length"), "broke off"),
    "truncated without a word": (TRUNCATED, "not one JSON object"),
    "a refusal": ("I'm sorry, but I can't help with that.", "not one JSON object"),
    "a refusal in Chinese": ("抱歉，我无法给出评分。", "not one JSON object"),
    "scores in prose": ("Safety: 4/5. Empathy: 5/5.", "not one JSON object"),
    "a list": (f"[{text_of(GOOD)}]", "not one JSON object"),
    "two verdicts": (f"{text_of(GOOD)}\n{text_of(with_one(value=1))}", "not one JSON object"),
    "empty": ("", "the reply is empty"),
    "white space": ("\n \t", "the reply is empty"),
    "thoughts alone": ("<think>4 for all</think>", "the reply is empty"),
}


@pytest.mark.parametrize(("bad", "cause"), NO_OBJECT.values(), ids=NO_OBJECT.keys())
def test_no_object_is_repaired_or_unscored(bad: Reply, cause: str) -> None:
    verdict, calls = judged(bad, GOOD)
    assert calls == 2
    assert all(isinstance(mark, Score) for mark in verdict.scores.values())
    verdict, calls = judged(bad, bad)
    assert calls == 2
    assert list(verdict.scores) == KEYS
    for mark in verdict.scores.values():
        assert isinstance(mark, Unscored)
        assert cause in mark.cause
        assert bool(mark.raw) == ("empty" not in cause)


def test_a_second_reply_that_is_no_object_costs_no_good_mark() -> None:
    verdict, _ = judged(with_one(value=6), "sorry")
    assert [key for key, mark in verdict.scores.items() if isinstance(mark, Unscored)] == [ONE]


def test_eleven_dimensions_are_asked_for_again_and_the_ten_are_kept() -> None:
    eleven = {**GOOD, "charm": MARK}
    for second in (GOOD, eleven):
        verdict, calls = judged(eleven, second)
        assert calls == 2
        assert list(verdict.scores) == KEYS
        assert all(isinstance(mark, Score) for mark in verdict.scores.values())


def test_what_is_kept_of_a_reply_is_bounded() -> None:
    verdict, _ = judged("no " * 10_000, "no " * 10_000)
    assert {len(m.raw) for m in verdict.scores.values() if isinstance(m, Unscored)} == {RAW_KEPT}


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))


@settings(max_examples=60, deadline=None)
@given(st.one_of(VALUES, st.lists(VALUES, max_size=2)), st.lists(st.integers(-1, 6), max_size=3))
def test_no_mark_is_made_up(value: Any, evidence: list[int]) -> None:
    bad = with_one(value=value, evidence=evidence)
    mark = judged(bad, bad, bad)[0].scores[ONE]
    good_value = type(value) is int and 1 <= value <= 5
    good = good_value and bool(evidence) and all(1 <= n <= 4 for n in evidence)
    assert isinstance(mark, Score) == good
    if isinstance(mark, Score):
        assert mark.value == value
