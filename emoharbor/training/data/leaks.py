"""Whether a supporter would be measured with people on whom it was trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from emoharbor.profiles.texts import runs
from emoharbor.training.data.people import Person

# The likeness of two texts is the Jaccard similarity of their runs of characters, from 0 to 1. Of
# 250 people who have nothing to do with each other no two are more alike than 0.15; the same
# problem told in other words begins at about 0.1.
NEAR = 0.3
SIMILAR = 0.1
# Characters of a run, without spaces and punctuation.
GRAM = {"en": 4, "zh": 2}
# A text that so many people have word for word, and this share of all, is no one's own.
MANY, SHARE = 5, 0.1
# Somebody's demographics are these two and one of those.
ALWAYS, ONE_OF = ("age", "gender"), ("occupation", "education", "relationship")
GENDERS = {
    **dict.fromkeys(("woman", "female", "girl", "f", "女", "女性", "女生"), "woman"),
    **dict.fromkeys(("man", "male", "boy", "m", "男", "男性", "男生"), "man"),
}


@dataclass(frozen=True)
class Overlap:
    """Two people who may be one. `first` and `second` are ids, `why` says what they share.

    `likeness` is that of their texts or of their problems, whichever is more, from 0 to 1.
    """

    first: str
    second: str
    why: tuple[str, ...]
    likeness: float

    def __str__(self) -> str:
        return f"{self.first} and {self.second}: {', '.join(self.why)}"


def overlaps(training: Sequence[Person], evaluation: Sequence[Person]) -> list[Overlap]:
    """Everybody of the one side with everybody of the other; the most alike first."""
    start, whole = len(training), [*training, *evaluation]
    return _found(whole, range(start), range(start, len(whole)))


def overlaps_within(people: Sequence[Person]) -> list[Overlap]:
    """As `overlaps`, of each two in one set."""
    return _found(people, range(len(people)), range(len(people)))


def _found(people: Sequence[Person], rows: range, columns: range) -> list[Overlap]:
    """Each pair of a row and a later column."""
    if not rows or not columns:
        return []
    counted = Counter(text for person in people for text in set(person.texts))
    least = max(MANY, SHARE * len(people))
    own = [" ".join(t for t in person.texts if counted[t] < least) for person in people]
    wholes = _likeness(own, people, rows, columns)
    problems = _likeness([person.problem for person in people], people, rows, columns)
    found: list[Overlap] = []
    for i, j in product(rows, columns):
        one, other, at = people[i], people[j], (i - rows.start, j - columns.start)
        if i < j:
            alike = one.language == other.language
            whole, problem = (float(wholes[at]), float(problems[at])) if alike else (0.0, 0.0)
            if why := tuple(_reasons(one, other, whole, problem)):
                found.append(Overlap(one.id, other.id, why, round(max(whole, problem), 4)))
    return sorted(found, key=lambda o: (-o.likeness, o.first, o.second))


def _likeness(texts: Sequence[str], people: Sequence[Person], rows: range, columns: range) -> Any:
    """The Jaccard similarity of the texts in each row to those in each column, as an array."""
    import numpy as np
    from scipy.sparse import csr_array

    grams = [
        set(runs(text, "zh", GRAM[one.language])) for text, one in zip(texts, people, strict=True)
    ]
    place = {gram: n for n, gram in enumerate(set().union(*grams))}
    sizes = np.array([len(own) for own in grams])
    cells = [place[gram] for own in grams for gram in own]
    shape = (len(texts), max(len(place), 1))
    has = csr_array((np.ones(len(cells)), cells, [0, *np.cumsum(sizes)]), shape=shape)
    first, second = slice(rows.start, rows.stop), slice(columns.start, columns.stop)
    common = (has[first] @ has[second].T).toarray()
    either = sizes[first][:, None] + sizes[second][None, :] - common
    return common / np.maximum(either, 1)


def _reasons(first: Person, second: Person, whole: float, problem: float) -> Iterator[str]:
    if first.id == second.id:
        yield "the same id"
    if shared := first.sources & second.sources:
        yield f"the same source ({min(shared)})"
    if max(whole, problem) >= NEAR:
        yield f"nearly the same text ({max(whole, problem):.2f})"
    if problem >= SIMILAR and _same_demographics(first, second):
        yield f"the same demographics with a similar problem ({problem:.2f})"


def _same_demographics(first: Person, second: Person) -> bool:
    def same(name: str) -> bool:
        one, other = (_plain(person.demographics.get(name, "")) for person in (first, second))
        return bool(one) and one == other

    return all(map(same, ALWAYS)) and any(map(same, ONE_OF))


def _plain(text: str) -> str:
    return GENDERS.get(text, text)
