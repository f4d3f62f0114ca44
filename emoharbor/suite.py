"""A suite: everything that decides what is run, in one YAML file."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from emoharbor.errors import ConfigError, nearest
from emoharbor.models.config import ModelConfig
from emoharbor.state.profile import Frozen, Language

SHIPPED = Path(__file__).parent / "suites"
OPENING_LINES: dict[Language, str] = {"en": "Hello.", "zh": "你好"}
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]


class AgentConfig(BaseModel):
    """An agent of one node: `use` names it, other keys are its parameters or its sampling."""

    model_config = ConfigDict(frozen=True, extra="allow")

    use: str
    model: str | None = None


class SupporterConfig(AgentConfig):
    """One supporter under test, a column of the table."""

    name: Name


class AgentConfigs(Frozen):
    """The four nodes of the user's side."""

    thinker: AgentConfig
    talker: AgentConfig
    termination: AgentConfig = AgentConfig(use="structured")
    evaluator: AgentConfig


class ProcessingConfig(Frozen):
    """Who cleans every person's account of their situation; None: the Talker's model."""

    model: str | None = None
    temperature: float | None = 0.0
    prompt: str = "profile_processing"


class Origin(Frozen):
    """Where a branched dialogue begins: after `node` made step `step` of `thread`, at `turn`."""

    thread: str
    step: int
    node: str
    turn: int


class ByHand(Frozen):
    """What somebody who stepped through a dialogue changed after `step` of `thread`.

    `edits` as `emoharbor fork --edit` takes them; `swaps` are keys of the suite with new values.
    """

    thread: str
    step: int
    edits: dict[str, Any] = {}
    swaps: dict[str, Any] = {}


class Branch(Frozen):
    """The run whose dialogues are gone on with, and what was edited where they were cut.

    `dialogues` says for each new dialogue, by its SUPPORTER/PROFILE/REPEAT, where it begins.
    `by_hand` are all changes of a dialogue that was stepped, the oldest first: each began another
    thread in the same run.
    """

    run: str
    dialogues: dict[str, Origin]
    edits: dict[str, Any] = {}
    by_hand: tuple[ByHand, ...] = ()


class Suite(Frozen):
    """A suite file, resolved. `seed` is the run's; `limit` takes the first so many profiles.

    `shared_openings`: where the user opens, their first words are had once for all supporters.
    """

    name: Name
    description: str = ""
    language: Language = "en"
    profiles: str = "en"
    limit: Annotated[int, Field(ge=1)] | None = None
    opening: Literal["supporter", "user"] = "supporter"
    opening_line: str | None = None
    shared_openings: bool = False
    profile_processing: ProcessingConfig | None = None
    max_turns: Annotated[int, Field(ge=1, le=200)] = 15
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1
    seed: int = 0
    concurrency: Annotated[int, Field(ge=1, le=4096)] | None = None
    models: dict[str, ModelConfig] = {}
    supporters: tuple[SupporterConfig, ...] = ()
    agents: AgentConfigs
    branch: Branch | None = None

    def file_values(self) -> dict[str, Any]:
        """What a file of this suite holds; a model's defaults, its provider's affair, stay out."""
        models = {k: m.model_dump(mode="json", exclude_unset=True) for k, m in self.models.items()}
        return {**self.model_dump(mode="json"), "models": models}

    @property
    def first_line(self) -> str:
        """What stands in the user's place when the supporter opens."""
        return self.opening_line or OPENING_LINES[self.language]

    def model_config_of(self, model: str) -> ModelConfig:
        """The entry of `models:` of that name, or a model made of the spec alone.

        The suite's own `concurrency`, when given, holds for every endpoint.
        """
        config = self.models.get(model) or ModelConfig(spec=model)
        more = {"concurrency": self.concurrency} if self.concurrency else {}
        return config.model_copy(update=more)


