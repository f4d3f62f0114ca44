"""Fewer calls at once when the endpoint says so, more again while it copes."""

from __future__ import annotations

from emoharbor.models.pace import Pace


def test_it_starts_at_the_most_and_halves_down_to_one() -> None:
    pace = Pace(16)
    limits = [pace.limit]
    for number in range(1, 7):
        pace.overloaded(number, newest=number)
        limits.append(pace.limit)
    assert limits == [16, 8, 4, 2, 1, 1, 1] and pace.throttled == 6


def test_one_round_halves_once() -> None:
    pace = Pace(16)
    for number in range(1, 17):
        pace.overloaded(number, newest=16)
    assert (pace.limit, pace.throttled) == (8, 16)
    pace.overloaded(17, newest=20)
    assert pace.limit == 4


def test_it_grows_by_one_a_round_and_not_beyond_the_most() -> None:
    pace = Pace(8)
    pace.overloaded(1, newest=8)
    for number in range(2, 9):
        pace.succeeded(number, 1.0)
    assert pace.limit == 4  # these were in flight when it halved
    limits = []
    for number in range(9, 60):
        pace.succeeded(number, 1.0)
        limits.append(pace.limit)
    assert limits[3] == 5 and limits[8] == 6 and limits[-1] == 8
    assert limits == sorted(limits)


def test_it_does_not_grow_while_latency_is_twice_the_best() -> None:
    pace = Pace(8)
    for number in range(1, 30):
        pace.succeeded(number, 0.1)
    pace.overloaded(30, newest=30)
    for number in range(31, 40):
        pace.succeeded(number, 1.0)
    grown = pace.limit
    for number in range(40, 80):
        pace.succeeded(number, 1.0)
    assert pace.limit == grown < 8
    for number in range(80, 140):
        pace.succeeded(number, 0.1)
    assert pace.limit == 8


def test_calls_of_another_kind_hold_it_down_for_a_while_only() -> None:
    pace = Pace(8)
    pace.succeeded(1, 0.01)
    pace.overloaded(2, newest=2)
    for number in range(3, 5000):
        pace.succeeded(number, 1.0)
    assert pace.limit == 8


def test_the_pause_doubles_until_a_call_succeeds() -> None:
    pace = Pace(16)
    pauses = [pace.overloaded(n, newest=n) for n in range(1, 9)]
    assert pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    pace.succeeded(9, 1.0)
    assert pace.overloaded(10, newest=10) == 0.5
