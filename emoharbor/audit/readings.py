"""What is counted of a model's readings: lines and dialogues in which nothing contradicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator

from emoharbor.agents.auditor import Contradiction, Kind
from emoharbor.audit.figures import Figure, Measure, most, share
from emoharbor.audit.talks import Talks

FACTS: tuple[Kind, ...] = ("profile", "own_words")
SHOWN = 3


def read(talks: Talks) -> Figure:
    """Dialogues of which there is a reading; the others by why there is none."""
    asked = [talk for talk in talks.whole if talk.reading or talk.unread]
    causes = Counter(
        talk.unread or "unusable reply, twice"
        for talk in asked
        if not talk.reading or talk.reading.unusable
    )
    done = {talk.name for talk, _ in talks.read}
    names = (talk.name for talk in asked if talk.name not in done)
    return share((talk.name in done for talk in asked), names, most(causes))


def without(*kinds: Kind) -> Callable[[Talks], Figure]:
    """The user's lines without a contradiction of these kinds, and what the others say.

    Only where a profile is known, if the profile is all that they could contradict; where a line
    of the user's own is all, the first one is left out.
    """

    def of(talks: Talks) -> Figure:
        held, names, examples = list[bool](), list[str](), list[str]()
        for talk, reading in talks.read:
            if "own_words" not in kinds and not reading.known:
                continue
            found = [one for one in reading.contradictions if one.kind in kinds]
            wrong = {one.line for one in found}
            lines = reading.lines[1:] if kinds == ("own_words",) else reading.lines
            held += [line not in wrong for line in lines]
            names += [talk.name] if found else []
            examples += [f"{talk.name} {_shown(one)}" for one in found]
        return share(held, names, "; ".join(examples[:SHOWN]))

    return of


def _shown(one: Contradiction) -> str:
    there = "profile" if one.earlier is None else f"[{one.earlier}]"
    return f"[{one.line}] {one.quote} | {there} {one.against}"


def whole(talks: Talks) -> Figure:
    """Dialogues in which no line contradicts a fact; it names the others."""
    found = [(talk.name, _has(reading.contradictions, FACTS)) for talk, reading in talks.read]
    return share((not hit for _, hit in found), (name for name, hit in found if hit))


def _has(contradictions: Collection[Contradiction], kinds: Collection[Kind]) -> bool:
    return any(one.kind in kinds for one in contradictions)


def dropped(talks: Talks) -> Figure:
    """What the model named and could not show."""
    return share(_each(talks))


def _each(talks: Talks) -> Iterator[bool]:
    for _, reading in talks.read:
        yield from [True] * reading.dropped
        yield from [False] * len(reading.contradictions)


USER = "user lines"
MEASURES = (
    Measure("read", "share", "dialogues given to it", "read, with a reply of use", read),
    Measure(
        "read.adherence", "share", f"{USER}, where the profile is known",
        "that contradict no fact of the profile", without("profile"),
    ),
    Measure(
        "read.manner", "share", f"{USER}, where the profile is known",
        "in no manner that the profile rules out", without("manner"),
    ),
    Measure(
        "read.consistency", "share", f"{USER} after the first",
        "that contradict no earlier line of the user's", without("own_words"),
    ),
    Measure(
        "read.sound", "share", USER, "that contradict neither profile nor earlier lines",
        without(*FACTS),
    ),
    Measure("read.whole", "share", "dialogues read", "in which no line contradicts either", whole),
    Measure(
        "read.dropped", "share", "contradictions that it named",
        "left out, as the words it quotes do not stand there", dropped,
    ),
)  # fmt: skip
