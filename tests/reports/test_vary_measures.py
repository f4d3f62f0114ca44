"""The figures of one dialogue, counted by hand."""

from __future__ import annotations

from typing import Any

import pytest

from emoharbor.reports.vary_measures import MEASURES, Talk, evades, measured
from emoharbor.state.dialogue import Speaker
from emoharbor.state.profile import Language
from tests.people import make_profile

FACTS: dict[str, Any] = {
    "counselling": {
        "problem": "In March a pallet came off my hook. They sacked Davy for it.",
        "emotional_state": "I keep driving down his street.",
        "relations": ["Davy, 58: banksman, taught me everything"],
    },
    "scenario": {"withheld": ["An envelope for Davy sits in your glovebox: after trust"]},
}
LINES: list[tuple[Speaker, str]] = [
    ("user", "a pallet came off my hook in March, that won't work"),
    ("supporter", "That is hard. What happened then?"),
    ("user", "they sacked Davy"),
    ("supporter", "Have you told anybody?"),
    ("user", "dunno"),
    ("supporter", "You could write to him."),
    ("user", "what's the point"),
    ("supporter", "Shall I stay?"),
]


def talk(**changes: Any) -> Talk:
    given: dict[str, Any] = {
        "language": "en",
        "lines": LINES,
        "lengths": [10, 3, 1, 3],
        "depths": [1, 3, 3, 0],
        "profile": make_profile("en", **FACTS),
    }
    return Talk(**{**given, **changes})


def test_each_figure_of_a_dialogue() -> None:
    found = measured(talk())
    assert list(found) == [measure.key for measure in MEASURES]
    assert found["length"] == 4.25
    # Of pallet, sacked, street, banksman; none of the envelope.
    assert found["facts"] == 50 and found["withheld"] == 0
    # The first line answers nobody; the last question has no answer to be looked at.
    assert found["rejections"] == pytest.approx(100 / 3)
    assert found["answered"] == 50
    assert found["volatility"] == pytest.approx(5 / 3)


def test_what_is_not_there_is_undefined() -> None:
    found = measured(talk(lines=LINES[:1], lengths=[9], depths=[2], profile=None))
    assert found["length"] == 9
    assert {key for key, value in found.items() if value is None} == {
        "facts", "withheld", "rejections", "answered", "volatility",
    }  # fmt: skip
    assert measured(talk(lines=[], lengths=[], depths=[]))["length"] is None


@pytest.mark.parametrize(
    ("language", "evading", "answering"),
    [
        ("en", "dunno", "my mother"),
        ("en", "Maybe.", "Maybe my mother."),
        ("en", "why do you ask that", "that is why"),
        ("en", "And you?", "no. And you?"),
        ("en", "...", "no"),
        ("en", "honestly I don't know", "she left me in May and that is all I don't know why"),
        ("zh", "不知道", "知道一点"),
        ("zh", "嗯。", "嗯，他来过"),
        ("zh", "问这个干嘛？", "他问的"),
        ("zh", "你呢？", "好些年了。你呢？"),
        ("zh", "……", "是"),
        ("zh", "算了，这种拆来拆去的说法没意思", "上个月她自己搬走的，后来怎么样我也不知道"),
        ("zh", "也没什么。就是习惯了", "就是没怎么管她"),
    ],
)
def test_what_answers_a_question(language: Language, evading: str, answering: str) -> None:
    assert evades(evading, language) and not evades(answering, language)
