"""What is wrong with a profile that a model wrote, as far as code can see."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from emoharbor.profiles.checks import LENGTHS, TOO_SIMILAR, UNITS
from emoharbor.profiles.formats import language_of
from emoharbor.profiles.identifiers import PATTERNS
from emoharbor.profiles.risk import risk_findings
from emoharbor.profiles.texts import COPIED, grams, length, runs, sentences, texts
from emoharbor.state.building import PARTS, Fault, Part, Person
from emoharbor.state.profile import Profile


@dataclass
class Known:
    """The people whom a new one must not resemble: who has which turns of phrase and sentences."""

    holders: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    sizes: dict[str, int] = field(default_factory=dict)
    sentences: dict[str, str] = field(default_factory=dict)

    def add(self, profile: Profile) -> None:
        """From now on nobody may resemble this one either."""
        own = grams(profile)
        self.sizes[profile.id] = len(own)
        for gram in own:
            self.holders[gram].append(profile.id)
        self.sentences |= dict.fromkeys(sentences(profile), profile.id)

    def resembled_by(self, profile: Profile) -> list[Fault]:
        """A fault for each of them who has a sentence or too many turns of phrase in common."""
        own, says = grams(profile), {}
        for sentence in sorted(sentences(profile)):
            if other := self.sentences.get(sentence):
                says[other] = f"says the same as {other}: '{sentence}'"
        shared = Counter(other for gram in own for other in self.holders.get(gram, ()))
        for other, common in sorted(shared.items()):
            alike = common / (len(own) + self.sizes[other] - common)
            if alike > TOO_SIMILAR:
                says[other] = f"{alike:.2f} like {other}, at most {TOO_SIMILAR} is wanted"
        return [Fault(kind="too similar", part=None, says=each) for each in says.values()]


def known(profiles: Iterable[Profile]) -> Known:
    """These people to begin with."""
    people = Known()
    for profile in profiles:
        people.add(profile)
    return people


def faults_of(profile: Profile, person: Person, asked: str, people: Known) -> list[Fault]:
    """Everything that is wrong with a new profile; `asked` is all that its writer was told.

    What the seed stated in full is the user's own and may repeat what it likes.
    """
    own = {part for part in PARTS if person.whole(part) is None}
    return [
        *_identifiers(profile),
        *_languages(profile),
        *_length(profile),
        *_repeated(profile),
        *_copied(profile, asked, own - {"demographics"}),
        *_age(profile, person),
        *(
            Fault(kind="risk", part=_part(found.field) or "counselling", says=found.says)
            for found in risk_findings(profile)
        ),
        *people.resembled_by(profile),
    ]


def _identifiers(profile: Profile) -> Iterator[Fault]:
    for where, text in texts(profile):
        for kind, pattern in PATTERNS.items():
            if match := pattern.search(text):
                says = f"{where}: '{match[0]}' stands there, {kind}; nothing may lead to somebody"
                yield Fault(kind="identifiers", part=_part(where), says=says)


def _languages(profile: Profile) -> Iterator[Fault]:
    for part in PARTS:
        whole = " ".join(text for where, text in texts(profile) if _part(where) == part)
        if language_of(whole) != profile.language:
            says = f"{part} is not in the language '{profile.language}'"
            yield Fault(kind="language", part=part, says=says)


def _length(profile: Profile) -> Iterator[Fault]:
    (least, most), size = LENGTHS[profile.language], length(profile)
    if not least <= size <= most:
        says = f"{size} {UNITS[profile.language]} in all four parts; {least} to {most} are wanted"
        yield Fault(kind="length", part=None, says=says)


def _repeated(profile: Profile) -> Iterator[Fault]:
    counted = Counter(_bare(text) for _, text in texts(profile))
    for where, text in texts(profile):
        if counted.pop(_bare(text), 1) > 1:
            yield Fault(kind="repeated", part=_part(where), says=f"stands there twice: '{text}'")


def _copied(profile: Profile, asked: str, parts: set[Part]) -> Iterator[Fault]:
    size = COPIED[profile.language]
    there = set(runs(asked, profile.language, size))
    for where, text in texts(profile):
        shared = [run for run in runs(text, profile.language, size) if run in there]
        if shared and _part(where) in parts:
            says = f"{where} repeats what you were given, word for word: '{shared[0]}'"
            yield Fault(kind="copied", part=_part(where), says=says)


def _age(profile: Profile, person: Person) -> Iterator[Fault]:
    stated = person.seed.given.get("demographics", {}).get("age")
    if stated is not None and int(stated) != profile.demographics.age:
        says = f"age: {profile.demographics.age}, and the seed says {stated}"
        yield Fault(kind="faithful", part="demographics", says=says)


def _bare(text: str) -> str:
    return " ".join(re.findall(r"[\w'’]+", text.lower()))


def _part(where: str) -> Part | None:
    return next((part for part in PARTS if where.split(".")[0] == part), None)
