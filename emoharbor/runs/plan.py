"""The plan: which dialogues a suite asks for. A pure function of the suite and its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.errors import ConfigError
from emoharbor.models.config import ModelConfig
from emoharbor.profiles import load_profiles
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.seats import Seating
from emoharbor.state.profile import Profile
from emoharbor.suite import Origin, Suite

# Threads of what all supporters share: no supporter's name begins with an underscore.
OPENING, PROFILE = "_opening", "_profile"


@dataclass(frozen=True)
class Cell:
    """One dialogue to be had: (supporter, profile, repeat).

    `dialogue_hash` covers all that shapes the dialogue, `verdict_hash` the judge besides; `seed`
    is the same for every supporter. A branch of a recorded dialogue has an `origin`. `opening` and
    `person` are threads that all supporters share: the user's first words, the cleaned profile.
    """

    supporter: str
    profile: Profile
    repeat: int
    seed: int
    dialogue_hash: str
    verdict_hash: str
    origin: Origin | None = None
    opening: str | None = None
    person: str | None = None

    @property
    def name(self) -> str:
        """SUPPORTER/PROFILE/REPEAT."""
        return cell_name(self.key)

    @property
    def key(self) -> tuple[str, str, int]:
        """What a record of this cell is found by."""
        return (self.supporter, self.profile.id, self.repeat)

    @property
    def thread(self) -> str:
        """The name of its checkpoints: readable, and another one after any change."""
        return f"{self.name}/{self.dialogue_hash}"


def cell_name(key: tuple[str, str, int]) -> str:
    """SUPPORTER/PROFILE/REPEAT, as the user names a dialogue."""
    return "/".join(map(str, key))


@dataclass(frozen=True)
class Plan:
    """The cells in the order in which they start, and what they were made from."""

    suite: Suite
    cells: tuple[Cell, ...]
    seatings: Mapping[str, Seating]
    fingerprint: dict[str, Any]

    @property
    def most_calls(self) -> int:
        """Model calls when no user leaves early and no reply needs a repair."""
        people = {cell.person for cell in self.cells if cell.person}
        return sum(self._calls(cell) for cell in self.cells) + len(people)

    @property
    def models(self) -> list[ModelConfig]:
        """Every model that some role asks."""
        return [m for seating in self.seatings.values() for m in seating.models.values()]

    def specs(self, thread: str) -> dict[str, str]:
        """The spec of each role's model in the dialogue of a thread."""
        name = thread.split("/")[0]
        shared = next(iter(self.seatings.values())) if name in (OPENING, PROFILE) else None
        seating = self.seatings.get(name, shared)
        return {role: m.spec or "" for role, m in seating.models.items()} if seating else {}

    def _calls(self, cell: Cell) -> int:
        seating = self.seatings[cell.supporter]
        models, judge = seating.models, seating.evaluator.agent
        verdict = len(judge.parts) if isinstance(judge, UserAsJudge) else "evaluator" in models
        turns = self.suite.max_turns - (cell.origin.turn if cell.origin else 0)
        return max(turns, 0) * len(models.keys() - {"evaluator", "profile"}) + verdict


def make_plan(suite: Suite, seatings: Mapping[str, Seating]) -> Plan:
    """Every supporter with every profile and repeat, profile by profile."""
    if not suite.supporters:
        raise ConfigError(
            "no supporter to evaluate: name one with --supporter provider:model[@base_url], "
            "as in --supporter openai:gpt-4o, or under 'supporters' in the suite"
        )
    profiles = load_profiles(suite.profiles)[: suite.limit]
    foreign = next((p for p in profiles if p.language != suite.language), None)
    if foreign:
        raise ConfigError(
            f"profile {foreign.id} is in '{foreign.language}', the suite in '{suite.language}': "
            f"use --language {foreign.language}, or other --profiles"
        )
    if suite.shared_openings and suite.opening != "user":
        raise ConfigError("shared_openings: the user must open; set opening=user")
    fingerprint = _fingerprint(suite, seatings, profiles)
    keys = (
        (supporter.name, profile, repeat)
        for repeat in range(suite.repeats)
        for profile in profiles
        for supporter in suite.supporters
    )
    cells = tuple(
        _cell(suite, fingerprint, *key)
        for key in keys
        if suite.branch is None or cell_name((key[0], key[1].id, key[2])) in suite.branch.dialogues
    )
    return Plan(suite, cells, seatings, fingerprint)


def _fingerprint(
    suite: Suite, seatings: Mapping[str, Seating], profiles: list[Profile]
) -> dict[str, Any]:
    one = next(iter(seatings.values()))
    loop: dict[str, Any] = {"seed": suite.seed, "language": suite.language}
    loop |= {
        "opening": suite.opening,
        "opening_line": suite.first_line,
        "max_turns": suite.max_turns,
    }
    # What not every suite has stands there where it has it, so that no other dialogue is renamed.
    user = ("thinker", "talker", "termination", *(("profile",) if one.profile.agent else ()))
    return {
        "loop": {**loop, **({"shared_openings": True} if suite.shared_openings else {})},
        "user": {role: getattr(one, role).fingerprint for role in user},
        "supporters": {name: seating.supporter.fingerprint for name, seating in seatings.items()},
        "profiles": {profile.id: digest(profile.model_dump()) for profile in profiles},
        "judge": one.evaluator.fingerprint,
    }


def _cell(
    suite: Suite, fingerprint: dict[str, Any], supporter: str, profile: Profile, repeat: int
) -> Cell:
    shape: dict[str, Any] = {
        "loop": fingerprint["loop"],
        "user": fingerprint["user"],
        "supporter": fingerprint["supporters"][supporter],
        "profile": fingerprint["profiles"][profile.id],
        "repeat": repeat,
    }
    origin = None
    if suite.branch:
        origin = suite.branch.dialogues[cell_name((supporter, profile.id, repeat))]
        shape["branch"] = [origin.model_dump(), suite.branch.edits]
    seed = int(digest([suite.seed, profile.id, repeat]), 16) >> 17
    dialogue = digest(shape)
    verdict = digest([dialogue, fingerprint["judge"]])
    opening = person = None
    if suite.shared_openings and origin is None:
        opening = f"{OPENING}/{profile.id}/{repeat}/{digest({**shape, 'supporter': None})}"
    if processed := fingerprint["user"].get("profile"):
        person = f"{PROFILE}/{profile.id}/{digest([suite.seed, shape['profile'], processed])}"
    return Cell(supporter, profile, repeat, seed, dialogue, verdict, origin, opening, person)
