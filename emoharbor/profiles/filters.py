"""The filters of an address: `zh?topic=work&age=18-30`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import parse_qsl, quote

from emoharbor.errors import ConfigError, nearest
from emoharbor.state.profile import Profile

Test = Callable[[Profile, str], bool]


def _age(profile: Profile, wanted: str) -> bool:
    low, _, high = wanted.partition("-")
    try:
        return int(low) <= profile.demographics.age <= int(high or low)
    except ValueError as error:
        raise ConfigError(f"profiles: age={wanted}: a number or a range as 18-30") from error


FILTERS: dict[str, Test] = {
    "id": lambda p, wanted: p.id in wanted.split(","),
    "language": lambda p, wanted: p.language in wanted.split(","),
    "topic": lambda p, wanted: p.counselling.topic in wanted.split(","),
    "goal": lambda p, wanted: p.counselling.goal in wanted.split(","),
    "mbti": lambda p, wanted: p.preferences.mbti in wanted.upper().split(","),
    "gender": lambda p, wanted: p.demographics.gender in wanted.split(","),
    "age": _age,
    "risk": lambda p, wanted: bool(set(p.risk or ("none",)) & set(wanted.split(","))),
    "minor": lambda p, wanted: str(p.minor).lower() == wanted.lower(),
    "hard": lambda p, wanted: str(p.hard).lower() == wanted.lower(),
}


def parse_filters(query: str) -> list[tuple[str, str]]:
    """The pairs of `topic=work&age=18-30`. Raises ConfigError for a filter that there is not."""
    pairs = parse_qsl(query, keep_blank_values=True)
    for key, _ in pairs:
        if key not in FILTERS:
            raise ConfigError(f"profiles: no filter '{key}'{nearest(key, FILTERS)}")
    return pairs


def keep(profiles: Iterable[Profile], filters: Iterable[tuple[str, str]]) -> list[Profile]:
    """Those who pass every filter."""
    pairs = list(filters)
    return [p for p in profiles if all(FILTERS[key](p, wanted) for key, wanted in pairs)]


def narrowed(address: str, wanted: Mapping[str, str]) -> str:
    """`address` with more filters."""
    more = "&".join(f"{key}={_quoted(value)}" for key, value in wanted.items())
    joint = "&" if "?" in address else "?"
    return f"{address}{joint}{more}" if more else address


def _quoted(value: str) -> str:
    """What would end the value is written in its place; all else stays readable."""
    return re.sub("[%&+#]", lambda sign: quote(sign[0]), value)
