"""What is found in a line and what is not, and that the data that ships fits the measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from emoharbor.audit.figures import Measure
from emoharbor.audit.measures import measures
from emoharbor.audit.reference import interval, load_reference
from emoharbor.audit.talks import Talk, Talks
from emoharbor.imports import bring
from emoharbor.state.profile import Language
from tests.imports.foreign_dialogues import write_json

EVERY: dict[str, Measure] = {m.key: m for ms in measures("zh").values() for m in ms}


def hit(path: Path, key: str, line: str, language: Language, before: str = "Hm.") -> bool:
    """Whether a measure counts a user's line that stands alone after a supporter's."""
    messages = [{"role": "assistant", "content": before}, {"role": "user", "content": line}]
    (record,) = bring(write_json(path / "chat.json", {"messages": messages})).records
    figure = EVERY[key].of(
        Talks(language, (Talk(record.model_copy(update={"language": language}), ""),))
    )
    assert figure.n == 1  # fmt: skip
    return figure.hits == 1


@pytest.mark.parametrize(
    "key, language, found, passed",
    [
        ("thanks", "en", "ok thx", "I was thinking of it"),
        ("thanks", "zh", "谢谢你", "没什么"),
        ("relief", "en", "You're right, I'll try that", "I feel worse, you try it"),
        ("relief", "zh", "嗯，舒服多了", "没有道理"),
        ("greeting", "en", "Hello there!", "Hello, my dog died"),
        ("greeting", "zh", "老师，你好", "你好，我睡不着"),
        ("assistant", "en", "How can I help you today?", "How can I help my mother?"),
        ("assistant", "zh", "有什么可以帮您的吗", "没人能帮我"),
        ("machine", "en", "As an AI language model, I have no feelings", "You are a machine"),
        ("flip", "en", "Thank you for sharing that with me", "Thanks for listening"),
        ("flip", "zh", "谢谢你的分享", "谢谢你愿意听我说"),
        ("simile", "en", "it feels like a wall", "I like walls"),
        ("marks", "en", "not work—life", "well-meant"),
        ("marks", "zh", "他说“算了”", "他说算了"),
        ("stage", "en", "*sighs* fine", "5 * 3"),
        ("stage", "zh", "（苦笑）没事", "没事"),
        ("list", "en", "Two things:\n1. work\n2. sleep", "1. work"),
        ("wordless", "en", "...", "so"),
        ("strange", "en", "I feel 难过", "I feel naïve"),
        ("strange", "zh", "我觉得 so bad 了", "我的KPI没完成"),
        ("prefix", "en", "Seeker: hi", "My client: gone"),
        ("prefix", "zh", "来访者：在吗", "我妈：别来了"),
        ("ellipsis", "zh", "嗯……", "嗯。"),
        ("no_final_mark", "zh", "嗯", "嗯。"),
        ("question", "en", "why? no idea", "why"),
        ("particle", "zh", "好吧", "好"),
        ("short", "en", "one two three four five", "one two three four five six"),
    ],
)
def test_a_line_is_counted_or_not(
    tmp_path: Path, key: str, language: Language, found: str, passed: str
) -> None:
    assert hit(tmp_path, key, found, language)
    assert not hit(tmp_path, key, passed, language)


def test_a_line_of_the_other_is_an_echo_word_for_word_alone(tmp_path: Path) -> None:
    assert hit(tmp_path, "echo", "How  are you?", "en", before="How are you?")
    assert not hit(tmp_path, "echo", "How are you", "en", before="How are you?")


def test_what_people_show_is_of_measures_and_sources_that_there_are() -> None:
    reference = load_reference()
    assert not reference.measures.keys() - EVERY.keys()
    used = {source for values in reference.measures.values() for source in values}
    assert used == reference.sources.keys()
    people = [s for s in reference.sources.values() if s.kind == "people"]
    assert all(source.lines for source in people)


def test_a_share_may_be_off_by_as_much_as_its_lines_say() -> None:
    assert interval(0.5, None) == (0.5, 0.5)
    # Wilson's interval for 5 of 10.
    assert interval(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)


def test_keys_are_different() -> None:
    for language in ("en", "zh"):
        keys = [m.key for section in measures(language).values() for m in section]
        assert len(keys) == len(set(keys))
