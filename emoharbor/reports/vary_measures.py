"""What a seeker did in a dialogue, in figures by which it shows whether it obeyed its controls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from emoharbor.profiles.facts import facts_of, keys_of
from emoharbor.profiles.texts import size
from emoharbor.profiles.words import pattern
from emoharbor.state.dialogue import Speaker
from emoharbor.state.profile import Language, Profile

QUESTION = re.compile(r"[?？]")
# What stands round a line that is a shrug and no more.
AROUND = " \n.,!?…。，！？~～"
# An evasion stands behind no more than so many words, characters in Chinese.
BEGINS: Mapping[Language, int] = {"en": 6, "zh": 10}
Ranks = Mapping[str, int]
_PRESETS: Ranks = {"average": 0, "hard": 1, "hardest": 2}
_ENGAGED: Ranks = {"ordinary": 0, "low": 1, "minimal": 2}


def _less(ranks: Ranks) -> Ranks:
    return {level: -rank for level, rank in ranks.items()}


@dataclass(frozen=True)
class Measure:
    """A figure of a dialogue. `meant` says for each control how its levels are to stand in it:
    the higher a level's number, the more; a level that is not named is not meant to tell here.
    """

    key: str
    label: str
    says: str
    meant: Mapping[str, Ranks] = field(default_factory=dict)

    def direction(self, control: str, a: str, b: str) -> int:
        """How the figure is meant to go from level `a` to `b`: 1, -1, or 0 for no effect meant."""
        ranks = self.meant.get(control, {})
        if a not in ranks or b not in ranks:
            return 0
        return (ranks[b] > ranks[a]) - (ranks[b] < ranks[a])


MEASURES = (
    Measure(
        "length", "length of a line",
        "words, characters in Chinese, a user line, mean",
        {
            "engagement": _less(_ENGAGED),
            "expression_style": {"own": 0, "terse": -1},
            "preset": _less(_PRESETS),
        },
    ),
    Measure(
        "facts", "facts told, %",
        "of what the profile's counselling part says (sentences of problem and emotional_state, "
        "relations), what the user's lines have told by the end",
        {
            "engagement": _less(_ENGAGED),
            "expression_style": {"own": 0, "vague": -1},
            "self_disclosure": {"ordinary": 0, "limited": -1, "closed": -2},
            "preset": _less(_PRESETS),
        },
    ),
    Measure(
        "withheld", "withheld facts told, %",
        "the same of the profile's `withheld`",
        {"self_disclosure": {"ordinary": 0, "limited": -1, "closed": -2},
         "preset": _less(_PRESETS)},
    ),
    Measure(
        "rejections", "lines that reject, %",
        "user lines after the first that turn down what was offered or doubt that it is any use",
        {"resistance": {"ordinary": 0, "guarded": 1, "strong": 2}, "preset": _PRESETS},
    ),
    Measure(
        "answered", "questions answered, %",
        "supporter lines with a question mark after which the user neither evades, nor shrugs, nor "
        "only asks back",
        {
            "engagement": _less(_ENGAGED),
            "self_disclosure": {"ordinary": 0, "limited": 0, "closed": -1},
            "preset": _less(_PRESETS),
        },
    ),
    Measure(
        "volatility", "change of emotion",
        "layers of the ladder of negative emotions (0 to 5) between two exchanges, mean; no "
        "control is meant to move it",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Talk:
    """What is measured of a dialogue: its lines in order, and how deep each emotion was.

    `profile` is None where it cannot be read any more. `lengths` are of the user's lines.
    """

    language: Language
    lines: Sequence[tuple[Speaker, str]]
    lengths: Sequence[int]
    depths: Sequence[int]
    profile: Profile | None


def measured(talk: Talk) -> dict[str, float | None]:
    """Every measure; None where the dialogue has nothing to be measured."""
    said = [text for role, text in talk.lines if role == "user"]
    steps = [abs(b - a) for a, b in zip(talk.depths, talk.depths[1:], strict=False)]
    rejecting = pattern(talk.language, "rejection")
    return {
        "length": _mean(talk.lengths),
        **_told(talk, "\n".join(said)),
        "rejections": _percent([bool(rejecting.search(text)) for text in said[1:]]),
        "answered": _percent(_answers(talk)),
        "volatility": _mean(steps),
    }


def evades(line: str, language: Language) -> bool:
    """Whether a line after a question is no answer to it.

    Who says further on that they do not know has mostly answered before.
    """
    bare = line.strip(AROUND)
    if not bare or pattern(language, "filler").fullmatch(bare):
        return True
    if QUESTION.search(line) and not QUESTION.split(line)[-1].strip() and _one(bare):
        return True
    evasion = pattern(language, "evasion").search(bare)
    return evasion is not None and size(bare[: evasion.start()], language) <= BEGINS[language]


def _one(bare: str) -> bool:
    """Whether it is one sentence."""
    return not re.search(r"[.!?。！？\n]", bare)


def _answers(talk: Talk) -> list[bool]:
    pairs = zip(talk.lines, talk.lines[1:], strict=False)
    return [
        not evades(line, talk.language)
        for (asker, question), (role, line) in pairs
        if asker == "supporter" and role == "user" and QUESTION.search(question)
    ]


def _told(talk: Talk, said: str) -> dict[str, float | None]:
    facts = facts_of(talk.profile) if talk.profile else []
    keys = keys_of(said, talk.language)
    told = [(fact.withheld, fact.told_by(keys)) for fact in facts]
    return {
        "facts": _percent([is_told for withheld, is_told in told if not withheld]),
        "withheld": _percent([is_told for withheld, is_told in told if withheld]),
    }


def _percent(found: Sequence[bool]) -> float | None:
    return 100 * sum(found) / len(found) if found else None


def _mean(values: Sequence[int]) -> float | None:
    return fmean(values) if values else None
