from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emoharbor.models.base import ChatMessage
from emoharbor.training.sft.masks import Example, has_marks, mask_of, reply_spans, shortened
from tests.training.sft.made import CHATML, TALK, THINKING, rendering


def test_replies_and_their_end_marks_are_learnt_and_nothing_else() -> None:
    render = rendering(CHATML)
    spans, text = reply_spans(TALK, render), render(TALK, False)
    assert spans is not None
    learnt = [text[start:end] for start, end in spans]
    assert learnt == ["Tell me more.<|im_end|>", "I am sorry.<|im_end|>"]


def test_a_template_that_rewrites_earlier_replies_cannot_be_compared() -> None:
    assert reply_spans(TALK, rendering(THINKING)) is None
    # Of one reply it can.
    assert reply_spans(TALK[:3], rendering(THINKING)) is not None


@pytest.mark.parametrize("mark", ["{% generation %}", "{%- generation -%}", "{%generation%}"])
def test_marks_are_seen(mark: str) -> None:
    assert has_marks(f"a{mark}b{{% endgeneration %}}")


def test_no_marks() -> None:
    assert not has_marks(CHATML)


def test_a_token_belongs_where_it_begins_and_ends() -> None:
    offsets = [(0, 2), (2, 5), (5, 9), (9, 9), (8, 10), (10, 12), (12, 14)]
    mask = mask_of(offsets, [(2, 9), (10, 12)])
    assert mask == (False, True, True, False, False, True, False)


texts = st.text("ab \n", min_size=1, max_size=8).filter(str.strip)


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_words_of_the_user_are_never_learnt(said: list[tuple[str, str]]) -> None:
    talk: list[ChatMessage] = []
    for user, reply in said:
        talk.append({"role": "user", "content": user.upper()})
        talk.append({"role": "assistant", "content": reply})
    render = rendering(CHATML)
    spans, text = reply_spans(talk, render), render(talk, False)
    assert spans is not None
    # Tokens of this tokenizer are words, blanks, and marks.
    offsets = [match.span() for match in re.finditer(r"<\|\w+\|>|\w+|\s+|.", text)]
    mask = mask_of(offsets, spans)
    learnt = [text[s:e] for (s, e), one in zip(offsets, mask, strict=True) if one]
    # Blanks at a reply's beginning are one token with the line's end before it, which is not its.
    assert "".join(learnt) == "".join(f"{reply.lstrip()}<|im_end|>" for _, reply in said)


def example(words: str) -> Example:
    """Lower case is the supporter's."""
    return Example(tuple(map(ord, words)), tuple(word.islower() for word in words))


@pytest.mark.parametrize(
    ("whole", "longest", "left"),
    [
        ("UUaaUUaa", 8, "UUaaUUaa"),
        ("UUaaUUaa", 7, "UUaa"),
        ("UUaaUUaa", 4, "UUaa"),
        ("UUaaUUaa", 3, None),
        ("UUaaUaaaU", 8, "UUaaUaaa"),
        ("UUUU", 2, None),
    ],
)
def test_what_is_too_long_ends_with_a_whole_reply(
    whole: str, longest: int, left: str | None
) -> None:
    assert shortened(example(whole), longest) == (left and example(left))


def test_labels_hide_what_is_not_learnt() -> None:
    assert example("Ua").labels == [-100, ord("a")]
