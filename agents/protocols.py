"""The five roles of the loop. Each is one async call; what implements it is free.

A class with `async def __call__`, an instance of one, or a plain async function all fit. An agent
knows nothing of LangGraph, of files, or of the other agents, and keeps nothing between calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from emoharbor.state.dialogue import Appraisal, Emotion, Message, UserView, Utterance
from emoharbor.state.profile import Frozen
from emoharbor.state.verdict import Ending, Verdict


class Reply(Frozen):
    """R_t: what the supporter says."""

    text: str


class Supporter(Protocol):
    """R_t = S(H_s). `history` is all it ever sees; empty when it opens the dialogue."""

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The next line of the dialogue."""
        ...


class Thinker(Protocol):
    """IS_t = f(H_u, P_U, R_t) (equation 2). None where no inner state is modelled."""

    async def __call__(self, user: UserView) -> Appraisal | Emotion | None:
        """The inner state after the supporter's last words."""
        ...


class Talker(Protocol):
    """U_t = f(H_u, P_U, R_t) (equation 4), with the decision to stay or leave."""

    async def __call__(self, user: UserView) -> Utterance:
        """What the user says next."""
        ...


class TerminationCheck(Protocol):
    """Whether the user leaves after this utterance. The cap on exchanges is the graph's."""

    async def __call__(self, user: UserView) -> Ending | None:
        """The ending, or None to go on."""
        ...


class Evaluator(Protocol):
    """E^{1:K} = f(H_u, P_U) (equation 6): the user's verdict on the whole dialogue."""

    async def __call__(self, user: UserView) -> Verdict:
        """The marks, with reasons."""
        ...
