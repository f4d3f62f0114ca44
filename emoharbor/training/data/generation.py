"""Which suites make a recipe, and which people may take part in them."""

from __future__ import annotations

from collections.abc import Sequence

from emoharbor.errors import ConfigError
from emoharbor.profiles.filters import narrowed
from emoharbor.suite import Suite, load_suite, shipped_suites
from emoharbor.training.data.asked import ARMS, RecipeName
from emoharbor.training.data.dialogue import Arm, arm_of
from emoharbor.training.data.export import refuse
from emoharbor.training.data.leaks import Overlap, overlaps
from emoharbor.training.data.people import Person, people_of_profiles

CASES: dict[Arm, str] = {"average": "average_case", "worst": "worst_case"}


def suites_for(names: Sequence[str], recipe: RecipeName | None) -> dict[str, str]:
    """The suites to be run, each under the name of its run folder.

    With a recipe that is a suite an arm: one of those that are named, or else the shipped one that
    goes with it. Raises ConfigError for one that belongs to another arm or to none.
    """
    if recipe is None:
        if not names:
            raise ConfigError("a SUITE is wanted, or --recipe average, worst or mix")
        return {load_suite(name).name: name for name in names}
    arms, found = ARMS[recipe], dict[Arm, str]()
    for name in names:
        arm = arm_of(load_suite(name).name)
        if arm not in arms or arm in found:
            wanted = " and ".join(f"one of {CASES[arm]}" for arm in arms)
            raise ConfigError(f"{name}: --recipe {recipe} takes {wanted}, or none to have both")
        found[arm] = name
    return {arm: found.get(arm) or _counterpart(arm, found) for arm in arms}


def _counterpart(arm: Arm, found: dict[Arm, str]) -> str:
    """The shipped suite of `arm` that goes with the suite of the other one."""
    for other, name in found.items():
        twin = name.replace(CASES[other], CASES[arm])
        if twin in shipped_suites():
            return twin
    return CASES[arm]


def without_overlap(
    suite: Suite, there: Sequence[Person], against: Sequence[str], *, drop: bool
) -> tuple[Suite, list[Overlap]]:
    """The suite without the people of an evaluation, and whom that leaves out.

    Raises ConfigError where there are some who are not to be dropped, and where nobody is left.
    """
    people = people_of_profiles(suite.profiles)
    found = overlaps(people if drop else people[: suite.limit], there)
    refuse(found, drop, against)
    if not found:
        return suite, []
    out = {pair.first for pair in found}
    kept = [person.id for person in people if person.id not in out]
    if not kept:
        raise ConfigError(f"everybody of {suite.profiles} is in {', '.join(against)} too")
    address = narrowed(suite.profiles, {"id": ",".join(kept)})
    return suite.model_copy(update={"profiles": address}), found
