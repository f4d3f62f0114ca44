"""From `use: appraisal` or `use: my_pkg.mod:MyThinker` to an agent that fits its node."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import os
import sys
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from emoharbor.agents import scripted
from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.agents.supporter import ChatSupporter
from emoharbor.agents.talker import ChatTalker
from emoharbor.agents.termination import structured_termination
from emoharbor.agents.thinker import AppraisalThinker, no_thinker
from emoharbor.errors import ConfigError, nearest

Node = Literal["supporter", "thinker", "talker", "termination", "evaluator"]

BUILT_IN: dict[Node, dict[str, Callable[..., Any]]] = {
    "supporter": {"chat": ChatSupporter, "scripted": scripted.ScriptedSupporter},
    "thinker": {
        "appraisal": AppraisalThinker,
        "none": no_thinker,
        "scripted": scripted.ScriptedThinker,
    },
    "talker": {"talker": ChatTalker, "scripted": scripted.ScriptedTalker},
    "termination": {"structured": structured_termination},
    "evaluator": {"user_as_judge": UserAsJudge, "scripted": scripted.ScriptedEvaluator},
}
SIGNATURES: dict[Node, str] = {
    "supporter": "async def supporter(history: Sequence[Message]) -> Reply | str",
    "thinker": "async def thinker(user: UserView) -> Appraisal | Emotion | None",
    "talker": "async def talker(user: UserView) -> Utterance",
    "termination": "async def termination(user: UserView) -> Ending | None",
    "evaluator": "async def evaluator(user: UserView) -> Verdict",
}


def find(node: Node, use: str) -> Callable[..., Any]:
    """What `use` names: an agent function, or a class whose instances are agents."""
    if ":" in use:
        found = _imported(node, use)
    elif use in BUILT_IN[node]:
        found = BUILT_IN[node][use]
    else:
        raise ConfigError(f"{node}: no agent '{use}'{nearest(use, BUILT_IN[node])}")
    call = found.__call__ if inspect.isclass(found) else found
    if not fits(call, bound=not inspect.isclass(found)):
        raise ConfigError(f"{node}: {use} does not fit; wanted is\n    {SIGNATURES[node]}")
    return found


def _imported(node: Node, use: str) -> Callable[..., Any]:
    module_name, _, attribute = use.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ConfigError(f"{node}: cannot import {use}: {error}") from error
    if not callable(found):
        raise ConfigError(f"{node}: {use} cannot be called; wanted is\n    {SIGNATURES[node]}")
    return typing.cast("Callable[..., Any]", found)


def fits(call: Callable[..., Any], *, bound: bool) -> bool:
    """Whether `call` is async and takes exactly one positional argument (after self if unbound)."""
    if not inspect.isroutine(call):
        call, bound = type(call).__call__, False
    if not inspect.iscoroutinefunction(call):
        return False
    parameters = list(inspect.signature(call).parameters.values())
    if not bound:
        parameters = parameters[1:]
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    takes_one = bool(positional) or any(p.kind is p.VAR_POSITIONAL for p in parameters)
    return takes_one and len([p for p in needed if p.kind is not p.VAR_KEYWORD]) <= 1


def parameters_of(agent: Callable[..., Any]) -> dict[str, Any]:
    """An agent class's constructor parameters with their types; a function has none."""
    if not inspect.isclass(agent):
        return {}
    hints = typing.get_type_hints(agent if dataclasses.is_dataclass(agent) else agent.__init__)
    return {
        name: hints.get(name, Any)
        for name, p in inspect.signature(agent).parameters.items()
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }


def build(
    node: Node,
    use: str,
    given: Mapping[str, Any],
    provide: Callable[[str, Any], Any],
) -> Any:
    """The agent, with each constructor parameter provided, given in the suite, or its default.

    `provide(name, type)` returns what the run owns (a model, a prompt, a rubric) or NotImplemented.
    """
    agent = find(node, use)
    wanted = parameters_of(agent)
    unknown = [key for key in given if key not in wanted]
    if unknown:
        raise ConfigError(
            f"agents.{node}: {use} takes no '{unknown[0]}'{nearest(unknown[0], wanted)}"
        )
    if not inspect.isclass(agent):
        return agent
    values: dict[str, Any] = {}
    for name, kind in wanted.items():
        provided = provide(name, kind)
        if provided is not NotImplemented:
            values[name] = provided
        elif name in given:
            values[name] = _checked(f"agents.{node}.{name}", kind, given[name])
    try:
        return agent(**values)
    except TypeError as error:
        raise ConfigError(f"agents.{node}: {use}: {error}") from error


def _checked(where: str, kind: Any, value: Any) -> Any:
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise ConfigError(f"{where}: {error.errors()[0]['msg']} (given: {value!r})") from error
