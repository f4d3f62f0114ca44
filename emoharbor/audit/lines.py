"""What is counted of single lines: how long they are, how they are written, what they say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

from emoharbor.agents.talker import OUT_OF_ROLE
from emoharbor.audit.figures import Figure, decile, most, share
from emoharbor.audit.talks import Talks
from emoharbor.profiles.texts import size
from emoharbor.profiles.words import List, pattern
from emoharbor.state.profile import Language

# At most so many words or characters are a very short line.
SHORT: dict[Language, int] = {"en": 5, "zh": 10}
WORD = re.compile(r"\w")
FINAL = re.compile(r"[.!?…。！？~～]\s*\Z")
QUESTION = re.compile(r"[?？]")
ELLIPSIS = re.compile(r"…|\.\.\.|。。")
CUE = re.compile(r"（[^（）]+）|\([^()]+\)|【[^【】]+】|\[[^\[\]]+\]|\*[^*\n]+\*")
_BULLET = r"^[ \t]*(?:[-•*·] |\d+[.、)）]|[一二三四五六七八九十]+、)"
LISTED = re.compile(rf"{_BULLET}.*\n\s*{_BULLET}", re.MULTILINE)
PREFIX = re.compile(
    r"\A\W*(?:user|seeker|client|patient|member|supporter|assistant|counsell?or|therapist"
    r"|用户|来访者|求助者|倾诉者|患者|咨询师|支持者|助手)\s*\W{0,2}[:：]",
    re.IGNORECASE,
)
STRANGE: dict[Language, re.Pattern[str]] = {
    "en": re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"),
    "zh": re.compile(r"[A-Za-z]{2,}(?:['’,]? +[A-Za-z]{2,})+"),
}


def length(tenth: int) -> Callable[[Talks], Figure]:
    """The length under which so many tenths of the user's lines are."""

    def of(talks: Talks) -> Figure:
        return decile([size(line, talks.language) for _, line in talks.user_lines], tenth)

    return of


def short(talks: Talks) -> Figure:
    """Very short lines."""
    most_units = SHORT[talks.language]
    return share(size(line, talks.language) <= most_units for _, line in talks.user_lines)


def having(wanted: re.Pattern[str]) -> Callable[[Talks], Figure]:
    """The user's lines in which a pattern is found, and what it finds most."""

    def of(talks: Talks) -> Figure:
        found = [wanted.search(line) for _, line in talks.user_lines]
        said = Counter(" ".join(match[0].split())[:40].lower() for match in found if match)
        return share((match is not None for match in found), detail=most(said))

    return of


def lacking(wanted: re.Pattern[str]) -> Callable[[Talks], Figure]:
    """The user's lines in which a pattern is not found."""

    def of(talks: Talks) -> Figure:
        return share(wanted.search(line) is None for _, line in talks.user_lines)

    return of


def saying(words: List) -> Callable[[Talks], Figure]:
    """The user's lines with any entry of a list."""
    return lambda talks: having(pattern(talks.language, words))(talks)


def strange(talks: Talks) -> Figure:
    """The user's lines partly in another language."""
    return having(STRANGE[talks.language])(talks)


def prefixed(talks: Talks) -> Figure:
    """The user's lines that begin with a role's name, as in a script."""
    return having(PREFIX)(talks)


def machine(talks: Talks) -> Figure:
    """The user's lines that speak as a machine, by the same words that a run refuses."""
    return having(OUT_OF_ROLE)(talks)


def thanks(third: int) -> Callable[[Talks], Figure]:
    """Thanks in the first, second or last third (0, 1, 2) of each dialogue's lines of the user."""

    def of(talks: Talks) -> Figure:
        wanted = pattern(talks.language, "thanks")
        return share(
            wanted.search(line) is not None
            for talk in talks.spoken
            for number, line in enumerate(talk.user)
            if number * 3 // len(talk.user) == third
        )

    return of
