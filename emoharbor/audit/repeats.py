"""What is said again: within a dialogue, by different people, from the profile, from the other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from emoharbor.audit.figures import Figure, mean, share
from emoharbor.audit.talks import Talk, Talks
from emoharbor.profiles.texts import SHORTEST, size
from emoharbor.state.dialogue import Speaker


def mattr(talks: Talks) -> Figure:
    """The mean diversity of what the users say, over the dialogues in which they say enough."""
    known = (talk.diversity for talk in talks.spoken)
    return mean([value for value in known if value is not None])


def again(role: Speaker) -> Callable[[Talks], Figure]:
    """Lines that the same side said before in the same dialogue, word for word."""

    def of(talks: Talks) -> Figure:
        found = [(talk, hit) for talk in talks.whole for hit in _repeats(talk.lines(role))]
        where = Counter(talk.name for talk, hit in found if hit)
        return share((hit for _, hit in found), [name for name, _ in where.most_common()])

    return of


def _repeats(lines: Sequence[str]) -> Iterator[bool]:
    seen = set[str]()
    for line in map(_bare, lines):
        yield line in seen
        seen.add(line)


def own_grams(talks: Talks) -> Figure:
    """Runs of words that the user had said before in the same dialogue."""
    total = sum(len(talk.all_grams) for talk in talks.spoken)
    repeated = total - sum(len(talk.grams) for talk in talks.spoken)
    return Figure(repeated / total if total else None, total, repeated)


def elsewhere(role: Speaker) -> Callable[[Talks], Figure]:
    """Lines of some length that stand word for word with another profile."""

    def of(talks: Talks) -> Figure:
        long = [
            (talk, _bare(line))
            for talk in talks.whole
            for line in talk.lines(role)
            if size(line, talks.language) >= SHORTEST[talks.language]
        ]
        speakers = defaultdict[str, set[str]](set)
        for talk, line in long:
            speakers[line].add(talk.record.profile)
        return share(len(speakers[line]) > 1 for _, line in long)

    return of


def between_profiles(talks: Talks) -> Figure:
    """The mean likeness of two dialogues of different profiles, and which two are most alike."""
    return _likeness(talks, same=False)


def within_profiles(talks: Talks) -> Figure:
    """The same of two dialogues of one profile."""
    return _likeness(talks, same=True)


def _likeness(talks: Talks, *, same: bool) -> Figure:
    profiles = {talk.name: talk.record.profile for talk in talks.spoken}
    counted = Counter(profiles.values())
    alike = sum(n * (n - 1) // 2 for n in counted.values())
    every = len(profiles) * (len(profiles) - 1) // 2
    n = alike if same else every - alike
    found = [p for p in talks.pairs if (profiles[p.first] == profiles[p.second]) == same]
    value = sum(pair.similarity for pair in found) / n if n else None
    first = found[0] if found else None
    detail = f"most: {first.first} and {first.second}, {first.similarity:.3f}" if first else ""
    return Figure(value, n, detail=detail)


def copied(talks: Talks) -> Figure:
    """The user's lines with a long run of words from their own profile."""
    found = [(talk, hit) for talk in talks.spoken if talk.person for hit in talk.copied]
    where = Counter(talk.name for talk, hit in found if hit)
    return share((hit for _, hit in found), [name for name, _ in where.most_common()])


def longest_copied(talks: Talks) -> Figure:
    """The longest run of words that any user says as their profile does."""
    best, whose = 0, ""
    known = [talk for talk in talks.spoken if talk.person]
    for talk in known:
        while any(talk.shares(line, best + 1) for line in talk.user):
            best, whose = best + 1, talk.name
    return Figure(float(best) if known else None, len(known), detail=whose)


def echoed(talks: Talks) -> Figure:
    """The user's lines that are a line of the supporter's before them, word for word."""
    found = [(talk, hit) for talk in talks.whole for hit in _echoes(talk)]
    where = Counter(talk.name for talk, hit in found if hit)
    return share((hit for _, hit in found), [name for name, _ in where.most_common()])


def _echoes(talk: Talk) -> Iterator[bool]:
    heard = set[str]()
    for message in talk.record.h_s:
        if message.role == "supporter":
            heard.add(_bare(message.text))
        else:
            yield _bare(message.text) in heard


def _bare(line: str) -> str:
    return " ".join(line.split())
