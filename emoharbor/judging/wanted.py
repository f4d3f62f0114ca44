"""What is wanted of a judging, as its run.yaml keeps it, and where it is kept."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from emoharbor.errors import ConfigError
from emoharbor.flags import changed_suite
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.store import JUDGED, STATES
from emoharbor.state.profile import Frozen
from emoharbor.suite import AgentConfig, Suite, make_suite

LONGEST = 64
JUDGE = {"use": "user_as_judge", "temperature": 0.0}
# Not of the run that is judged: what was said there is not said again.
NOT_TAKEN = ("supporters", "branch", "recorded", "judging", "imported")


class Wanted(Frozen):
    """What is judged, and how often.

    `source` is the folder of the run whose dialogues are judged, seen from the judging's own, and
    `run` its name; `states` is that of a run which holds simulated inner states of them. `what`
    says whether verdicts are asked for or such states. `profiles` None are those of the run's
    suite; `limit` takes the first so many dialogues, `every` judges what was said up to exchange
    N, 2N, … besides.
    """

    what: Literal["verdicts", "states"] = "verdicts"
    run: str
    source: str
    states: str | None = None
    profiles: str | None = None
    limit: Annotated[int, Field(ge=1)] | None = None
    repeats: Annotated[int, Field(ge=1, le=1000)] = 1
    every: Annotated[int, Field(ge=1)] | None = None


@dataclass(frozen=True)
class Work:
    """One judging, kept in `folder`. It asks one agent of its suite, in any language."""

    wanted: Wanted
    suite: Suite
    folder: Path

    @property
    def role(self) -> Literal["evaluator", "thinker"]:
        """Who is asked."""
        return "evaluator" if self.wanted.what == "verdicts" else "thinker"

    @property
    def agent(self) -> AgentConfig:
        """Who is asked, as the suite has it."""
        agent: AgentConfig = getattr(self.suite.agents, self.role)
        return agent

    @property
    def spec(self) -> str:
        """The model that is asked."""
        named = self.agent.model
        return (self.suite.model_config_of(named).spec or "") if named else ""

    @property
    def strategy(self) -> str:
        """How much of the user the judge knows."""
        return str((self.agent.model_extra or {}).get("strategy", "internal_state_aware"))

    @property
    def rubric(self) -> str:
        """The rubric's name, or its file."""
        return str((self.agent.model_extra or {}).get("rubric", "emoharbor-10"))

    @property
    def needs_people(self) -> bool:
        """Whether the one who is asked knows the user's profile."""
        return self.wanted.what == "states" or self.strategy != "standard"

    @property
    def source(self) -> Path:
        """The folder of the run that is judged."""
        return _beside(self.folder, self.wanted.source)

    @property
    def states_folder(self) -> Path | None:
        """The folder of the run that holds simulated inner states, if any are needed."""
        return _beside(self.folder, self.wanted.states) if self.wanted.states else None

    def file_values(self) -> dict[str, Any]:
        """What its run.yaml holds."""
        return {"judging": self.wanted.model_dump(mode="json"), **self.suite.file_values()}


@dataclass(frozen=True)
class Asked:
    """Who is asked, as the command line has it; None leaves it to the run's own suite."""

    model: str
    strategy: str | None = None
    rubric: str | None = None
    thinker: str | None = None
    concurrency: int | None = None
    settings: Sequence[str] = ()


def work_of(
    wanted: Wanted, values: Mapping[str, Any], asked: Asked, base: Path, *, stateless: bool
) -> Work:
    """A judging kept in a folder of `base` by its judge, strategy and rubric.

    `values` are what the judged run's suite holds, `wanted.source` is relative to `base`. Where
    dialogues are `stateless` and the judge is to see inner states, these are simulated in another
    folder of `base`. Raises ConfigError for what does not fit.
    """
    suite = _suite(values, asked)
    work = Work(wanted, suite, base)
    rubric = Path(work.rubric).stem if _is_file(work.rubric) else work.rubric
    folder = base / JUDGED / "--".join(map(slug, (work.spec, work.strategy, rubric)))
    up = {"source": os.path.normpath(os.path.join("..", "..", wanted.source))}
    if stateless and work.strategy == "internal_state_aware":
        thinker = suite.model_config_of(suite.agents.thinker.model or "").spec or ""
        up["states"] = os.path.join("..", "..", STATES, slug(thinker))
    return Work(wanted.model_copy(update=up), suite, folder)


def kept_work(values: Mapping[str, Any], folder: Path) -> Work:
    """The judging whose run.yaml in `folder` holds `values`. Raises ConfigError."""
    where = str(folder / "run.yaml")
    try:
        wanted = Wanted.model_validate(values["judging"])
    except ValidationError as error:
        fault = error.errors()[0]
        at = ".".join(("judging", *map(str, fault["loc"])))
        raise ConfigError(f"{where}: {at}: {fault['msg']}") from error
    suite = make_suite({k: v for k, v in values.items() if k != "judging"}, where)
    return Work(wanted, suite, folder)


def states_work(work: Work) -> Work | None:
    """The simulating of the inner states that a judging sees; None where it needs none."""
    folder = work.states_folder
    if folder is None:
        return None
    more = {"what": "states", "states": None, "repeats": 1, "every": None}
    return Work(work.wanted.model_copy(update=more), work.suite, folder)


def slug(text: str) -> str:
    """A text as a part of a folder's name; a long one ends in what tells it from others."""
    name = re.sub(r"[^\w.]+", "-", text).strip("-._") or "judge"
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 7]}-{digest(text)[:6]}"


def _suite(values: Mapping[str, Any], asked: Asked) -> Suite:
    own = {key: value for key, value in values.items() if key not in NOT_TAKEN}
    agents = dict(own.get("agents") or {})
    judge = dict(agents.get("evaluator") or {})
    if judge.get("use") != JUDGE["use"]:
        judge = {**JUDGE, "model": asked.model}
    judge |= {"strategy": asked.strategy} if asked.strategy else {}
    if asked.rubric:
        path = Path(asked.rubric)
        judge["rubric"] = str(path.absolute()) if _is_file(asked.rubric) else asked.rubric
    own["agents"] = {**agents, "evaluator": judge}
    plain = {"concurrency": asked.concurrency}
    return changed_suite(
        own,
        "emoharbor judge",
        model=asked.thinker,
        judge=asked.model,
        plain=plain,
        settings=asked.settings,
    )


def _beside(folder: Path, path: str) -> Path:
    return Path(os.path.normpath(folder / path))


def _is_file(rubric: str) -> bool:
    return rubric.endswith((".yaml", ".yml"))
