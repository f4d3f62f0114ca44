"""What is counted of dialogues as wholes: whether they are whole, how long, how they open."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median

from emoharbor.audit.figures import Figure, decile, mean, most, named, share
from emoharbor.audit.lines import CUE
from emoharbor.audit.talks import Talk, Talks
from emoharbor.profiles.texts import units
from emoharbor.profiles.words import pattern
from emoharbor.state.emotions import load_emotions

# As much of an opening as makes two of them begin alike, in words and in characters.
BEGINNING = {"en": 2, "zh": 4}


def dialogues(talks: Talks) -> Figure:
    """How many there are."""
    return Figure(float(len(talks.all)), len(talks.all))


def failed(talks: Talks) -> Figure:
    """Those with a failure, and of which kind."""
    failures = [talk.record.failure for talk in talks.all]
    causes = Counter(f"{f.error}{f' ({f.cause})' if f.cause else ''}" for f in failures if f)
    names = (talk.name for talk in talks.all if talk.record.failure)
    return share((f is not None for f in failures), names, most(causes))


def empty(talks: Talks) -> Figure:
    """Those without a line."""
    return named([(talk.name, not talk.record.h_s) for talk in talks.whole])


def silent(talks: Talks) -> Figure:
    """Those in which the user says no word."""
    return named(
        [
            (talk.name, not any(re.search(r"\w", line) for line in talk.user))
            for talk in talks.whole
            if talk.record.h_s
        ]
    )


def torn(talks: Talks) -> Figure:
    """Those of which a part is missing."""
    found = [(talk.name, talk.record.imported) for talk in talks.whole]
    says = Counter(origin.torn for _, origin in found if origin and origin.torn)
    names = (name for name, origin in found if origin and origin.torn)
    return share((bool(origin and origin.torn) for _, origin in found), names, most(says))


def unanswered(talks: Talks) -> Figure:
    """Those that the user opened and did not leave, and that end on a line of the user's."""
    opened = [t for t in talks.whole if t.record.h_s and t.record.h_s[0].role == "user"]
    return named([(t.name, t.record.h_s[-1].role == "user") for t in opened if not _left(t)])


def _left(talk: Talk) -> bool:
    return talk.record.ending is not None and talk.record.ending.reason.startswith("user_")


def exchanges(talks: Talks) -> Figure:
    """The mean, and between which."""
    turns = [talk.record.turns for talk in talks.whole if talk.record.h_s]
    detail = f"{min(turns)} to {max(turns)}, median {median(turns):g}" if turns else ""
    return mean(turns, detail)


def user_lines(talks: Talks) -> Figure:
    """The median."""
    return decile([len(talk.user) for talk in talks.spoken], 5)


def greeting(talks: Talks) -> Figure:
    """First lines of a user that are a greeting and no more."""
    bare = pattern(talks.language, "greeting")
    return share(
        bare.fullmatch(talk.user[0].strip(" \n.,!?。，！？~～")) is not None
        for talk in talks.spoken
    )


def staged(talks: Talks) -> Figure:
    """First lines of a user that begin with a stage direction, and with which."""
    found = [CUE.match(talk.user[0].lstrip()) for talk in talks.spoken]
    cues = Counter(match[0] for match in found if match)
    return share((match is not None for match in found), detail=most(cues))


def openings(talks: Talks) -> Figure:
    """How many first lines of a user begin as the most frequent of them does."""
    counted = Counter(filter(None, map(_beginning, talks.spoken)))
    total, first = counted.total(), max(counted.values(), default=0)
    return Figure(first / total if total else None, total, first, detail=most(counted))


def distinct_openings(talks: Talks) -> Figure:
    """How many different beginnings there are among the first lines of a user."""
    counted = Counter(filter(None, map(_beginning, talks.spoken)))
    total = counted.total()
    return Figure(len(counted) / total if total else None, total, len(counted))


def _beginning(talk: Talk) -> str:
    between = " " if talk.language == "en" else ""
    return between.join(units(talk.user[0], talk.language)[: BEGINNING[talk.language]])


def outside(talks: Talks) -> Figure:
    """Emotion labels that are none of the set's, in either language."""
    known = load_emotions().labels
    names = {*known, *known.values()}
    found = [(talk.name, label) for talk in talks.whole for label in talk.labels]
    strange = [(name, label) for name, label in found if label.strip().lower() not in names]
    counted = Counter(label for _, label in strange)
    where = dict.fromkeys(name for name, _ in strange)
    return share((label.strip().lower() not in names for _, label in found), where, most(counted))
