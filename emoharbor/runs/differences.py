"""Naming the first thing in which a dialogue differs from its record, and what changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emoharbor.models.base import ChatMessage
from emoharbor.runs.cells import Visit
from emoharbor.runs.fingerprint import flat
from emoharbor.state.record import DialogueRecord

SHOWN = 80


@dataclass(frozen=True)
class Difference:
    """The first step of a dialogue that is not what was recorded; `causes` say what changed."""

    dialogue: str
    step: int
    node: str
    what: str
    causes: tuple[str, ...]

    def __str__(self) -> str:
        why = "".join(f"\n  {cause}" for cause in self.causes)
        return f"{self.dialogue}, step {self.step}, {self.node}: {self.what}{why}"


class Watch:
    """Compares each visit of a dialogue that is played again with its record, until one differs."""

    def __init__(self, record: DialogueRecord, begun: Mapping[str, Any]) -> None:
        self.step = 0
        self.node = ""
        self.what: str | None = None
        self._record = record
        self._at = {memory: len(begun.get(memory, ())) for memory in ("h_s", "h_u")}

    def on_visit(self, visit: Visit) -> None:
        """Takes in what a node has just made."""
        if self.what is not None:
            return
        self.step, self.node = self.step + 1, visit.node
        for channel in ("h_u", "h_s", "ending", "verdict"):
            if channel in visit.update:
                self.what = self.what or self._compared(channel, visit.update[channel])

    def _compared(self, channel: str, new: Any) -> str | None:
        if channel in self._at:
            start = self._at[channel]
            self._at[channel] = start + len(new)
            old: Any = getattr(self._record, channel)[start : start + len(new)]
        elif self._record.failure and channel == "verdict":
            return None
        else:
            old = getattr(self._record, channel)
        # A check that lets the dialogue go on says nothing about how it ended later.
        if old == new or (channel == "ending" and new is None):
            return None
        return f"{channel} was {_short(old)} and is now {_short(new)}"


def other_request(then: Sequence[ChatMessage], now: Sequence[ChatMessage]) -> str:
    """In which message two requests differ, with the words at which they part."""
    for number, (old, new) in enumerate(zip(then, now, strict=False), start=1):
        if old != new:
            return f"its request differs in message {number} ({new['role']}): {_parting(old, new)}"
    if len(then) != len(now):
        return f"its request has {len(now)} messages and had {len(then)}"
    return "its request has another model, parameter, schema or seed"


def causes(
    then: Mapping[str, Any], now: Mapping[str, Any], record: DialogueRecord
) -> tuple[str, ...]:
    """What changed since of all that shaped this dialogue: prompts, code, parameters, profile."""
    mine = ("loop.", "user.", "judge.", f"supporters.{record.supporter}.")
    profile = f"profiles.{record.profile}"
    old, new = flat(then), flat(now)
    keys = sorted(
        key
        for key in old.keys() | new.keys()
        if (key.startswith(mine) or key == profile) and old.get(key) != new.get(key)
    )
    if not keys:
        return (
            "no prompt, parameter, profile or own agent changed: the order of calls did, "
            "or the code of this version of EmoHarbor",
        )
    return tuple(f"{_kind(key)} changed: {key}: {old.get(key)} -> {new.get(key)}" for key in keys)


def _kind(key: str) -> str:
    if key.startswith("profiles."):
        return "profile"
    if key.endswith(" file"):
        return "prompt"
    return "code" if key.endswith(".version") else "parameter"


def _parting(old: ChatMessage, new: ChatMessage) -> str:
    a, b = old["content"], new["content"]
    pairs = enumerate(zip(a, b, strict=False))
    at = next((i for i, (x, y) in pairs if x != y), min(len(a), len(b)))
    start = max(0, at - 20)
    return f"{_short(a[start:])} became {_short(b[start:])}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
