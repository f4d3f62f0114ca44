"""One dialogue of a suite in a run folder of its own, to be played node by node."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import quote

import yaml

from emoharbor.errors import ConfigError, nearest
from emoharbor.models.pool import ModelPool
from emoharbor.profiles import load_profiles
from emoharbor.runs.executor import plan_suite
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.plan import Plan
from emoharbor.runs.reader import open_reader
from emoharbor.runs.stepper import Stepper
from emoharbor.runs.store import RunStore, open_store
from emoharbor.suite import Suite, make_suite

__all__ = ["Stepper", "one_dialogue", "open_stepper", "suite_of"]


def one_dialogue(suite: Suite, profile: str | None = None) -> Suite:
    """The part of `suite` that is one dialogue: its supporter with `profile`, or with the first.

    Raises ConfigError for a profile that is not there and where there are several supporters.
    """
    if len(suite.supporters) > 1:
        names = ", ".join(supporter.name for supporter in suite.supporters)
        raise ConfigError(f"one dialogue has one supporter ({names}): name one with --supporter")
    people = load_profiles(suite.profiles)[: suite.limit]
    chosen = next((person for person in people if profile in (None, person.id)), None)
    if chosen is None:
        known = nearest(str(profile), [person.id for person in people])
        raise ConfigError(f"no profile '{profile}' in '{suite.profiles}'{known}")
    joint = "&" if "?" in suite.profiles else "?"
    address = f"{suite.profiles}{joint}id={quote(chosen.id)}"
    return suite.model_copy(update={"profiles": address, "limit": None, "repeats": 1})


async def suite_of(run: Path, store: str | None = None) -> Suite:
    """The suite of the run in `run`, or under its name in the Redis at `store`.

    Raises ConfigError where there is none.
    """
    async with open_reader(run, store) as reader:
        return make_suite(yaml.safe_load(await reader.plan() or "{}"), reader.where)


@asynccontextmanager
async def open_stepper(suite: Suite, out: Path, store: str | None = None) -> AsyncIterator[Stepper]:
    """The dialogue of `suite` in the run folder `out` (or in the Redis at `store`), held open.

    A new one begins; one that is there goes on where it was left, with what was changed by hand.
    Raises ConfigError where `suite` holds several dialogues, and where the run is another one.
    """
    given = plan_suite(suite)
    if len(given.cells) != 1:
        raise ConfigError(
            f"{len(given.cells)} dialogues cannot be stepped at once: step one of them in a folder "
            "of its own, or go on from inside them with emoharbor fork"
        )
    async with ModelPool() as pool, open_store(store, out) as kept:
        journal = RunJournal(kept.calls)
        await journal.load()
        agreed = await _agreed(suite, given, kept, out)
        stepper = Stepper(pool, kept, journal, out)
        await stepper.begin(agreed)
        yield stepper


async def _agreed(suite: Suite, given: Plan, kept: RunStore, out: Path) -> Suite:
    """What is gone on with: `suite`, or what the run in `out` that it began has become."""
    text = await kept.plan.read()
    if not text:
        return suite
    values = yaml.safe_load(text)
    stored = make_suite(values, str(out))
    plan = plan_suite(stored)
    first_judge = (values.get("recorded") or {}).get("first_judge")
    by_hand = stored.branch.by_hand if stored.branch else ()
    threads = {*(cell.thread for cell in plan.cells), *(c.thread for c in by_hand[:1])}
    judges = {first_judge, digest(plan.fingerprint["judge"])}
    same = given.cells[0].thread in threads and digest(given.fingerprint["judge"]) in judges
    if len(plan.cells) != 1 or not same:
        raise ConfigError(
            f"{out} holds a run of another configuration: go on with it by emoharbor step {out}, "
            "or name another folder with --out"
        )
    return stored
