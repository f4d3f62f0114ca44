"""What the lists of words about a seeker find, and what they leave alone."""

from __future__ import annotations

import pytest

from emoharbor.profiles.words import List, pattern
from emoharbor.state.profile import Language

FOUND: dict[tuple[List, Language], str] = {
    ("rejection", "en"): "that won't work|what's the point|you don't get it|easier said than done|"
    "it's not that simple|I don't need advice|how would that help|I already tried that|"
    "no use in it|that doesn't help|I've heard it all before|you asked that already",
    (
        "rejection",
        "zh",
    ): "没用的|试过了|你不懂|说得容易|不是这么回事|没那么简单|不用劝|道理我都懂|又是这套|"
    "做不到|问过了|跟你说也没用",
    (
        "evasion",
        "en",
    ): "I don't know|dunno|never mind|it's nothing|I'd rather not say|why do you ask",
    ("evasion", "zh"): "不知道|说不清|不想说|没什么|就那样|问这个干嘛|算了",
    ("filler", "en"): "hm|ok whatever|maybe|right",
    ("filler", "zh"): "嗯|哦|行吧|可能吧",
}
PASSED: dict[tuple[List, Language], str] = {
    ("rejection", "en"): "I tried to call her|it works fine|yes it helped|you know her",
    ("rejection", "zh"): "我试了一下|我是不是挺没用的|他懂我|有用|我做到了",
    ("evasion", "en"): "I know her|nothing was left in the house|my mother",
    ("evasion", "zh"): "我知道|就是没怎么管她|他说过|没什么人来看她|没事先讲",
    ("filler", "en"): "yes|no|ok I did it",
    ("filler", "zh"): "是|不是|好几年了",
}


def finds(name: List, language: Language, line: str) -> bool:
    wanted = pattern(language, name)
    return bool(wanted.fullmatch(line) if name == "filler" else wanted.search(line))


@pytest.mark.parametrize(("name", "language"), FOUND)
def test_a_line_is_found_or_not(name: List, language: Language) -> None:
    wrong = [line for line in FOUND[name, language].split("|") if not finds(name, language, line)]
    wrong += [line for line in PASSED[name, language].split("|") if finds(name, language, line)]
    assert not wrong
