"""Ctrl-C while a model is trained: the step in progress is finished and a checkpoint written."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Stop:
    """`signal` is the one that asked to stop, None while nobody did."""

    signal: signal.Signals | None = None


@contextmanager
def on_signal(told: Callable[[], None]) -> Iterator[Stop]:
    """The first SIGINT or SIGTERM sets `signal` and calls `told`; a second one ends at once.

    Used on the main thread. What the signals did before is put back afterwards.
    """
    stop = Stop()

    def handler(number: int, frame: FrameType | None) -> None:
        if stop.signal is not None:
            raise KeyboardInterrupt
        stop.signal = signal.Signals(number)
        told()

    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
