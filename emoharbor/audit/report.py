"""The audit of a corpus: every measure, for all of it, by arm and by supporter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from emoharbor.agents.auditor import Contradiction
from emoharbor.audit.figures import Figure, Measure
from emoharbor.audit.measures import measures
from emoharbor.audit.reading import Corpus
from emoharbor.audit.reference import Known, Mark, known, mark
from emoharbor.audit.talks import Talk, Talks
from emoharbor.profiles.entries import Finding
from emoharbor.state.profile import Language

LANGUAGES: dict[Language, str] = {"en": "English", "zh": "Chinese"}
Kind = Literal["all", "arm", "supporter", "against"]


@dataclass(frozen=True)
class Group:
    """Some of the dialogues, with a figure for every measure."""

    kind: Kind
    name: str
    figures: dict[str, Figure]


@dataclass(frozen=True)
class Part:
    """The dialogues in one language: all of them, then by arm and by supporter where several are,
    then all of the second corpus where it has any.
    """

    language: Language
    sections: dict[str, list[Measure]]
    groups: tuple[Group, ...]

    def of(self, kind: Kind) -> list[Group]:
        """The groups of a kind."""
        return [group for group in self.groups if group.kind == kind]

    def people(self, measure: Measure) -> list[Known]:
        """What other corpora show of a measure."""
        return known(measure, self.language)

    def mark(self, measure: Measure, group: Group) -> Mark:
        """Whether no human corpus shows this group's figure."""
        return mark(measure, group.figures[measure.key], self.people(measure))


@dataclass(frozen=True)
class Audit:
    """What was found; `against` names the second corpus. `contradictions` are those that a model
    showed, each with the name of its dialogue.
    """

    where: str
    parts: tuple[Part, ...]
    left_out: tuple[Finding, ...]
    notes: tuple[str, ...]
    against: str | None
    contradictions: tuple[tuple[str, Contradiction], ...] = ()


def audit(corpus: Corpus, against: Corpus | None = None) -> Audit:
    """Measures a corpus, language by language, beside another one."""
    both = [corpus] if against is None else [corpus, against]
    others = _by_language(against) if against else {}
    own = _by_language(corpus)
    by = corpus.readings.by if corpus.readings else None
    parts = tuple(_part(talks, others.get(name), against, by) for name, talks in own.items())
    lacking = [
        f"{one.where} has no dialogue in {LANGUAGES[name]}, which the other one has"
        for one, mine, theirs in ((corpus, own, others), (against, others, own))
        for name in theirs
        if one and name not in mine
    ]
    return Audit(
        where=corpus.where,
        parts=parts,
        left_out=tuple(one for each in both for one in each.left_out),
        notes=(*(note for each in both for note in each.notes), *lacking, *_left(corpus)),
        against=against.where if against else None,
        contradictions=tuple(_contradictions(corpus)),
    )


def _left(corpus: Corpus) -> Iterator[str]:
    if corpus.readings and corpus.readings.left:
        yield f"{corpus.readings.left} dialogues were not read by {corpus.readings.by} yet"


def _contradictions(corpus: Corpus) -> Iterator[tuple[str, Contradiction]]:
    for name, reading in (corpus.readings.read if corpus.readings else {}).items():
        yield from ((name, one) for one in reading.contradictions)


def _by_language(corpus: Corpus) -> dict[Language, Talks]:
    readings = corpus.readings
    read, failed = (readings.read, readings.failed) if readings else ({}, {})
    talks = [
        Talk(record, corpus.person(record), read.get(record.name), failed.get(record.name))
        for record in corpus.records
    ]
    languages = dict.fromkeys(talk.language for talk in talks)
    return {
        name: Talks(name, tuple(talk for talk in talks if talk.language == name))
        for name in languages
    }


def _part(talks: Talks, others: Talks | None, against: Corpus | None, by: str | None) -> Part:
    sections = measures(talks.language, by)
    every = [measure for section in sections.values() for measure in section]
    groups = [
        Group("all", "all", _figures(every, talks)),
        *_groups(every, talks, "arm", lambda talk: talk.record.suite),
        *_groups(every, talks, "supporter", lambda talk: talk.record.supporter),
    ]
    if against and others:
        groups.append(Group("against", against.where, _figures(every, others)))
    return Part(talks.language, sections, tuple(groups))


def _groups(
    every: list[Measure], talks: Talks, kind: Kind, of: Callable[[Talk], str]
) -> list[Group]:
    names = dict.fromkeys(map(of, talks.all))
    if len(names) < 2:
        return []
    return [Group(kind, name, _figures(every, talks.narrowed(of, name))) for name in names]


def _figures(every: list[Measure], talks: Talks) -> dict[str, Figure]:
    return {measure.key: measure.of(talks) for measure in every}
