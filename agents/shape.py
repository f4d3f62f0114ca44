"""What fits a node: the call that is wanted, and what was found instead."""

from __future__ import annotations

import functools
import inspect
import re
import typing
from types import NoneType, UnionType
from typing import Any, Literal

from emoharbor.agents.protocols import Reply
from emoharbor.state.dialogue import Appraisal, Emotion, Message, UserView, Utterance
from emoharbor.state.verdict import Ending, Verdict

Node = Literal["supporter", "thinker", "talker", "termination", "evaluator"]
NODES: tuple[Node, ...] = typing.get_args(Node)
SIGNATURES: dict[Node, str] = {
    "supporter": "async def supporter(history: Sequence[Message]) -> Reply | str",
    "thinker": "async def thinker(user: UserView) -> Appraisal | Emotion | None",
    "talker": "async def talker(user: UserView) -> Utterance",
    "termination": "async def termination(user: UserView) -> Ending | None",
    "evaluator": "async def evaluator(user: UserView) -> Verdict",
}
ANSWERS: dict[Node, tuple[type, ...]] = {
    "supporter": (Reply, str),
    "thinker": (Appraisal, Emotion, NoneType),
    "talker": (Utterance,),
    "termination": (Ending, NoneType),
    "evaluator": (Verdict,),
}
MODULES = re.compile(r"\b(?:\w+\.)+(?=\w)")


def makes_agents(found: Any) -> bool:
    """Whether `found` is called once, with parameters: a class, or a plain function (a factory)."""
    if inspect.isclass(found):
        return True
    function = found.func if isinstance(found, functools.partial) else found
    if inspect.isclass(function):
        return True
    yields = inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function)
    return inspect.isroutine(function) and not inspect.iscoroutinefunction(found) and not yields


def misfit(node: Node, found: Any) -> str | None:
    """What is wanted and what was found, or None where `found` is, or may make, such an agent.

    What a factory makes is only known when it was called.
    """
    if fits(node, found) or (makes_agents(found) and not inspect.isclass(found)):
        return None
    return wanted_and_found(node, found)


def wanted_and_found(node: Node, found: Any) -> str:
    """Two lines that end the message about what does not fit."""
    return f"\n    wanted: {SIGNATURES[node]}\n    found:  {described(found)}"


def fits(node: Node, found: Any) -> bool:
    """Whether `found`, or an instance of it, is async, takes one argument, and is not annotated as
    what belongs into another node.
    """
    call, bound = _call_of(found)
    if not inspect.iscoroutinefunction(call):
        return False
    signature = _signature(call)
    parameters = list(signature.parameters.values())[0 if bound else 1 :]
    if not _takes_one(parameters):
        return False
    foreign = UserView if node == "supporter" else Message
    if _mentions(parameters[0].annotation, foreign):
        return False
    return _may_be(signature.return_annotation, ANSWERS[node])


def nodes_of(found: Any) -> list[Node]:
    """The nodes that `found` fits; of a factory, those that its return annotation leaves."""
    made = found
    if makes_agents(found) and not inspect.isclass(found):
        made = _signature(found).return_annotation
    return [node for node in NODES if fits(node, made)] or [
        node for node in NODES if misfit(node, found) is None
    ]


def described(found: Any) -> str:
    """What `found` is, in the words of Python."""
    call, _ = _call_of(found)
    own = inspect.isfunction(call) or isinstance(call, functools.partial) or inspect.ismethod(call)
    line = _definition(call) if own else ""
    if inspect.isclass(found):
        return f"class {found.__name__}{f' with {line}' if line else ' without __call__'}"
    if call is found and line:
        return line
    if line:
        return f"a {type(found).__name__} with {line}"
    return f"{found!r}"[:80] + f", of type {type(found).__name__}"


def _call_of(found: Any) -> tuple[Any, bool]:
    """The function that a call of the agent runs, and whether its self is given already."""
    if inspect.isclass(found):
        return found.__call__, False
    if isinstance(found, functools.partial) or inspect.isroutine(found):
        return found, True
    return type(found).__call__, False


def _signature(call: Any) -> inspect.Signature:
    """With types for annotations, unless some of them are there for type checkers alone."""
    try:
        return inspect.signature(call, eval_str=True)
    except (NameError, AttributeError, TypeError, SyntaxError):
        return inspect.signature(call)


def _takes_one(parameters: list[inspect.Parameter]) -> bool:
    """Whether one positional argument, and nothing else, is enough."""
    several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [p for p in parameters if p.default is p.empty and p.kind not in several]
    first = parameters[0] if parameters else None
    positional = first is not None and first.kind not in (first.KEYWORD_ONLY, first.VAR_KEYWORD)
    return positional and needed in ([], [first])


def _mentions(hint: Any, kind: type) -> bool:
    """Whether `kind` is the hint or stands in its brackets."""
    return hint is kind or any(_mentions(inner, kind) for inner in typing.get_args(hint))


def _may_be(hint: Any, kinds: tuple[type, ...]) -> bool:
    """Whether every class of the hint is one of `kinds` or akin to one; what is no class may be."""
    classes = [m for m in _members(hint) if inspect.isclass(m)]
    known = [c for c in classes if c not in (Any, inspect.Parameter.empty)]
    return all(any(k in c.__mro__ or c in k.__mro__ for k in kinds) for c in known)


def _members(hint: Any) -> list[Any]:
    """What a union is made of; anything else is its own only member."""
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        return _members(typing.get_args(hint)[0])
    if origin in (typing.Union, UnionType):
        return [member for part in typing.get_args(hint) for member in _members(part)]
    return [NoneType if hint is None else origin or hint]


def _definition(call: Any) -> str:
    function = call.func if isinstance(call, functools.partial) else call
    yields_async = inspect.isasyncgenfunction(function)
    word = "async def" if yields_async or inspect.iscoroutinefunction(call) else "def"
    yields = yields_async or inspect.isgeneratorfunction(function)
    name = getattr(function, "__name__", "call")
    signature = MODULES.sub("", str(_signature(call)))
    return f"{word} {name}{signature}{', which yields' if yields else ''}"
