"""A dialogue as an audit looks at it, and a group of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from emoharbor.agents.auditor import Reading
from emoharbor.profiles.overlap import Pair, alike
from emoharbor.profiles.texts import COPIED, GRAM, grams_of, runs, units
from emoharbor.state.dialogue import Emotion, Speaker
from emoharbor.state.profile import Language
from emoharbor.state.record import DialogueRecord

# Words, in Chinese characters: a user says as much in most dialogues.
WINDOW = 50


@dataclass(frozen=True)
class Talk:
    """One dialogue; `person` is what its profile says, empty where that is not known.

    `reading` is a model's of it, `unread` the cause where the model's call failed.
    """

    record: DialogueRecord
    person: str
    reading: Reading | None = None
    unread: str | None = None

    @property
    def name(self) -> str:
        """SUPPORTER/PROFILE/REPEAT."""
        return self.record.name

    @property
    def language(self) -> Language:
        """The record's."""
        return self.record.language

    @cached_property
    def user(self) -> list[str]:
        """The user's lines."""
        return self.lines("user")

    @cached_property
    def supporter(self) -> list[str]:
        """The supporter's lines."""
        return self.lines("supporter")

    def lines(self, role: Speaker) -> list[str]:
        """All lines of one side, in order."""
        return [message.text for message in self.record.h_s if message.role == role]

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the user's emotions, where they have labels."""
        return [item.label for item in self.record.h_u if isinstance(item, Emotion)]

    @cached_property
    def diversity(self) -> float | None:
        """The moving-average type-token ratio of what the user says, None where that is short."""
        text = units("\n".join(self.user), self.language)
        starts = range(len(text) - WINDOW + 1)
        if not starts:
            return None
        return sum(len({*text[i : i + WINDOW]}) for i in starts) / (len(starts) * WINDOW)

    @cached_property
    def copied(self) -> list[bool]:
        """Of each line of the user, whether it has a long run of words from the profile."""
        return [self.shares(line, COPIED[self.language]) for line in self.user]

    def shares(self, line: str, long: int) -> bool:
        """Whether a line has `long` words in a row, characters in Chinese, from the profile."""
        own = _runs_of(self.person, self.language, long)
        return not own.isdisjoint(runs(line, self.language, long))

    @cached_property
    def grams(self) -> set[str]:
        """The user's runs of words, none of which goes over the end of a line."""
        return {gram for line in self.user for gram in grams_of(line, self.language)}

    @cached_property
    def all_grams(self) -> list[str]:
        """The same with repeats."""
        size = GRAM[self.language]
        return [gram for line in self.user for gram in runs(line, self.language, size)]


@lru_cache(maxsize=256)
def _runs_of(person: str, language: Language, long: int) -> frozenset[str]:
    return frozenset(runs(person, language, long))


@dataclass(frozen=True)
class Talks:
    """Dialogues in one language, failed and empty ones among them; `of` are those it is part of."""

    language: Language
    all: tuple[Talk, ...]
    of: Talks | None = None

    def narrowed(self, by: Callable[[Talk], str], name: str) -> Talks:
        """Those of them that `by` names so."""
        return Talks(self.language, tuple(talk for talk in self.all if by(talk) == name), self)

    @cached_property
    def whole(self) -> list[Talk]:
        """Those that did not fail."""
        return [talk for talk in self.all if talk.record.failure is None]

    @cached_property
    def spoken(self) -> list[Talk]:
        """Those of them in which the user has a line."""
        return [talk for talk in self.whole if talk.user]

    @cached_property
    def user_lines(self) -> list[tuple[Talk, str]]:
        """Every line of a user."""
        return [(talk, line) for talk in self.spoken for line in talk.user]

    @cached_property
    def read(self) -> list[tuple[Talk, Reading]]:
        """Those of which a model gave a reading that can be used."""
        found = [(talk, talk.reading) for talk in self.whole]
        return [(talk, reading) for talk, reading in found if reading and not reading.unusable]

    @cached_property
    def supporter_lines(self) -> list[tuple[Talk, str]]:
        """Every line of a supporter."""
        return [(talk, line) for talk in self.whole for line in talk.supporter]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Every two dialogues whose users have a run of words in common, the most similar first."""
        names = {talk.name: talk.grams for talk in self.spoken}
        if self.of is None:
            return alike(names)
        return [pair for pair in self.of.pairs if pair.first in names and pair.second in names]
