"""The plan of a build: which people are made from which seeds, and by whom."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import Field, ValidationError

from emoharbor.agents.building import Conversation, PartMender, PartWriter, PersonCritic
from emoharbor.errors import ConfigError
from emoharbor.graphs.profile_building import BuildAgents
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.spec import FINISHED_BOTS, parse_spec
from emoharbor.profiles import load_profiles
from emoharbor.profiles.counts import MBTI
from emoharbor.profiles.fit import Known, faults_of, known
from emoharbor.profiles.seeds import read_seeds
from emoharbor.prompts.loader import Prompt, load_prompt
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.seats import MakeModel
from emoharbor.state.building import CATEGORIES, PARTS, Fault, Lots, Person
from emoharbor.state.profile import Frozen, Language, Profile
from emoharbor.suite import Name, changed, fault_of, parse_setting

# Goes up when an agent or a node changes what comes of a seed.
BUILD_VERSION = 1
YOUNGEST, OLDEST = 15, 76
HARD = 0.15
NODES = (*PARTS, "critic", "mender")
FINGERPRINT = ("build", "writer", "critic", "prompts", "seeds")


class Build(Frozen):
    """A build of profiles: all that shapes them, as run.yaml holds it.

    `build` is its name, `seeds` the file that is read, `file` the one that is written (None for
    profiles.jsonl in the run's folder). Ids are `prefix` and the seed's number; `seed` is that of
    the lots and of every sampling.
    """

    build: Name
    seeds: str
    file: str | None = None
    prefix: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=56)]
    language: Language = "en"
    limit: Annotated[int, Field(ge=1)] | None = None
    seed: int = 0
    model: ModelConfig
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.9


def make_build(values: Mapping[str, Any], source: str, settings: Sequence[str] = ()) -> Build:
    """The build of these `values` with `settings` (KEY=VALUE); `source` names them in errors.

    Raises ConfigError.
    """
    changes = dict(parse_setting(text) for text in settings)
    try:
        build = Build.model_validate(changed(values, changes))
    except ValidationError as error:
        raise ConfigError(f"{source}: {fault_of(error, Build)}") from error
    spec = parse_spec(build.model.spec or "")
    if spec.provider in FINISHED_BOTS:
        raise ConfigError(f"{spec} is a finished bot, which writes no profiles: name a model")
    return build


@dataclass(frozen=True)
class Item:
    """One seed to be worked through. `build_hash` covers all that shapes what comes of it."""

    person: Person
    place: str
    seed: int
    build_hash: str

    @property
    def thread(self) -> str:
        """The name of its checkpoints."""
        return f"{self.person.id}/{self.build_hash}"


@dataclass(frozen=True)
class BuildPlan:
    """The seeds in order, who works on them, and what all of it was made from."""

    build: Build
    items: tuple[Item, ...]
    agents: BuildAgents
    prompts: dict[str, str]
    fingerprint: dict[str, Any]

    @property
    def most_calls(self) -> int:
        """Model calls when every profile is mended and no reply needs a repair."""
        wrote = sum(item.person.whole(part) is None for item in self.items for part in PARTS)
        return wrote + 3 * len(self.items)

    @property
    def models(self) -> list[ModelConfig]:
        """The one model that is asked."""
        return [self.build.model]

    def specs(self, thread: str) -> dict[str, str]:
        """Its spec for each role."""
        return dict.fromkeys(NODES, self.build.model.spec or "")


def make_build_plan(build: Build, make_model: MakeModel) -> BuildPlan:
    """The plan of a build. Raises ConfigError and PromptError."""
    seeds = read_seeds(Path(build.seeds), build.language)[: build.limit]
    prompts = _prompts(build.language)
    people = [
        Person(
            id=f"{build.prefix}-{number:03}",
            language=build.language,
            seed=seed,
            lots=draw_lots(build.seed, number),
        )
        for number, (_, seed) in enumerate(seeds, start=1)
    ]
    hashes = {name: prompt.hash for name, prompt in prompts.items()}
    fingerprint = _fingerprint(build, hashes, people)
    shape = {part: fingerprint[part] for part in FINGERPRINT[:-1]}
    items = tuple(
        Item(
            person=person,
            place=place,
            seed=int(digest([build.seed, person.id]), 16) >> 17,
            build_hash=digest([shape, fingerprint["seeds"][person.id]]),
        )
        for person, (place, _) in zip(people, seeds, strict=True)
    )
    return BuildPlan(build, items, _agents(build, prompts, make_model), hashes, fingerprint)


def draw_lots(seed: int, number: int) -> Lots:
    """What is drawn for the seed of this number; the same in every process."""
    rng = random.Random(f"{seed}/{number}")

    def one(name: str) -> Any:
        return rng.choice(get_args(Lots.model_fields[name].annotation))

    return Lots(
        age=rng.randint(YOUNGEST, OLDEST),
        gender=one("gender"),
        mbti=rng.choice(MBTI),
        agreeableness=rng.randint(1, 5),
        neuroticism=rng.randint(1, 5),
        length=one("length"),
        opening=one("opening"),
        category=rng.choice(CATEGORIES),
        hard=rng.random() < HARD,
    )


def _prompts(language: Language) -> dict[str, Prompt]:
    names = ("builder", *NODES)
    prompts = {name: load_prompt(f"building/{name}", language) for name in names}
    return {**prompts, "repair": load_prompt("repair", language)}


def _agents(build: Build, prompts: Mapping[str, Prompt], make_model: MakeModel) -> BuildAgents:
    writing = make_model(build.model, Sampling(temperature=build.temperature))
    reading = make_model(build.model, Sampling(temperature=0.0))
    conversation = Conversation(prompts["builder"], {part: prompts[part] for part in PARTS})
    repair = prompts["repair"]
    return BuildAgents(
        writers={part: PartWriter(part, writing, conversation, repair) for part in PARTS},
        check=partial(_checked, conversation, _shipped(build.language)),
        critic=PersonCritic(reading, prompts["critic"], repair),
        mender=PartMender(writing, conversation, prompts["mender"], repair),
    )


@cache
def _shipped(language: Language) -> Known:
    """The people who ship; to look at them all takes longer than the rest of a plan."""
    return known(load_profiles(language))


def _checked(
    conversation: Conversation, people: Known, profile: Profile, person: Person
) -> Sequence[Fault]:
    return faults_of(profile, person, conversation.asked(person), people)


def _fingerprint(build: Build, prompts: dict[str, str], people: list[Person]) -> dict[str, Any]:
    own = build.model_dump(include={"language", "seed", "prefix"})
    return {
        "build": {**own, "version": BUILD_VERSION},
        "writer": {"model": build.model.spec, "temperature": build.temperature},
        "critic": {"model": build.model.spec, "temperature": 0.0},
        "prompts": prompts,
        "seeds": {person.id: digest(person.model_dump(mode="json")) for person in people},
    }
