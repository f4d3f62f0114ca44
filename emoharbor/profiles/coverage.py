"""Which people a set should have, and which of them it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from emoharbor.profiles.counts import MBTI, big_five, count, decade
from emoharbor.state.profile import Counselling, Profile

YOUNGEST, OLDEST = 13, 80
OCCUPATIONS, TOPICS, EMOTIONS, HARD = 28, 16, 14, 10
PER_TYPE, PER_TOPIC = 4, 3
GOALS: tuple[str, ...] = get_args(Counselling.model_fields["goal"].annotation)


@dataclass(frozen=True)
class Row:
    """One target: what is wanted, what was found, and what is missing of it ("" for nothing)."""

    what: str
    wanted: str
    found: str
    lacks: str = ""


def coverage(profiles: Sequence[Profile]) -> list[Row]:
    """A set of people against the targets of the shipped sets, target by target."""
    return [
        _ages(profiles),
        _kinds(profiles, "occupation", OCCUPATIONS),
        _types(profiles),
        *_traits(profiles),
        _topics(profiles),
        _kinds(profiles, "emotion", EMOTIONS),
        _goals(profiles),
        _hard(profiles),
    ]


def _ages(profiles: Sequence[Profile]) -> Row:
    ages = [p.demographics.age for p in profiles]
    there = count(profiles, "age")
    wanted = dict.fromkeys(decade(age) for age in range(YOUNGEST, OLDEST + 1))
    missing = [each for each in wanted if each not in there]
    if not ages or min(ages) > YOUNGEST:
        missing.append(f"nobody of {YOUNGEST}")
    if not ages or max(ages) < OLDEST:
        missing.append(f"nobody of {OLDEST}")
    found = f"{min(ages)} to {max(ages)}" if ages else "nobody"
    return Row("age", f"{YOUNGEST} to {OLDEST}, every decade", found, ", ".join(missing))


def _kinds(profiles: Sequence[Profile], kind: str, least: int) -> Row:
    found = len(count(profiles, kind))
    lacks = f"{least - found} more" if found < least else ""
    return Row(kind, f"at least {least} different", str(found), lacks)


def _types(profiles: Sequence[Profile]) -> Row:
    counted = count(profiles, "MBTI")
    few = [f"{each} ({counted.get(each, 0)})" for each in MBTI if counted.get(each, 0) < PER_TYPE]
    wanted = f"all {len(MBTI)}, each at least {PER_TYPE} times"
    return Row("MBTI", wanted, _spread(counted), ", ".join(few))


def _traits(profiles: Sequence[Profile]) -> Iterator[Row]:
    for trait, levels in big_five(profiles).items():
        missing = [str(level) for level, people in enumerate(levels, start=1) if not people]
        found = " / ".join(map(str, levels))
        yield Row(trait, "every level from 1 to 5", found, ", ".join(missing))


def _topics(profiles: Sequence[Profile]) -> Row:
    counted = count(profiles, "topic")
    few = [f"{topic} ({people})" for topic, people in counted.items() if people < PER_TOPIC]
    if len(counted) < TOPICS:
        few.append(f"{TOPICS - len(counted)} more")
    wanted = f"at least {TOPICS}, each at least {PER_TOPIC} times"
    return Row("topic", wanted, _spread(counted), ", ".join(few))


def _goals(profiles: Sequence[Profile]) -> Row:
    counted = count(profiles, "goal")
    missing = [goal for goal in GOALS if goal not in counted]
    return Row("goal", f"all {len(GOALS)}", _spread(counted), ", ".join(missing))


def _hard(profiles: Sequence[Profile]) -> Row:
    found = sum(p.hard for p in profiles)
    lacks = f"{HARD - found} more" if found < HARD else ""
    return Row("hard people", f"at least {HARD}", str(found), lacks)


def _spread(counted: dict[str, int]) -> str:
    """As in "16, each 5 to 8 times"."""
    if not counted:
        return "none"
    least, most = min(counted.values()), max(counted.values())
    return f"{len(counted)}, each {least if least == most else f'{least} to {most}'} times"
