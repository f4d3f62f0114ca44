"""So much in any minute, and no more: requests, or tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from emoharbor.models.base import ChatMessage, Completion

MINUTE = 60.0
_BYTES_A_TOKEN = 4


@dataclass(slots=True, eq=False)
class Spent:
    """What was taken from a minute, at a clock's time in seconds."""

    at: float
    amount: int


class MinuteWindow:
    """At most `most` in any span of 60 seconds.

    A bucket that refills would let twice as much through in the first minute.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._sum = 0
        self._spent: deque[Spent] = deque()

    def wait(self, now: float, amount: int) -> float:
        """Seconds until `amount` fits; what is larger than a minute waits for an empty one."""
        self._forget(now)
        over = self._sum + amount - self.most
        until = now
        for spent in self._spent:
            if over <= 0:
                break
            over -= spent.amount
            until = spent.at + MINUTE
        return until - now

    def take(self, now: float, amount: int) -> Spent:
        """Takes `amount` now, whether it fits or not."""
        spent = Spent(now, amount)
        self._spent.append(spent)
        self._sum += amount
        return spent

    def correct(self, spent: Spent, amount: int, now: float) -> None:
        """Puts the true amount in the place of an estimate, unless its minute is over."""
        self._forget(now)
        if spent.at + MINUTE > now:
            self._sum += amount - spent.amount
            spent.amount = amount

    def _forget(self, now: float) -> None:
        while self._spent and self._spent[0].at + MINUTE <= now:
            self._sum -= self._spent.popleft().amount


def estimated_tokens(messages: Sequence[ChatMessage]) -> int:
    """Tokens of a request by its text: a token is near four bytes, in English and in Chinese."""
    return 1 + sum(len(m["content"].encode("utf-8", "replace")) for m in messages) // _BYTES_A_TOKEN


def used_tokens(reply: Completion) -> int | None:
    """Tokens of a call by its usage, None where the server did not say."""
    told, made = reply.usage.input_tokens, reply.usage.output_tokens
    return None if told is None or made is None else told + made
