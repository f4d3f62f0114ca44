"""Filling the graph's nodes from a suite, and saying in full what was put there."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from emoharbor.agents.resolve import BUILT_IN, Node, build, find, parameters_of
from emoharbor.errors import ConfigError
from emoharbor.graphs.dialogue import Agents
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.prompts.loader import Prompt, load_prompt
from emoharbor.prompts.rubric import Rubric, load_rubric
from emoharbor.suite import AgentConfig, Suite, SupporterConfig

# Goes up when a built-in agent, a node or the loop changes what a dialogue looks like.
LOOP_VERSION = 1
MakeModel = Callable[[ModelConfig, Sampling], ChatModel]


@dataclass
class Seat:
    """One node filled. `fingerprint` names everything the agent's behaviour depends on."""

    agent: Any
    fingerprint: dict[str, Any]
    model: ModelConfig | None = None
    prompts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Seating:
    """All five nodes for one supporter."""

    supporter: Seat
    thinker: Seat
    talker: Seat
    termination: Seat
    evaluator: Seat

    @property
    def agents(self) -> Agents:
        """What the graph is built with."""
        return Agents(**{name: seat.agent for name, seat in vars(self).items()})

    @property
    def models(self) -> dict[str, ModelConfig]:
        """The model of each role that has one."""
        return {name: seat.model for name, seat in vars(self).items() if seat.model}

    @property
    def prompts(self) -> dict[str, str]:
        """The hash of every prompt and rubric in use, by "role/name"."""
        seats = vars(self).items()
        return {f"{role}/{name}": h for role, seat in seats for name, h in seat.prompts.items()}


def seat_all(suite: Suite, supporter: SupporterConfig, make_model: MakeModel) -> Seating:
    """The five agents for one supporter. Raises ConfigError and PromptError."""
    own = supporter.model_copy(update={"name": None})
    configs: dict[Node, AgentConfig] = {
        "supporter": AgentConfig.model_validate(own.model_dump(exclude={"name"})),
        "thinker": suite.agents.thinker,
        "talker": suite.agents.talker,
        "termination": suite.agents.termination,
        "evaluator": suite.agents.evaluator,
    }
    return Seating(
        **{node: _seat(node, config, suite, make_model) for node, config in configs.items()}
    )


def _seat(node: Node, config: AgentConfig, suite: Suite, make_model: MakeModel) -> Seat:
    given = dict(config.model_extra or {})
    wanted = parameters_of(find(node, config.use))
    seat = Seat(agent=None, fingerprint={"use": config.use, "version": _version(node, config.use)})
    if ChatModel in wanted.values():
        seat.model = _model_config(node, config, suite)
        sampling = _sampling(node, given)
        seat.fingerprint |= {"model": seat.model.spec, **sampling.model_dump(exclude_none=True)}
        model = make_model(seat.model, sampling)
    elif config.model:
        raise ConfigError(f"agents.{node}: {config.use} makes no model calls, it takes no 'model'")

    def provide(name: str, kind: Any) -> Any:
        if kind is ChatModel:
            return model
        if kind is Prompt:
            chosen = given.pop(name, node if name == "prompt" else name)
            prompt = load_prompt(chosen, suite.language)
            seat.prompts[name] = prompt.hash
            return prompt
        if kind is Rubric:
            rubric = load_rubric(given.pop(name, "emoharbor-10"), suite.language)
            seat.prompts[name] = rubric.hash
            return rubric
        return suite.first_line if name == "opening_line" else NotImplemented

    seat.agent = build(node, config.use, given, provide)
    seat.fingerprint |= {**given, **{f"{name} file": h for name, h in seat.prompts.items()}}
    return seat


def _model_config(node: Node, config: AgentConfig, suite: Suite) -> ModelConfig:
    found = suite.model_config_of(config.model) if config.model else ModelConfig()
    if found.spec is None:
        raise ConfigError(_nameless(node, config.model))
    return found


def _nameless(node: Node, model: str | None) -> str:
    flag = {"supporter": "--supporter", "evaluator": "--judge"}.get(node, "--model")
    more = "" if flag == "--model" else " (--model names it for all of user and judge)"
    more = more if node == "evaluator" else ""
    where = f"models.{model}.spec" if model else f"agents.{node}.model"
    return (
        f"no model for the {node}: name one with {flag} provider:model[@base_url]{more}, "
        f"as in {flag} openai:gpt-4o, or set {where} in the suite"
    )


def _sampling(node: Node, given: dict[str, Any]) -> Sampling:
    values = {name: given.pop(name) for name in Sampling.model_fields if name in given}
    try:
        return Sampling.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(f"agents.{node}.{fault['loc'][0]}: {fault['msg']}") from error


def _version(node: Node, use: str) -> str:
    """A built-in agent's version, or the hash of the source of a user's own module."""
    if use in BUILT_IN[node]:
        return str(LOOP_VERSION)
    source = inspect.getsourcefile(inspect.unwrap(find(node, use)))
    data = Path(source).read_bytes() if source else use.encode()
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one, with dotted keys: what a readable diff compares."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            result |= flat(value, f"{prefix}{key}.")
        else:
            result[f"{prefix}{key}"] = value
    return result
