"""The words by which `risk` is held against a text: what they catch, and what they let pass."""

from __future__ import annotations

import pytest

from emoharbor.profiles.risk import RISKS, risk_findings
from emoharbor.state.profile import Language, Risk
from tests.people import make_profile

CAUGHT: list[tuple[Language, Risk, str]] = [
    ("en", "self_harm", "Last winter I wanted to die and told nobody."),
    ("en", "self_harm", "He thought of killing himself."),
    ("en", "self_harm", "She has been self-harming since spring."),
    ("en", "violence", "I punched him in the car park."),
    ("en", "violence", "Four years for manslaughter."),
    ("en", "abuse", "My husband hits me when the match is lost."),
    ("en", "abuse", "I slapped her in front of the class."),
    ("zh", "self_harm", "那阵子不想活了，谁也没讲。"),
    ("zh", "self_harm", "站在楼上想死，被同学拉住。"),
    ("zh", "violence", "那天我拿刀砍伤了他。"),
    ("zh", "abuse", "我爸喝了酒就打我一顿。"),
    ("zh", "abuse", "他家暴我三年。"),
]
LET_PASS: list[tuple[Language, str]] = [
    ("en", "It hit him that the dog was deaf; he could have killed himself laughing, nearly."),
    ("en", "The pun slapped him on the back, the crossword beats me."),
    ("en", "I had a stab at it. The assault course was murder. A wounding remark."),
    ("en", "Being told to cheer up: it hurts, and you leave."),
    ("zh", "年轻生意好做，跳楼价，跳楼大甩卖。"),
    ("zh", "我想死你了，打死不说，砍了两千下来，捅了娄子。"),
    ("zh", "不想活成他那样。打球打了一下午，针打到第二个月。"),
]


@pytest.mark.parametrize("language, risk, text", CAUGHT)
def test_what_is_spoken_of_must_be_flagged(language: Language, risk: Risk, text: str) -> None:
    plain = make_profile(language, counselling={"problem": text})
    [finding] = risk_findings(plain)
    assert finding.field == "counselling.problem" and f"speaks of {risk}" in finding.says
    flagged = make_profile(language, counselling={"problem": text}, risk=[risk])
    assert not list(risk_findings(flagged))


@pytest.mark.parametrize("language, text", LET_PASS)
def test_idioms_are_no_risk(language: Language, text: str) -> None:
    assert not list(risk_findings(make_profile(language, counselling={"problem": text})))


def test_what_drives_somebody_away_is_said_by_others() -> None:
    called = {"leaves": "Being called abusive, or told that he wanted to die."}
    assert not list(risk_findings(make_profile("en", scenario=called)))


@pytest.mark.parametrize("risk", RISKS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_flag_needs_a_trace(language: Language, risk: Risk) -> None:
    [finding] = risk_findings(make_profile(language, risk=[risk]))
    assert finding.field == "risk" and f"names {risk}" in finding.says


@pytest.mark.parametrize(
    "language, risk, hint",
    [
        ("en", "self_harm", "Some nights I think it is simpler without me."),
        ("en", "violence", "My hands make fists at supper."),
        ("en", "abuse", "A chair goes under your door handle on Fridays."),
        ("zh", "self_harm", "把车停在桥上抽了两根烟。"),
        ("zh", "violence", "拳头自己就攥上了。"),
        ("zh", "abuse", "他手腕有圈旧印子。"),
    ],
)
def test_a_hint_is_trace_enough_and_no_alarm(language: Language, risk: Risk, hint: str) -> None:
    for flags in ([risk], []):
        person = make_profile(language, counselling={"problem": hint}, risk=flags)
        assert not list(risk_findings(person))
