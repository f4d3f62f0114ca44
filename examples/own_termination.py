"""A termination check of your own: the user gives up when the supporter only repeats itself.

    emoharbor run emoharbor --supporter mirror=examples/own_supporter.py:supporter \
        --model scripted:echo --limit 1 --out runs/own_termination \
        --set 'agents.termination={use: "examples/own_termination.py:Patience", times: 2}'

What the Talker decides still counts: the shipped check is asked first.
"""

from __future__ import annotations

from dataclasses import dataclass

from emoharbor.agents.termination import structured_termination
from emoharbor.state.dialogue import UserView
from emoharbor.state.verdict import Ending


@dataclass(frozen=True)
class Patience:
    """Bears the same message of the supporter's so many `times` in a row, and then has left."""

    times: int = 3

    async def __call__(self, user: UserView) -> Ending | None:
        """The ending, or None to go on."""
        decided = await structured_termination(user)
        newest = [m.text for m in user.messages if m.role == "supporter"][-self.times :]
        if decided or len(newest) < self.times or len(set(newest)) > 1:
            return decided
        return Ending(
            reason="user_gave_up",
            turn=user.turn,
            words=user.messages[-1].text,
            because=f"the same message {self.times} times: {newest[-1]}",
        )
