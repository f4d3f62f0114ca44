"""The contract itself: each check is one async function that raises where it is broken."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from emoharbor.agents.protocols import Reply
from emoharbor.agents.shape import ANSWERS, Node, misfit
from emoharbor.state.dialogue import UserView, Utterance
from emoharbor.state.profile import Language
from emoharbor.state.verdict import Ending, Score, Verdict
from emoharbor.testing.inputs import Given, Moment

MOMENTS: tuple[Moment, ...] = ("start", "first", "late", "odd")
LONGEST = 60.0


class ContractBroken(AssertionError):
    """An agent does not do what its node relies on; says what and in which dialogue."""


@dataclass(frozen=True)
class Terms:
    """What an agent of `node` is held to.

    `sampled` is for one that samples from a model of its own: equal turns may then get other
    answers. Chance out of `user.rng` is no reason for it.
    """

    node: Node
    languages: tuple[Language, ...] = ("en", "zh")
    sampled: bool = False

    def given(self, *moments: Moment) -> list[Given]:
        """The turns that it is asked about."""
        return [Given(self.node, lang, m) for lang in self.languages for m in moments]


async def is_one_async_call(agent: Any, terms: Terms) -> None:
    """It is async and takes one argument."""
    if isinstance(agent, type):
        raise ContractBroken("a class was given; wanted is an instance of it")
    if problem := misfit(terms.node, agent):
        raise ContractBroken(f"does not fit the {terms.node}'s node{problem}")


async def answers_at_the_start(agent: Any, terms: Terms) -> None:
    """It answers in the first exchange, and when nothing was said yet."""
    for given in terms.given("start", "first"):
        await _answer(agent, given)


async def answers_late(agent: Any, terms: Terms) -> None:
    """It answers in exchange 30."""
    for given in terms.given("late"):
        await _answer(agent, given)


async def answers_odd_characters(agent: Any, terms: Terms) -> None:
    """It answers to emoji, other scripts, markup, braces, line breaks and a very long line."""
    for given in terms.given("odd"):
        await _answer(agent, given)


async def leaves_its_input_alone(agent: Any, terms: Terms) -> None:
    """It changes nothing of what it is given, but may draw from `user.rng`."""
    for given in terms.given(*MOMENTS):
        argument = given.fresh()
        await _answer(agent, given, argument)
        if _content(argument) != _content(given.fresh()):
            raise ContractBroken(f"{_where(given)}: it changed what it was given")


async def answers_the_same_again(agent: Any, terms: Terms) -> None:
    """An equal turn with an equal `rng` gets an equal answer (not asked of a `sampled` one)."""
    for given in [] if terms.sampled else terms.given(*MOMENTS):
        first, second = await _answer(agent, given), await _answer(agent, given)
        if first != second:
            raise ContractBroken(
                f"{_where(given)}: two answers to the same turn: {first!r} and {second!r}; "
                "chance comes from user.rng, and nothing is kept between calls"
            )


async def keeps_dialogues_apart(agent: Any, terms: Terms) -> None:
    """Asked about several dialogues at once, it answers as if it were asked one by one."""
    turns = terms.given(*MOMENTS)
    alone = [await _answer(agent, given) for given in turns]
    at_once = await asyncio.gather(*(_answer(agent, given) for given in turns))
    for given, before, now in zip(turns, alone, at_once, strict=True):
        if before != now and not terms.sampled:
            raise ContractBroken(
                f"{_where(given)}: {before!r} when asked alone and {now!r} among others; "
                "what belongs to one call must not be kept on the agent"
            )


async def can_be_cancelled(agent: Any, terms: Terms) -> None:
    """It stops when it is cancelled, and does not make an answer of it."""
    for given in terms.given("first", "late"):
        for steps in (1, 2, 3):
            await _cancelled_after(steps, agent, given)


Check = Callable[[Any, Terms], Awaitable[None]]
CHECKS: tuple[Check, ...] = (
    is_one_async_call,
    answers_at_the_start,
    answers_late,
    answers_odd_characters,
    leaves_its_input_alone,
    answers_the_same_again,
    keeps_dialogues_apart,
    can_be_cancelled,
)


async def _answer(agent: Any, given: Given, argument: Any = None) -> Any:
    """The agent's answer, if it is one that the node can use."""
    argument = given.fresh() if argument is None else argument
    try:
        async with asyncio.timeout(LONGEST):
            answer = await agent(argument)
    except TimeoutError as error:
        raise ContractBroken(f"{_where(given)}: no answer in {LONGEST:.0f} s") from error
    if problem := _problem(given.node, answer, argument):
        raise ContractBroken(f"{_where(given)}: {problem}")
    return answer


async def _cancelled_after(steps: int, agent: Any, given: Given) -> None:
    task = asyncio.ensure_future(agent(given.fresh()))
    for _ in range(steps):
        await asyncio.sleep(0)
    if task.done():  # It waits for nothing by then, so there is nothing to cancel.
        await task
        return
    task.cancel()
    await asyncio.wait({task}, timeout=LONGEST)
    if not task.done():
        raise ContractBroken(f"{_where(given)}: it went on for {LONGEST:.0f} s when cancelled")
    if not task.cancelled():
        became = task.exception() or task.result()
        raise ContractBroken(
            f"{_where(given)}: its cancellation became {became!r}; "
            "asyncio.CancelledError must be raised on"
        )


def _problem(node: Node, answer: Any, argument: Any) -> str | None:
    """Why the node cannot use the answer."""
    kinds = ANSWERS[node]
    wanted = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
    if not isinstance(answer, kinds):
        returned = "None" if answer is None else f"a {type(answer).__name__}"
        return f"it returned {returned}; wanted is {wanted}"
    if node != "supporter" and type(answer) not in kinds:
        name = type(answer).__name__
        return f"it returned a {name}; wanted is {wanted} itself: no other comes back when resumed"
    if isinstance(answer, str | Reply | Utterance):
        text = answer if isinstance(answer, str) else answer.text
        return None if text.strip() else "it said nothing"
    if isinstance(answer, Ending) and answer.turn != argument.turn:
        return f"an Ending in exchange {answer.turn}; this is exchange {argument.turn}"
    return _verdict_problem(answer, argument) if isinstance(answer, Verdict) else None


def _verdict_problem(verdict: Verdict, user: UserView) -> str | None:
    if not verdict.scores:
        return "a Verdict without a dimension"
    count = len(user.messages)
    for key, mark in verdict.scores.items():
        beyond = (
            [n for n in mark.evidence if not 1 <= n <= count] if isinstance(mark, Score) else []
        )
        if beyond:
            return f"{key}: message {beyond[0]} as evidence; the dialogue has 1 to {count}"
    return None


def _content(argument: Any) -> Mapping[str, Any]:
    """All of an argument but its generator."""
    values = vars(argument) if isinstance(argument, UserView) else {"history": argument}
    plain = {name: value for name, value in values.items() if name != "rng"}
    return {name: repr(value) for name, value in plain.items()}


def _where(given: Given) -> str:
    words = {"start": "before the first word", "first": "first exchange", "late": "exchange 30"}
    return f"{given.language}, {words.get(given.moment, 'unusual characters')}"
