"""Which facts a profile holds, and when its person has told one."""

from __future__ import annotations

from emoharbor.profiles import load_profiles
from emoharbor.profiles.facts import facts_of, keys_of
from emoharbor.state.profile import Language, Profile
from tests.people import make_profile

LANGUAGES: tuple[Language, ...] = ("en", "zh")
PROBLEM: dict[Language, str] = {
    "en": "In March a pallet came off my hook. They sacked Davy for it.",
    "zh": "期中考年级六百一十一，室友帮我抹掉了一个数。爸爸买了周六的火车票。",
}


WITHHELD: dict[Language, str] = {
    "en": "An envelope for Davy sits in your glovebox: after trust",
    "zh": "第一次月考那张也改过，被追问才承认",
}


def person(language: Language) -> Profile:
    return make_profile(
        language,
        counselling={"problem": PROBLEM[language]},
        scenario={"withheld": [WITHHELD[language]]},
    )


def told(language: Language, said: str) -> list[str]:
    """The facts of an invented person that are told by these words."""
    keys = keys_of(said, language)
    return [fact.text for fact in facts_of(person(language)) if fact.told_by(keys)]


def test_a_fact_is_told_by_words_of_its_own() -> None:
    assert told("en", "it was the pallet, right off the hooks") == [
        "In March a pallet came off my hook"
    ]
    assert told("en", "they sacking davy, can you believe it") == ["They sacked Davy for it"]
    assert told("en", "it came off in the end, for my part") == []
    assert told("en", "an envelope for Davy in the glovebox") == [WITHHELD["en"]]
    assert told("zh", "他火车票都买好了，周六的") == ["爸爸买了周六的火车票"]
    assert told("zh", "室友帮我抹掉了一个数") != [] and told("zh", "我爸爸要来") == []


def test_what_is_withheld_is_told_apart() -> None:
    for language in LANGUAGES:
        facts = facts_of(person(language))
        assert [fact.text for fact in facts if fact.withheld] == [WITHHELD[language]]
        assert not [fact for fact in facts if len(fact.keys) < 2]


def test_words_that_many_people_have_are_nobodys() -> None:
    said = "I was with my mother at home and I don't know what I want"
    assert not [
        fact
        for p in load_profiles("en")
        for fact in facts_of(p)
        if fact.told_by(keys_of(said, "en"))
    ]


def test_nearly_everybody_who_ships_has_facts_to_tell() -> None:
    for language in LANGUAGES:
        for profile in load_profiles(language):
            facts = facts_of(profile)
            assert any(fact.withheld for fact in facts), profile.id
            assert sum(not fact.withheld for fact in facts) >= 5, profile.id
