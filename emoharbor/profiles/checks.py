"""All that is checked of a set of people: one report, whose findings say what to mend."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from emoharbor.profiles.coverage import Row, coverage
from emoharbor.profiles.entries import Finding
from emoharbor.profiles.load import read_profiles, shipped_sets, unfinished
from emoharbor.profiles.overlap import Pair, pairs, shared_sentences
from emoharbor.profiles.risk import risk_findings
from emoharbor.profiles.texts import length
from emoharbor.state.profile import Language, Profile

TOO_SIMILAR = 0.12
ADULT = 18
# Words in English, characters in Chinese: room for a person, and no novel in every prompt.
LENGTHS: dict[Language, tuple[int, int]] = {"en": (250, 500), "zh": (450, 950)}
UNITS: dict[Language, str] = {"en": "words", "zh": "characters"}


@dataclass(frozen=True)
class Report:
    """What a check found. `covered` says whether the coverage must be whole."""

    address: str
    profiles: list[Profile]
    findings: list[Finding]
    coverage: list[Row]
    covered: bool
    nearest: Pair | None


def check(address: str) -> Report:
    """Checks all people at `address`; the targets of coverage bind the shipped sets alone.

    Raises ConfigError when there is nothing to read at `address`.
    """
    found = read_profiles(address)
    people = found.profiles
    rows, alike = coverage(people), pairs(people)
    bound = address in shipped_sets()
    findings = [
        *found.broken,
        *(unfinished(where, draft) for where, draft in found.drafts.items()),
        *(finding for profile in people for finding in _of_one(profile)),
        *_of_all(people, alike),
        *(Finding(address, row.what, f"lacks {row.lacks}") for row in rows if bound and row.lacks),
    ]
    return Report(address, people, findings, rows, bound, alike[0] if alike else None)


def _of_one(profile: Profile) -> Iterator[Finding]:
    age = profile.demographics.age
    if profile.minor != (age < ADULT):
        says = f"{str(profile.minor).lower()}, at the age of {age}"
        yield Finding(profile.id, "minor", says)
    yield from risk_findings(profile)
    (least, most), size = LENGTHS[profile.language], length(profile)
    if not least <= size <= most:
        says = f"{size} {UNITS[profile.language]} in all; {least} to {most} are wanted"
        yield Finding(profile.id, "", says)


def _of_all(profiles: Sequence[Profile], alike: Sequence[Pair]) -> Iterator[Finding]:
    for sentence, ids in shared_sentences(profiles).items():
        yield Finding(", ".join(ids), "", f"the same sentence: '{sentence}'")
    for pair in alike:
        if pair.similarity > TOO_SIMILAR:
            says = f"too similar: {pair.similarity:.2f}, at most {TOO_SIMILAR} is wanted"
            yield Finding(f"{pair.first}, {pair.second}", "", says)
