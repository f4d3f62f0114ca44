"""Whether a profile's `risk` says what its texts speak of. The words looked for are data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import yaml

from emoharbor.profiles.entries import Finding
from emoharbor.profiles.texts import texts
from emoharbor.state.profile import Language, Profile, Risk

WORDS = Path(__file__).parent.parent / "data" / "risk_words.yaml"
# What drives this person away is mostly what the other one says, as in "being called an abuser".
OF_OTHERS = "scenario.leaves"
RISKS: tuple[Risk, ...] = get_args(Risk)
Strength = Literal["plain", "hint"]


def risk_findings(profile: Profile) -> Iterator[Finding]:
    """A risk that is spoken of and not flagged, or flagged and nowhere to be seen."""
    for risk in RISKS:
        plain = _said(profile, risk, "plain")
        if risk not in profile.risk:
            for field, words in plain:
                says = f"speaks of {risk} ('{words}'), which `risk` does not name"
                if field != OF_OTHERS:
                    yield Finding(profile.id, field, says)
        elif not plain and not _said(profile, risk, "hint"):
            says = f"names {risk}, and no text shows a trace of it (see {WORDS.name})"
            yield Finding(profile.id, "risk", says)


def _said(profile: Profile, risk: Risk, strength: Strength) -> list[tuple[str, str]]:
    pattern = _pattern(profile.language, risk, strength)
    return [(field, match[0]) for field, text in texts(profile) for match in pattern.finditer(text)]


@cache
def _pattern(language: Language, risk: Risk, strength: Strength) -> re.Pattern[str]:
    words = "|".join(_lists()[language][risk][strength].split("\n")[:-1])
    return re.compile(rf"\b(?:{words})\b" if language == "en" else words, re.IGNORECASE)


@cache
def _lists() -> dict[Language, dict[Risk, dict[Strength, str]]]:
    lists: dict[Language, dict[Risk, dict[Strength, str]]] = yaml.safe_load(
        WORDS.read_text(encoding="utf-8")
    )
    return lists
