"""Where exchanges end, and where inner states belong."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from emoharbor.judging.cut import Item, cuts, ends, first, woven
from emoharbor.state.dialogue import Message
from tests.people import felt, heard, said
from tests.state.test_verdict import record

LETTERS: dict[str, Item] = {"s": heard("s"), "u": said("u"), ".": felt()}


def line(letters: str) -> list[Item]:
    """s: the supporter speaks, u: the user does, a dot: an inner state."""
    return [LETTERS[letter] for letter in letters]


def letters(items: Sequence[Item]) -> str:
    return "".join(next(k for k, v in LETTERS.items() if v == item) for item in items)


@pytest.mark.parametrize(
    ("dialogue", "prefixes"),
    [
        ("s.us.us.u", ["s.u", "s.us.u", "s.us.us.u"]),
        (".us.us", [".us", ".us.us"]),
        ("su", ["su"]),
        ("ss.uus.uss", ["ss.uu", "ss.uus.u", "ss.uus.uss"]),
        (".uus.u", [".uus", ".uus.u"]),
        ("sss", ["sss"]),
        ("", []),
    ],
)
def test_an_exchange_ends_before_the_opener_speaks_again(
    dialogue: str, prefixes: list[str]
) -> None:
    assert [dialogue[:end] for end in ends(line(dialogue))] == prefixes
    whole = record(h_u=line(dialogue))
    assert letters(first(whole, None)) == dialogue
    for number, prefix in enumerate(prefixes, start=1):
        assert letters(first(whole, number)) == prefix


@pytest.mark.parametrize(
    ("every", "wanted"),
    [(None, [None]), (1, [1, 2, 3, None]), (2, [2, None]), (3, [3, None]), (4, [None])],
)
def test_prefixes_stop_short_of_the_whole(every: int | None, wanted: list[int | None]) -> None:
    assert cuts(record(h_u=line("s.us.us.us.u")), every) == wanted


@pytest.mark.parametrize("dialogue", ["s.us.us.u", ".us.us", "ss.uus.uss", ".uus.u"])
def test_states_stand_before_the_words_that_came_of_them(dialogue: str) -> None:
    messages = [item for item in line(dialogue) if isinstance(item, Message)]
    states = [item for item in line(dialogue) if not isinstance(item, Message)]
    assert letters(woven(messages, states)) == dialogue
    # As many as there are, when simulating stopped on the way.
    assert letters(woven(messages, states[:1])).count(".") == 1
