"""So much in any minute."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from emoharbor.models.base import Completion
from emoharbor.models.rate import MINUTE, MinuteWindow, estimated_tokens, used_tokens
from emoharbor.state.verdict import Usage

# Sixteenths of a second, which floats hold exactly.
steps = st.lists(st.tuples(st.integers(0, 400), st.integers(1, 15)), min_size=1, max_size=40)


@given(st.integers(1, 20), steps)
def test_no_minute_holds_more_and_none_waits_longer_than_it_must(
    most: int, steps: list[tuple[int, int]]
) -> None:
    window, now, taken = MinuteWindow(most), 0.0, list[tuple[float, int]]()
    for sixteenths, amount in steps:
        now += sixteenths / 16
        wait = window.wait(now, amount)
        if wait:
            assert window.wait(now + wait - 1 / 16, amount) > 0
        now += wait
        window.take(now, amount)
        taken.append((now, amount))
    for at, amount in taken:
        inside = sum(n for t, n in taken if at - MINUTE < t <= at)
        assert inside <= max(most, amount)


def test_what_is_larger_than_a_minute_waits_for_an_empty_one() -> None:
    window = MinuteWindow(10)
    assert window.wait(0.0, 50) == 0
    window.take(0.0, 50)
    assert window.wait(1.0, 1) == 59.0 and window.wait(60.0, 50) == 0


def test_a_correction_counts_in_its_minute_alone() -> None:
    window = MinuteWindow(10)
    spent = window.take(0.0, 1)
    window.correct(spent, 10, 5.0)
    assert window.wait(5.0, 1) == 55.0
    window.correct(spent, 2, 6.0)
    assert window.wait(6.0, 8) == 0
    window.correct(spent, 10, 60.0)
    assert window.wait(60.0, 10) == 0


def test_tokens_by_text_and_by_usage() -> None:
    assert estimated_tokens([{"role": "user", "content": "x" * 400}]) == 101
    assert estimated_tokens([{"role": "user", "content": "我很难过\ud800"}]) == 1 + 13 // 4
    assert used_tokens(Completion("x", usage=Usage(input_tokens=3, output_tokens=4))) == 7
    assert used_tokens(Completion("x", usage=Usage(input_tokens=3))) is None
