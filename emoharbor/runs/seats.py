"""Filling the graph's nodes from a suite, and saying in full what was put there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from emoharbor.agents.parameters import parameters_of
from emoharbor.agents.resolve import build, find, source_version
from emoharbor.agents.shape import NODES, Node
from emoharbor.agents.situation import ProfileProcessing
from emoharbor.agents.template import Preset, take_preset
from emoharbor.errors import ConfigError
from emoharbor.graphs.dialogue import Agents
from emoharbor.models.base import ChatModel
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.spec import FINISHED_BOTS, parse_spec
from emoharbor.prompts.loader import Prompt, load_prompt
from emoharbor.prompts.rubric import Rubric, load_rubric
from emoharbor.state.emotions import Emotions, load_emotions
from emoharbor.suite import AgentConfig, Suite, SupporterConfig

# Goes up when a built-in agent, a node or the loop changes what a dialogue looks like.
LOOP_VERSION = 1
# The built-in agents whose prompt is not that of their node.
OWN_PROMPT = ("emotion", "seeker")
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
    """All five nodes for one supporter; `profile` processes the profiles, if anybody does."""

    supporter: Seat
    thinker: Seat
    talker: Seat
    termination: Seat
    evaluator: Seat
    profile: Seat

    @property
    def agents(self) -> Agents:
        """What the graph is built with."""
        return Agents(**{node: getattr(self, node).agent for node in NODES})

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
    seats = {node: seat(node, config, suite, make_model) for node, config in configs.items()}
    return Seating(**seats, profile=_processing(suite, make_model))


def seat(node: Node, config: AgentConfig, suite: Suite, make_model: MakeModel) -> Seat:
    """One node filled. Raises ConfigError and PromptError."""
    given = dict(config.model_extra or {})
    wanted = parameters_of(find(node, config.use))
    preset = take_preset(given) if Preset in wanted.values() else Preset()
    filled = Seat(agent=None, fingerprint={"use": config.use, "version": _version(node, config)})
    if ChatModel in wanted.values():
        filled.model = _model_config(node, config, suite)
        if any(kind in (Prompt, Preset) for kind in wanted.values()):
            _refuse_bot(node, config, filled.model)
        sampling = _sampling(node, given, preset.sampling)
        filled.fingerprint |= _told(filled.model, sampling)
        model = make_model(filled.model, sampling)
    elif config.model:
        raise ConfigError(f"agents.{node}: {config.use} makes no model calls, it takes no 'model'")

    def provide(name: str, kind: Any) -> Any:
        if kind is ChatModel:
            return model
        if kind is Prompt:
            usual = config.use if config.use in OWN_PROMPT else node
            chosen = given.pop(name, usual if name == "prompt" else name)
            prompt = load_prompt(chosen, suite.language)
            filled.prompts[name] = prompt.hash
            return prompt
        if kind is Preset:
            filled.prompts[name] = preset.hash
            return preset
        if kind is Rubric:
            rubric = load_rubric(given.pop(name, "emoharbor-10"), suite.language)
            filled.prompts[name] = rubric.hash
            return rubric
        if kind is Emotions:
            filled.prompts[name] = load_emotions().hash
            return load_emotions()
        return suite.first_line if name == "opening_line" else NotImplemented

    filled.agent = build(node, config.use, given, provide)
    filled.fingerprint |= {**given, **{f"{name} file": h for name, h in filled.prompts.items()}}
    return filled


def _processing(suite: Suite, make_model: MakeModel) -> Seat:
    """The seat of who processes the profiles; its agent is None where nobody does."""
    config = suite.profile_processing
    if config is None:
        return Seat(agent=None, fingerprint={})
    named = config.model or suite.agents.talker.model
    spec = suite.model_config_of(named) if named else ModelConfig()
    if spec.spec is None:
        raise ConfigError(
            "no model for profile_processing: name one with --model provider:model[@base_url], or "
            f"set {f'models.{named}.spec' if named else 'profile_processing.model'} in the suite"
        )
    prompt, repair = (load_prompt(name, suite.language) for name in (config.prompt, "repair"))
    model = make_model(spec, Sampling(temperature=config.temperature))
    return Seat(
        agent=ProfileProcessing(model, prompt, repair),
        fingerprint={
            **{"version": str(LOOP_VERSION), "model": spec.spec, "temperature": config.temperature},
            **{"prompt file": prompt.hash, "repair file": repair.hash},
        },
        model=spec,
        prompts={"prompt": prompt.hash, "repair": repair.hash},
    )


def _told(model: ModelConfig, sampling: Sampling) -> dict[str, Any]:
    """What of a model shapes a dialogue."""
    serve = {"serve": model.serve} if model.serve else {}
    return {"model": model.spec, **serve, **sampling.model_dump(exclude_none=True)}


def _model_config(node: Node, config: AgentConfig, suite: Suite) -> ModelConfig:
    found = suite.model_config_of(config.model) if config.model else ModelConfig()
    if found.spec is None:
        raise ConfigError(_nameless(node, config.model))
    return found


def _refuse_bot(node: Node, config: AgentConfig, model: ModelConfig) -> None:
    """A finished bot has instructions of its own, and is no place for ours."""
    if model.spec and parse_spec(model.spec).provider in FINISHED_BOTS:
        remedy = "use: bot" if node == "supporter" else "it can only be a supporter (use: bot)"
        raise ConfigError(
            f"agents.{node}: {model.spec} is a finished bot, {config.use} would send it "
            f"EmoHarbor's own instructions; {remedy}"
        )


def _nameless(node: Node, model: str | None) -> str:
    flag = {"supporter": "--supporter", "evaluator": "--judge"}.get(node, "--model")
    more = "" if flag == "--model" else " (--model names it for all of user and judge)"
    more = more if node == "evaluator" else ""
    where = f"models.{model}.spec" if model else f"agents.{node}.model"
    return (
        f"no model for the {node}: name one with {flag} provider:model[@base_url]{more}, "
        f"as in {flag} openai:gpt-4o, or set {where} in the suite"
    )


def _sampling(node: Node, given: dict[str, Any], defaults: Sampling) -> Sampling:
    own = {name: given.pop(name) for name in Sampling.model_fields if name in given}
    values = {**defaults.model_dump(), **own}
    try:
        return Sampling.model_validate(values)
    except ValidationError as error:
        fault = error.errors()[0]
        raise ConfigError(f"agents.{node}.{fault['loc'][0]}: {fault['msg']}") from error


def _version(node: Node, config: AgentConfig) -> str:
    """A built-in agent's version, or package and source hash of one that is not built in."""
    target = (config.model_extra or {}).get("target") if config.use == "runnable" else None
    return source_version(node, target or config.use) or str(LOOP_VERSION)
