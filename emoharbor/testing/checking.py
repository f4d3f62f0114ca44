"""Checking what `use` names, made exactly as a run would make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from emoharbor.agents.adapters import is_runnable
from emoharbor.agents.locate import locate, told
from emoharbor.agents.parameters import parameters_of
from emoharbor.agents.resolve import BUILT_IN, find, plugins_of
from emoharbor.agents.shape import NODES, SIGNATURES, Node, described, nodes_of
from emoharbor.errors import ConfigError, nearest
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.pool import ModelPool
from emoharbor.runs.seats import seat_all
from emoharbor.state.profile import Language
from emoharbor.suite import Suite
from emoharbor.testing.checks import CHECKS, Check, ContractBroken, Terms
from emoharbor.testing.model import GivingWay

SCRIPTED: Mapping[Node, Mapping[str, Any]] = {
    "supporter": {"use": "scripted"},
    "thinker": {"use": "scripted"},
    "talker": {"use": "scripted"},
    "termination": {"use": "structured"},
    "evaluator": {"use": "scripted"},
}


@dataclass(frozen=True)
class Outcome:
    """One check of the contract; `problem` is None where it holds."""

    check: str
    problem: str | None


def node_for(use: str) -> Node:
    """The one node that `use` fits, by its annotations or its name. Raises ConfigError."""
    nodes = _nodes(use)
    if len(nodes) > 1:
        raise ConfigError(
            f"{use} could be put into {', '.join(nodes)}: annotate it, or name the node, "
            f"as in: emoharbor agents {nodes[0]} --check {use}"
        )
    return nodes[0]


def _nodes(use: str) -> list[Node]:
    if ":" not in use:
        named = [node for node in NODES if use in BUILT_IN[node] or use in plugins_of(node)]
        if not named:
            known = {name for node in NODES for name in (*BUILT_IN[node], *plugins_of(node))}
            raise ConfigError(f"no agent '{use}'{nearest(use, known)}")
        return named
    found = locate(use).found
    if nodes := nodes_of(found):
        return nodes
    if is_runnable(found):
        return ["supporter"]
    wanted = "\n            ".join(SIGNATURES.values())
    raise ConfigError(f"{use} fits no node\n    wanted: {wanted}\n    found:  {described(found)}")


async def check_agent(
    node: Node, use: str, given: Mapping[str, Any], terms: Terms
) -> list[Outcome]:
    """Every check of the contract, each on a new agent for each language of `terms`.

    `given` are the agent's keys as in a suite; where it takes a model and none is given, it gets
    a scripted one. Raises ConfigError and PromptError where the agent cannot be made.
    """
    if ChatModel in parameters_of(find(node, use)).values():
        given = {"model": "scripted:echo", **given}
    async with ModelPool() as pool:
        outcomes = []
        for check in CHECKS:
            agents = {lang: _made(node, use, given, lang, pool) for lang in terms.languages}
            problems = [await _problem(check, agents[lang], lang, terms) for lang in agents]
            problem = next((words for words in problems if words), None)
            outcomes.append(Outcome(check.__name__.replace("_", " "), problem))
        return outcomes


async def _problem(check: Check, agent: Any, language: Language, terms: Terms) -> str | None:
    try:
        await check(agent, replace(terms, languages=(language,)))
    except ContractBroken as error:
        return str(error)
    except Exception as error:
        return f"{language}: it raised {told(error)}"
    return None


def _made(
    node: Node, use: str, given: Mapping[str, Any], language: Language, pool: ModelPool
) -> Any:
    def make_model(model: ModelConfig, sampling: Sampling) -> ChatModel:
        return GivingWay(pool.model(model, sampling))

    configs = {**SCRIPTED, node: {**given, "use": use}}
    supporter = {"name": "checked", **configs.pop("supporter")}
    suite = Suite.model_validate(
        {"name": "check", "language": language, "supporters": [supporter], "agents": configs}
    )
    seating = seat_all(suite, suite.supporters[0], make_model)
    return getattr(seating, node).agent
