"""A person in the making: the seed, what was made of it so far, and what is wrong with that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from emoharbor.state.profile import (
    Counselling,
    Demographics,
    Frozen,
    Language,
    Level,
    Mbti,
    Preferences,
    Profile,
    Risk,
    Scenario,
    Text,
)
from emoharbor.state.record import RoleUsage
from emoharbor.state.verdict import Failure

FORMAT: Literal["emoharbor-build-1"] = "emoharbor-build-1"
Part = Literal["demographics", "preferences", "counselling", "scenario"]
PARTS: tuple[Part, ...] = get_args(Part)
# ESConv's problem types.
Category = Literal[
    "academic pressure",
    "alcohol abuse",
    "appearance anxiety",
    "breakup with partner",
    "issues with children",
    "issues with parents",
    "job crisis",
    "ongoing depression",
    "problems with friends",
    "procrastination",
    "school bullying",
    "sleep problems",
]
CATEGORIES: tuple[Category, ...] = get_args(Category)
# The kind of a fault that no mending answers: there is no reply to work with.
UNUSABLE = "unusable"
ADULT = 18


SHAPES: dict[Part, type[Frozen]] = {
    "demographics": Demographics,
    "preferences": Preferences,
    "counselling": Counselling,
    "scenario": Scenario,
}


class Seed(Frozen):
    """What is known of a person before there is a profile.

    `words` are the seed's own texts by name (background, problem, persona, …). `given` are fields
    of a profile that it states: a part that is whole is taken as it is, the rest are facts for the
    writer. `risk` and `hard` count where the part that they belong to is given whole; `source` says
    where somebody else's data has it from, and is told to no model.
    """

    words: dict[str, Text] = {}
    category: Category | None = None
    given: dict[Part, dict[str, Any]] = {}
    risk: tuple[Risk, ...] = ()
    hard: bool = False
    source: str = ""


class Lots(Frozen):
    """What is drawn for a person where the seed leaves it open, so that people do not come out
    alike. `length` is how long their messages mostly are.
    """

    age: Annotated[int, Field(ge=10, le=110)]
    gender: Literal["woman", "man"]
    mbti: Mbti
    agreeableness: Level
    neuroticism: Level
    length: Literal["words", "short", "middling", "long"]
    opening: Literal["greeting", "middle", "question", "complaint", "terms", "aside"]
    category: Category
    hard: bool


class Person(Frozen):
    """Who is to be made: the id, the language, the seed, and the lots."""

    id: str
    language: Language
    seed: Seed
    lots: Lots

    @property
    def category(self) -> Category | None:
        """The kind of trouble, where the seed tells no trouble of its own."""
        said = self.seed.given.get("counselling", {}).keys() & {"problem", "topic"}
        if self.seed.category or said or "problem" in self.seed.words:
            return self.seed.category
        return self.lots.category

    def whole(self, part: Part) -> Frozen | None:
        """A part that the seed states in full."""
        try:
            return SHAPES[part].model_validate(self.seed.given[part])
        except (KeyError, ValidationError):
            return None

    def facts(self) -> Iterator[tuple[str, str]]:
        """Field and words of what the seed states of the parts that it does not state in full."""
        for part, values in self.seed.given.items():
            if self.whole(part) is None:
                yield from ((field, _told(value)) for field, value in values.items())


class Made(Frozen):
    """What there is of the profile so far."""

    demographics: Demographics | None = None
    preferences: Preferences | None = None
    counselling: Counselling | None = None
    scenario: Scenario | None = None
    risk: tuple[Risk, ...] = ()


class Fault(Frozen):
    """Why a profile cannot stay as it is. `part` is None where it is about all of it."""

    kind: Text
    part: Part | None
    says: Text


class BuildState(TypedDict, total=False):
    """The graph's channels. `mended` are the faults for which it was written again, once."""

    made: Made
    faults: list[Fault]
    mended: list[Fault]


class BuildView(Frozen):
    """What the writers, the critic and the mender see."""

    person: Person
    made: Made
    faults: tuple[Fault, ...] = ()


class BuildRecord(BaseModel):
    """A seed that was worked through, or whose work failed: accepted, set aside or failed.

    `profile` is the accepted one; `faults` say why one was set aside, and `made` is what there was
    of it; `mended` are the faults that were mended on the way. `place` is where the seed stands.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["emoharbor-build-1"] = FORMAT
    id: str
    place: str
    language: Language
    thread: str
    build_hash: str
    person: Person
    made: Made
    profile: Profile | None
    faults: list[Fault]
    mended: list[Fault]
    failure: Failure | None
    models: dict[str, str]
    prompts: dict[str, str]
    usage: dict[str, RoleUsage]
    started: str
    finished: str

    @property
    def outcome(self) -> Literal["accepted", "set aside", "failed"]:
        """How it came out."""
        if self.failure:
            return "failed"
        return "accepted" if self.profile else "set aside"


def profile_of(person: Person, made: Made) -> Profile:
    """The profile of a person all of whose parts are there."""
    given = person.whole("scenario") is not None
    return Profile.model_validate(
        {
            "id": person.id,
            "language": person.language,
            **{part: getattr(made, part) for part in PARTS},
            "minor": made.demographics is not None and made.demographics.age < ADULT,
            "risk": made.risk,
            "hard": person.seed.hard if given else person.lots.hard,
        }
    )


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_told(part)}" for key, part in value.items())
    return "; ".join(map(_told, value)) if isinstance(value, list) else str(value)
