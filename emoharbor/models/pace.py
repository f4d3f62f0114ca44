"""How many calls an endpoint takes at once: fewer when it says so, more again while it copes."""

from __future__ import annotations

import math

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
# A smoothed latency of eight calls; the best one ages by a thousandth a call, so that an endpoint
# whose calls have changed their kind is not held down for good.
_SMOOTHING, _AGEING, _BEARABLE = 1 / 8, 1.001, 2.0


class Pace:
    """Halves on overload, once a round; grows by one a round, up to `most`.

    A round is over when a call that began after the last halving has come back: calls that were
    in flight then tell nothing about the new limit. Calls are numbered in the order they begin.
    """

    def __init__(self, most: int) -> None:
        self.throttled = 0
        self._most = most
        self._room = float(most)
        self._halved_at = 0
        self._halvings_in_a_row = 0
        self._latency: float | None = None
        self._best = math.inf

    @property
    def limit(self) -> int:
        """Calls that may be in flight, at least one."""
        return int(self._room)

    def succeeded(self, number: int, latency: float) -> None:
        """A call came back; `latency` is in seconds an output token, or a call."""
        before = latency if self._latency is None else self._latency
        self._latency = before + (latency - before) * _SMOOTHING
        self._best = min(self._best * _AGEING, self._latency)
        if number <= self._halved_at:
            return
        self._halvings_in_a_row = 0
        if self._latency <= _BEARABLE * self._best:
            self._room = min(float(self._most), self._room + 1 / self.limit)

    def overloaded(self, number: int, newest: int) -> float:
        """A call was turned away while `newest` was the last begun; returns the pause to make.

        The pause, in seconds, is for a server that names none; it doubles until one call succeeds.
        """
        self.throttled += 1
        if number > self._halved_at:
            self._halved_at = newest
            self._halvings_in_a_row += 1
            self._room = max(1.0, self.limit / 2)
        doubled = _FIRST_PAUSE * 2.0 ** min(self._halvings_in_a_row - 1, 10)
        return min(doubled, _LONGEST_PAUSE)
