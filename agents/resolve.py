"""From `use: appraisal` or `use: my_pkg.mod:MyThinker` to an agent that fits its node."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from typing import Any

from pydantic import PydanticUserError, TypeAdapter, ValidationError

from emoharbor.agents import adapters, scripted
from emoharbor.agents.emotion import EmotionThinker
from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.agents.locate import GROUP, Located, locate, locate_plugin, package_of, plugins, told
from emoharbor.agents.outside import BotSupporter
from emoharbor.agents.parameters import parameter_words, parameters_of
from emoharbor.agents.seeker import Seeker
from emoharbor.agents.shape import (
    Node,
    fits,
    makes_agents,
    misfit,
    wanted_and_found,
)
from emoharbor.agents.supporter import ChatSupporter
from emoharbor.agents.talker import ChatTalker
from emoharbor.agents.template import TemplateSupporter
from emoharbor.agents.termination import ChatTermination, structured_termination
from emoharbor.agents.thinker import AppraisalThinker, no_thinker
from emoharbor.errors import ConfigError, EmoHarborError, nearest

BUILT_IN: dict[Node, dict[str, Callable[..., Any]]] = {
    "supporter": {
        "chat": ChatSupporter,
        "bot": BotSupporter,
        "runnable": adapters.runnable,
        "template": TemplateSupporter,
        "scripted": scripted.ScriptedSupporter,
    },
    "thinker": {
        "appraisal": AppraisalThinker,
        "emotion": EmotionThinker,
        "none": no_thinker,
        "scripted": scripted.ScriptedThinker,
    },
    "talker": {"talker": ChatTalker, "seeker": Seeker, "scripted": scripted.ScriptedTalker},
    "termination": {"structured": structured_termination, "judged_end": ChatTermination},
    "evaluator": {"user_as_judge": UserAsJudge, "scripted": scripted.ScriptedEvaluator},
}


def find(node: Node, use: str) -> Callable[..., Any]:
    """What `use` names: an agent, a class whose instances are agents, or a factory of agents.

    Raises ConfigError where it names nothing, or what does not fit the node.
    """
    built_in = _built_in(node, use)
    found = built_in or _located(node, use).found
    if problem := misfit(node, found):
        if node == "supporter" and adapters.is_runnable(found):
            return adapters.as_supporter(use, found)
        raise ConfigError(f"{node}: {use} does not fit{problem}")
    return typing.cast("Callable[..., Any]", found)


def source_version(node: Node, use: str) -> str | None:
    """Package and source hash of an agent that is not built in; None for one that is."""
    return None if _built_in(node, use) else _located(node, use).version


def plugins_of(node: Node) -> dict[str, tuple[EntryPoint, ...]]:
    """What installed packages offer for a node, by its short name."""
    prefix = f"{node}."
    named = plugins().items()
    return {name.removeprefix(prefix): found for name, found in named if name.startswith(prefix)}


def _built_in(node: Node, use: str) -> Callable[..., Any] | None:
    """The built-in agent of that name; a ConfigError where an installed package took it too."""
    found = BUILT_IN[node].get(use)
    offers = plugins_of(node).get(use, ())
    if len(offers) + (found is not None) > 1:
        taken = [f"the built-in {found.__module__}:{found.__name__}"] if found else []
        taken += [f"{package_of(offer)} ({offer.value})" for offer in offers]
        raise ConfigError(
            f"{node}: '{use}' names {' and '.join(taken)}; the entry point "
            f"'{node}.{use}' of the group {GROUP} needs another name"
        )
    return found


def _located(node: Node, use: str) -> Located:
    try:
        if ":" in use:
            return locate(use)
        offers = plugins_of(node)
        if use in offers:
            return locate_plugin(offers[use][0])
    except ConfigError as error:
        raise ConfigError(f"{node}: {error}") from error
    raise ConfigError(f"{node}: no agent '{use}'{nearest(use, [*BUILT_IN[node], *offers])}")


def build(
    node: Node,
    use: str,
    given: Mapping[str, Any],
    provide: Callable[[str, Any], Any],
) -> Any:
    """The agent, with each parameter of its class or factory provided, given, or its default.

    `provide(name, type)` returns what the run owns (a model, a prompt, a rubric) or NotImplemented.
    """
    maker = find(node, use)
    wanted = parameters_of(maker)
    unknown = [key for key in given if key not in wanted]
    if unknown:
        raise ConfigError(
            f"agents.{node}: {use} takes no '{unknown[0]}'{nearest(unknown[0], wanted)}"
        )
    if not makes_agents(maker):
        return maker
    values: dict[str, Any] = {}
    for name, kind in wanted.items():
        provided = provide(name, kind)
        if provided is not NotImplemented:
            values[name] = provided
        elif name in given:
            values[name] = _checked(f"agents.{node}.{name}", kind, given[name])
    return _made(node, use, maker, values)


def _made(node: Node, use: str, maker: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    try:
        inspect.signature(maker).bind(**values)
    except TypeError as error:
        takes = ", ".join(parameter_words(maker)) or "nothing that a suite could give"
        hint = "" if inspect.isclass(maker) else "; if it is to be the agent, make it 'async def'"
        raise ConfigError(f"agents.{node}: {use}: {error}; it takes {takes}{hint}") from error
    try:
        agent = maker(**values)
    except EmoHarborError:
        raise
    except Exception as error:
        raise ConfigError(f"agents.{node}: {use} cannot be made: {told(error)}") from error
    if inspect.isclass(agent) or not fits(node, agent):
        raise ConfigError(
            f"agents.{node}: what {use} makes does not fit{wanted_and_found(node, agent)}"
        )
    return agent


def _checked(where: str, kind: Any, value: Any) -> Any:
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise ConfigError(f"{where}: {error.errors()[0]['msg']} (given: {value!r})") from error
    except PydanticUserError as error:
        raise ConfigError(f"{where}: a suite cannot give a value of its type {kind}") from error
