"""Runs as tidy data frames: one row a dialogue, a message, an inner state, a mark, a call."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from emoharbor.errors import ConfigError
from emoharbor.frames import rows
from emoharbor.profiles import load_profiles
from emoharbor.runs.folder import is_build
from emoharbor.runs.reader import RunReader, open_reader
from emoharbor.runs.store import JUDGED, name_of

PLACE = ["run", "supporter", "profile", "repeat"]
COLUMNS = {
    "dialogues": [
        *PLACE, "suite", "language", "turns", "ending", "ending_turn", "ending_words", "failure",
        "failure_node", "judged", "imported", "supporter_model", "user_model", "seed", "thread",
        "calls", "started", "finished",
    ],
    "messages": [*PLACE, "number", "turn", "role", "text", "length"],
    "inner_states": [
        *PLACE, "turn", "before_message", "kind", "cognition", "emotion", "intensity", "goals",
        "noticed", "disclosure", "leaning", "why", "label", "depth", "transition_reason",
        "description", "deteriorated",
    ],
    "scores": [
        *PLACE, "judge", "strategy", "rubric", "judging", "sample", "upto", "dimension", "value",
        "cause", "reason", "evidence",
    ],
    "failures": [
        *PLACE, "judging", "sample", "upto", "error", "cause", "message", "node", "turn",
    ],
    "calls": [
        "run", "thread", "step", "node", "ordinal", "attempt", "model", "seconds", "input_tokens",
        "cached_tokens", "output_tokens", "finish_reason", "error", "at",
    ],
    "people": [
        "profile", "language", "age", "gender", "occupation", "nationality", "education",
        "residence", "relationship", "family", "mbti", "openness", "conscientiousness",
        "extraversion", "agreeableness", "neuroticism", "topic", "emotion", "goal", "minor",
        "risk", "hard",
    ],
}  # fmt: skip
# A whole number that may be missing.
WHOLE = {
    "dialogues": ["turns", "ending_turn", "calls"],
    "inner_states": ["intensity", "depth"],
    "scores": ["value", "upto", "sample"],
    "failures": ["upto", "sample", "turn"],
    "calls": ["ordinal", "input_tokens", "cached_tokens", "output_tokens"],
}


@dataclass(frozen=True)
class Frames:
    """What runs hold; the columns of each frame are those of COLUMNS.

    `dialogues` has every dialogue, also failed and unjudged ones; `messages` are H_s and
    `inner_states` what else is in H_u; `scores` has a row a dimension of every verdict: the run's
    own (`judging` is "") and those of later judges (`judging` names theirs, `sample` their repeat,
    `upto` the exchange after which a prefix ended, NA for a whole dialogue). `failures` has what
    failed of either. `length` counts words, in Chinese characters. `people` are those of the runs'
    suites that can still be read; `notes` says which cannot.
    """

    dialogues: pd.DataFrame
    messages: pd.DataFrame
    inner_states: pd.DataFrame
    scores: pd.DataFrame
    failures: pd.DataFrame
    calls: pd.DataFrame
    people: pd.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def own_scores(self) -> pd.DataFrame:
        """The marks that the runs' own judges gave whole dialogues."""
        return self.scores[self.scores["judging"] == ""]


def load(*runs: Path | str, store: str | None = None, calls: bool = True) -> Frames:
    """Reads runs, with what later judges made of them, into data frames; nothing is changed.

    A run is named by its folder, or with `store` (a Redis URL) by its name there. `calls` False
    leaves the journal unread and that frame empty. May be called where an event loop runs, as in a
    notebook. Raises ConfigError where there is no run, CheckpointError where it cannot be read.
    """
    if not runs:
        raise ConfigError("no run to load: name a run's folder, as in load('runs/emoharbor')")
    with ThreadPoolExecutor(1) as pool, _uncollected():
        return pool.submit(asyncio.run, _load([Path(run) for run in runs], store, calls)).result()


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing that is read is garbage yet: to look for some took two thirds of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


