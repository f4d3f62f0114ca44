"""From all dialogues to those that are wanted; every step says how many it left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from emoharbor.errors import ConfigError, nearest
from emoharbor.profiles.filters import FILTERS
from emoharbor.state.profile import Profile
from emoharbor.training.data.asked import Wanted
from emoharbor.training.data.dialogue import Dialogue

Test = Callable[[Dialogue], bool]


@dataclass
class Funnel:
    """What is left, and for each step so far how many dialogues it left out."""

    left: list[Dialogue]
    removed: dict[str, int] = field(default_factory=dict)

    def keep(self, step: str, test: Test) -> None:
        """Those that pass go on."""
        self.left, before = [one for one in self.left if test(one)], len(self.left)
        self.removed[step] = before - len(self.left)

    @property
    def said(self) -> str:
        """What each step took, in words."""
        parts = [f"{step}: {number}" for step, number in self.removed.items() if number]
        return "; ".join(parts) or "nothing"


def wanted_ones(
    dialogues: Iterable[Dialogue], wanted: Wanted, people: Mapping[str, Mapping[str, Profile]]
) -> Funnel:
    """The dialogues that pass every filter, each text once.

    `people` are the profiles of each run by id, where a risk is asked for. Raises ConfigError for
    a supporter or a dimension that no dialogue has.
    """
    funnel = Funnel(list(dialogues))
    _check(funnel.left, wanted)
    funnel.keep("failed", lambda one: one.record.failure is None)
    funnel.keep("without a word of the supporter", lambda one: bool(one.messages))
    for step, test in _tests(wanted, people).items():
        funnel.keep(step, test)
    seen: set[str] = set()

    def new(one: Dialogue) -> bool:
        known = one.text in seen
        seen.add(one.text)
        return not known

    funnel.keep("the same text as another", new)
    return funnel


def _tests(wanted: Wanted, people: Mapping[str, Mapping[str, Profile]]) -> dict[str, Test]:
    tests: dict[str, Test] = {}
    if wanted.supporters:
        names = ", ".join(wanted.supporters)
        tests[f"supporter {names}"] = lambda one: one.record.supporter in wanted.supporters
    if wanted.language:
        tests[f"language {wanted.language}"] = lambda one: one.record.language == wanted.language
    if wanted.endings:
        tests[f"ending {', '.join(wanted.endings)}"] = lambda one: _ending(one) in wanted.endings
    if wanted.fewest is not None:
        fewest = wanted.fewest
        tests[f"at least {fewest} exchanges"] = lambda one: one.record.turns >= fewest
    if wanted.most is not None:
        most = wanted.most
        tests[f"at most {most} exchanges"] = lambda one: one.record.turns <= most
    if wanted.risk:
        risk = ",".join(wanted.risk)
        tests[f"risk {risk}"] = lambda one: FILTERS["risk"](
            people[one.run][one.record.profile], risk
        )
    if wanted.min_mean is not None:
        least = wanted.min_mean
        tests[f"verdict mean at least {least:g}"] = lambda one: (one.mean or 0) >= least
    for name, mark in wanted.least.items():
        tests[f"{name} at least {mark:g}"] = _at_least(name, mark)
    return tests


def _at_least(name: str, mark: float) -> Test:
    """A dimension that nobody could mark is not enough."""
    return lambda one: one.marks.get(name, 0) >= mark


def _ending(dialogue: Dialogue) -> str:
    return dialogue.record.ending.reason if dialogue.record.ending else ""


def _check(dialogues: Sequence[Dialogue], wanted: Wanted) -> None:
    """A name with a slip of the pen would leave out everything and say nothing."""
    verdicts = [one.record.verdict for one in dialogues if one.record.verdict]
    _known("--supporter", wanted.supporters, {one.record.supporter for one in dialogues})
    _known("--min-score", wanted.least, {name for v in verdicts for name in v.scores})
    if wanted.min_mean is not None and not verdicts:
        raise ConfigError("--min-mean: none of these dialogues has a verdict")


def _known(flag: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise ConfigError(f"{flag} {name}: no dialogue has it{nearest(name, known)}")
