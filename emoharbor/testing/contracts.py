"""The contract as test classes: subclass one and say how the agent is made."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from emoharbor.agents.shape import Node
from emoharbor.state.profile import Language
from emoharbor.testing import checks


class _Contract:
    """The tests that all five have in common."""

    node: ClassVar[Node]
    languages: ClassVar[tuple[Language, ...]] = ("en", "zh")
    sampled: ClassVar[bool] = False

    def make_agent(self) -> Any:
        """A new agent; called once a test, inside the event loop that asks it."""
        raise NotImplementedError(f"{type(self).__name__}.make_agent must return the agent to test")

    def _holds(self, check: checks.Check) -> None:
        async def run() -> None:
            await check(self.make_agent(), checks.Terms(self.node, self.languages, self.sampled))

        asyncio.run(run())

    def test_it_is_one_async_call(self) -> None:
        """It is async and takes one argument."""
        self._holds(checks.is_one_async_call)

    def test_it_answers_at_the_start(self) -> None:
        """It answers in the first exchange, and when nothing was said yet."""
        self._holds(checks.answers_at_the_start)

    def test_it_answers_late(self) -> None:
        """It answers in exchange 30."""
        self._holds(checks.answers_late)

    def test_it_answers_odd_characters(self) -> None:
        """It answers to emoji, other scripts, markup, braces, line breaks and a very long line."""
        self._holds(checks.answers_odd_characters)

    def test_it_leaves_its_input_alone(self) -> None:
        """It changes nothing of what it is given, but may draw from `user.rng`."""
        self._holds(checks.leaves_its_input_alone)

    def test_it_answers_the_same_again(self) -> None:
        """An equal turn with an equal `rng` gets an equal answer (unless `sampled`)."""
        self._holds(checks.answers_the_same_again)

    def test_it_keeps_dialogues_apart(self) -> None:
        """Asked about several dialogues at once, it answers as if asked one by one."""
        self._holds(checks.keeps_dialogues_apart)

    def test_it_can_be_cancelled(self) -> None:
        """It stops when it is cancelled, and does not make an answer of it."""
        self._holds(checks.can_be_cancelled)


class SupporterContract(_Contract):
    """For `async def __call__(self, history: Sequence[Message]) -> Reply | str`."""

    node = "supporter"


class ThinkerContract(_Contract):
    """For `async def __call__(self, user: UserView) -> Appraisal | Emotion | None`."""

    node = "thinker"


class TalkerContract(_Contract):
    """For `async def __call__(self, user: UserView) -> Utterance`."""

    node = "talker"


class TerminationContract(_Contract):
    """For `async def __call__(self, user: UserView) -> Ending | None`."""

    node = "termination"


class EvaluatorContract(_Contract):
    """For `async def __call__(self, user: UserView) -> Verdict`."""

    node = "evaluator"