def shipped_suites() -> list[str]:
    """The names of the suites that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.yaml"))


def load_suite(name: str, changes: Mapping[str, Any] | None = None) -> Suite:
    """A shipped suite by name or a file by path, with `changes` ("agents.talker.use": …)."""
    return make_suite(*suite_values(name), changes)


def suite_values(name: str) -> tuple[dict[str, Any], str]:
    """What a shipped suite or a suite's file holds, and the path for errors."""
    path = Path(name)
    if not name.endswith((".yaml", ".yml")):
        path = SHIPPED / f"{name}.yaml"
        if not path.is_file():
            raise ConfigError(f"no suite '{name}'{nearest(name, shipped_suites())}")
    return read_yaml(path), str(path)


def make_suite(
    values: Mapping[str, Any], source: str, changes: Mapping[str, Any] | None = None
) -> Suite:
    """The suite of a file's `values` with `changes`; `source` names the file in errors."""
    if "build" in values:
        raise ConfigError(f"{source} is of a build of profiles, and no suite of dialogues")
    if "judging" in values:
        raise ConfigError(
            f"{source} is of a judging of recorded dialogues, and no suite of its own"
        )
    if "imported" in values:
        raise ConfigError(f"{source} is of imported dialogues, and no suite that can be run")
    return _validated(changed(values, changes or {}), source)


def changed(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of what a file holds, with `changes` ("agents.talker.use": …), without `recorded`."""
    copied = copy.deepcopy({key: value for key, value in values.items() if key != "recorded"})
    for key, value in changes.items():
        _set(copied, key.split("."), value, key)
    return copied


def read_yaml(path: Path) -> dict[str, Any]:
    """The mapping in a YAML file; ConfigError says what is wrong with the file and where."""
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not YAML: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: keys and values are wanted at the top")
    return values


def parse_setting(text: str) -> tuple[str, Any]:
    """`agents.talker.temperature=0.9` as a key and a YAML value."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set {text}: KEY=VALUE is wanted, as in agents.talker.temperature=0.9")
    try:
        return key.strip(), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {text}: the value is not YAML: {error}") from error


def _set(values: dict[str, Any], path: Sequence[str], value: Any, key: str) -> None:
    here: Any = values
    for part in path[:-1]:
        here = here.setdefault(part, {}) if isinstance(here, dict) else _item(here, part, key)
    if isinstance(here, dict):
        here[path[-1]] = value
    else:
        raise ConfigError(f"--set {key}: there is no such key")


def _item(items: Any, part: str, key: str) -> Any:
    """In a list of named things (supporters), the one of that name."""
    found = [item for item in items if isinstance(item, dict) and item.get("name") == part]
    if not isinstance(items, list) or not found:
        raise ConfigError(f"--set {key}: there is no '{part}'")
    return found[0]


def _validated(values: dict[str, Any], source: str) -> Suite:
    try:
        suite = Suite.model_validate(values)
    except ValidationError as error:
        raise ConfigError(f"{source}: {_first(error, values)}") from error
    names = [supporter.name for supporter in suite.supporters]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ConfigError(f"{source}: two supporters are named '{twice}'; give each its own name")
    return suite


def fault_of(error: ValidationError, shape: type[BaseModel]) -> str:
    """The first fault in values of a `shape` with a `model`; an unknown key names the nearest."""
    fault = error.errors()[0]
    where = ".".join(map(str, fault["loc"]))
    if fault["type"] != "extra_forbidden":
        return f"{where}: {fault['msg']}"
    known = ModelConfig if fault["loc"][0] == "model" else shape
    return f"unknown key '{where}'{nearest(str(fault['loc'][-1]), known.model_fields)}"


def _first(error: ValidationError, values: Mapping[str, Any]) -> str:
    """The first fault in words; an unknown key names the nearest known one."""
    fault = error.errors()[0]
    where = ".".join(str(part) for part in fault["loc"])
    if fault["type"] != "extra_forbidden":
        return f"{where}: {fault['msg']} (given: {fault['input']!r})"
    shapes: dict[str, type[Frozen]] = {"models": ModelConfig, "agents": AgentConfigs}
    known = shapes.get(str(fault["loc"][0]), Suite)
    return f"unknown key '{where}'{nearest(str(fault['loc'][-1]), known.model_fields)}"