async def _load(runs: list[Path], store: str | None, calls: bool) -> Frames:
    found: dict[str, list[rows.Row]] = {name: [] for name in COLUMNS}
    people: dict[str, rows.Row] = {}
    notes: list[str] = []
    names = _names(runs)
    for path, name in zip(runs, names, strict=True):
        async with open_reader(path, store) as reader:
            known, note = _people(_plan(await reader.plan(), reader.where))
            await _read(reader, name, found, calls)
        people |= {str(one["profile"]): one for one in known}
        notes += [f"{name}: {note}"] if note else []
        for judging, where in await _judgings(path, store):
            async with open_reader(where, store) as reader:
                await _read_judging(reader, judging, name, found, calls)
    found["people"] = list(people.values())
    frames = {name: _frame(name, its) for name, its in found.items()}
    return Frames(**frames, notes=tuple(notes))


def _names(runs: list[Path]) -> list[str]:
    """The folders' names, each with those above it where two would be the same."""
    if len({run.resolve() for run in runs}) < len(runs):
        raise ConfigError("a run is named twice")
    whole = [run.absolute().parts for run in runs]
    long = 1
    while len({parts[-long:] for parts in whole}) < len(whole):
        long += 1
    return ["/".join(parts[-long:]) for parts in whole]


async def _judgings(run: Path, store: str | None) -> list[tuple[str, Path]]:
    """The later judgings of a run, by their own names, and what each is called where it is kept."""
    if store is None:
        files = sorted((run / JUDGED).glob("*/run.yaml"))
        return [(file.parent.name, file.parent) for file in files]
    from emoharbor.checkpoints.redis_store import runs_at

    before = f"{name_of(run)}-{JUDGED}-"
    known = sorted(name for name in await runs_at(store) if name.startswith(before))
    return [(name.removeprefix(before), Path(name)) for name in known]


async def _read(
    reader: RunReader, name: str, found: dict[str, list[rows.Row]], calls: bool
) -> None:
    for record in (await reader.records()).values():
        found["dialogues"].append(rows.dialogue(name, record))
        found["messages"] += rows.messages(name, record)
        found["inner_states"] += rows.inner_states(name, record)
        found["scores"] += rows.scores(name, record)
        found["failures"] += rows.failure(name, record)
    await _read_calls(reader, name, found, calls)


async def _read_judging(
    reader: RunReader, judging: str, run: str, found: dict[str, list[rows.Row]], calls: bool
) -> None:
    for record in (await reader.records()).values():
        for kind, its in (("scores", rows.scores), ("failures", rows.failure)):
            found[kind] += ({**row, "run": run} for row in its(judging, record))
    await _read_calls(reader, f"{run}/{JUDGED}/{judging}", found, calls)


async def _read_calls(
    reader: RunReader, name: str, found: dict[str, list[rows.Row]], wanted: bool
) -> None:
    if wanted:
        entries = [entry async for _, entry in reader.call_lines.all()]
        found["calls"] += (rows.call(name, e) for e in entries if e["kind"] != "failure")


def _plan(text: str | None, where: str) -> dict[str, Any]:
    """What run.yaml holds, if it is that of a run of dialogues."""
    try:
        values: Any = yaml.safe_load(text or "") or {}
    except yaml.YAMLError as error:
        raise ConfigError(f"{where}: its run.yaml is not YAML: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"{where}: its run.yaml holds no settings")
    if is_build(values):
        raise ConfigError(f"{where} is a build of profiles, and no run of dialogues")
    if "judging" in values:
        raise ConfigError(f"{where} is a later judging: load the run that was judged, it has both")
    return values


def _people(values: dict[str, Any]) -> tuple[Iterable[rows.Row], str]:
    """Those of the suite, or why there are none."""
    address = values.get("profiles")
    if not address:
        return [], "no profiles are known of imported dialogues"
    try:
        return [rows.person(profile) for profile in load_profiles(address)], ""
    except ConfigError as error:
        return [], f"its people cannot be read any more: {error}"


def _frame(name: str, its: list[rows.Row]) -> pd.DataFrame:
    frame = pd.DataFrame(its, columns=COLUMNS[name])
    return frame.astype(dict.fromkeys(WHOLE.get(name, ()), "Int64"))
