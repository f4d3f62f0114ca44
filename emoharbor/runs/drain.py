"""Stopping a run without losing anything: what is in flight finishes, nothing new begins."""

from __future__ import annotations

from collections.abc import Callable

from langgraph.runtime import RunControl


class Drain:
    """Asked once, it stops one run; `reason` says why, None while the run may go on."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self._controls: set[RunControl] = set()
        self._wakes: list[Callable[[], None]] = []

    def request(self, reason: str) -> None:
        """Lets every live dialogue stop at its next checkpoint and wakes the calls that wait."""
        if self.reason is not None:
            return
        self.reason = reason
        for control in self._controls:
            control.request_drain(reason)
        for wake in self._wakes:
            wake()

    def wakes(self, callback: Callable[[], None]) -> None:
        """`callback` is called when the stop is asked for, at once if it already was."""
        self._wakes.append(callback)
        if self.reason is not None:
            callback()

    def control(self) -> RunControl:
        """A control for one run of a graph; to be given back with `done`."""
        control = RunControl()
        if self.reason is not None:
            control.request_drain(self.reason)
        self._controls.add(control)
        return control

    def done(self, control: RunControl) -> None:
        """Forgets a control."""
        self._controls.discard(control)
