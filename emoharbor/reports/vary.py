"""Did the seeker obey? The runs of a grid as tables: what changed with each control."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.frames import Frames, load
from emoharbor.profiles import load_profiles
from emoharbor.reports.vary_measures import MEASURES, Measure, Talk, measured
from emoharbor.runs.folder import RunFolder
from emoharbor.runs.grid import Grid, folder_of, open_grid
from emoharbor.sheets import Cell, Column, Sheet
from emoharbor.state.profile import Profile
from emoharbor.stats.intervals import DRAWS, Interval
from emoharbor.stats.obedience import Effect, at_level, effects
from emoharbor.stats.pairwise import ALPHA, FEWEST
from emoharbor.suite import read_yaml

BY_KEY: Mapping[str, Measure] = {measure.key: measure for measure in MEASURES}
DIRECTIONS = {1: "more", -1: "less", 0: "no effect"}
NOTHING = "no dialogue has it"


@dataclass(frozen=True)
class Run:
    """One combination's run: `planned` dialogues, of which `failed` and `finished` have come."""

    combination: Mapping[str, str]
    planned: int
    finished: int
    failed: int


@dataclass(frozen=True)
class Varied:
    """The runs of a grid, and `dialogues` as `emoharbor.stats.obedience.effects` takes them."""

    grid: Grid
    runs: tuple[Run, ...]
    dialogues: pd.DataFrame
    notes: tuple[str, ...]


def vary_sheets(folder: Path, *, seed: int = 0) -> list[Sheet]:
    """The effects of all controls, each one's measures by level, and how far the runs are.

    Raises ConfigError where there is no grid, or none of its dialogues is finished.
    """
    varied = read_varied(folder)
    if varied.dialogues.empty:
        raise ConfigError(f"{folder}: no dialogue of the grid is finished yet")
    levels = varied.grid.levels
    found = effects(varied.dialogues, levels, [*BY_KEY], _meant, seed=seed)
    return [
        _effects_sheet(found, varied, seed),
        *(_levels_sheet(varied, control, levels[control], seed) for control in levels),
        _runs_sheet(varied),
    ]


def read_varied(folder: Path) -> Varied:
    """What the runs of the grid in `folder` hold so far."""
    grid = open_grid(folder)
    names = {folder_of(one): one for one in grid.combinations}
    there = [name for name in names if RunFolder(folder / name).plan_file.is_file()]
    frames = load(*(folder / name for name in there), calls=False) if there else None
    rows = list(_rows(frames, names, _people(grid))) if frames else []
    ended = Counter(
        (one.run, one.failure is None) for one in (frames.dialogues.itertuples() if frames else ())
    )
    runs = tuple(
        Run(one, _planned(folder / name), ended[name, True], ended[name, False])
        for name, one in names.items()
    )
    columns = [*grid.levels, "profile", "repeat", *BY_KEY]
    dialogues = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(BY_KEY, float))
    return Varied(grid, runs, dialogues, frames.notes if frames else ())


def _planned(run: Path) -> int:
    file = RunFolder(run).plan_file
    return int(read_yaml(file)["recorded"]["cells"]) if file.is_file() else 0


def _people(grid: Grid) -> dict[str, Profile]:
    """By id; nobody where the profiles cannot be read any more, which the frames' notes tell."""
    try:
        return {profile.id: profile for profile in load_profiles(grid.suite.profiles)}
    except ConfigError:
        return {}


def _rows(
    frames: Frames, names: Mapping[str, Mapping[str, str]], people: Mapping[str, Profile]
) -> Iterator[dict[str, Any]]:
    place = ["run", "profile", "repeat"]
    lines = dict(iter(frames.messages.groupby(place, sort=False)))
    states = dict(iter(frames.inner_states.groupby(place, sort=False)))
    whole: list[dict[str, Any]] = frames.dialogues.to_dict("records")  # type: ignore[assignment]
    for one in whole:
        key = (one["run"], one["profile"], one["repeat"])
        if one["failure"] is not None or key not in lines:
            continue
        mine = lines[key].sort_values("number")
        talk = Talk(
            language=one["language"],
            lines=list(zip(mine["role"], mine["text"], strict=True)),
            lengths=mine.loc[mine["role"] == "user", "length"].tolist(),
            depths=states[key]["depth"].dropna().tolist() if key in states else [],
            profile=people.get(one["profile"]),
        )
        where = {"profile": one["profile"], "repeat": one["repeat"]}
        yield {**names[one["run"]], **where, **measured(talk)}


def _meant(control: str, measure: str, a: str, b: str) -> int:
    return BY_KEY[measure].direction(control, a, b)


def _levels_sheet(varied: Varied, control: str, levels: Sequence[str], seed: int) -> Sheet:
    rows: list[Mapping[str, Cell | float | int | str]] = []
    for key, measure in BY_KEY.items():
        cells = {
            level: _mean_cell(at_level(varied.dialogues, control, level, key, seed=seed))
            for level in levels
        }
        rows.append({"measure": measure.label, **cells})
    others = [name for name in varied.grid.levels if name != control]
    over = f", over all levels of {' and '.join(others)}" if others else ""
    return Sheet(
        name=f"levels-{control.replace('_', '-')}",
        title=f"{control}: what the seeker did at each level{over}",
        columns=(Column("measure", "measure"), *(Column(level, level) for level in levels)),
        rows=tuple(rows),
        notes=(
            "mean [95 % interval by drawing people] and n, the dialogues that have it; failed "
            "dialogues are in none",
        ),
    )


def _mean_cell(interval: Interval) -> Cell:
    if interval.value is None:
        return Cell(None, f"n {interval.n}", why=NOTHING)
    return Cell(interval.value, f"{_between(interval.low, interval.high)}n {interval.n}")


def _between(low: float | None, high: float | None, sign: str = "") -> str:
    return "" if low is None or high is None else f"[{low:{sign}.2f}, {high:{sign}.2f}] "


def _effects_sheet(found: Sequence[Effect], varied: Varied, seed: int) -> Sheet:
    tested = sum(effect.pair.p is not None for effect in found)
    columns = (
        Column("control", "control"),
        Column("from", "from"),
        Column("to", "to"),
        Column("measure", "measure"),
        Column("people", "people"),
        Column("difference", "difference", signed=True),
        Column("q", "p corrected", digits=4),
        Column("meant", "meant"),
        Column("found", "found"),
    )
    notes = (
        "difference: mean over the people whom both levels met, all else the same, of the second "
        f"level less the first, with its 95 % interval ({DRAWS} draws of people, seed {seed})",
        f"p: Wilcoxon's signed-rank test over people (Pratt), from {FEWEST} on, corrected by "
        f"Benjamini and Hochberg over the {tested} tests of this table; an effect is found where "
        f"it is below {ALPHA:g}",
        "meant: what the control is to do to the measure; found: as intended, against it, no "
        "clear effect, or a side effect where none is meant",
        *(f"{measure.label}: {measure.says}" for measure in MEASURES),
        *varied.notes,
    )
    return Sheet("effects", "Did the seeker obey?", columns, tuple(map(_effect_row, found)), notes)


def _effect_row(effect: Effect) -> dict[str, Cell | float | int | str]:
    pair = effect.pair
    nobody = "nobody has it at both levels"
    p = Cell(pair.q) if pair.q is not None else Cell(None, why=pair.why or nobody)
    difference = (
        Cell(None, why=nobody)
        if pair.difference is None
        else Cell(pair.difference, _between(effect.low, effect.high, "+").strip())
    )
    return {
        "control": effect.control,
        "from": pair.a,
        "to": pair.b,
        "measure": BY_KEY[effect.measure].label,
        "people": pair.n,
        "difference": difference,
        "q": p,
        "meant": DIRECTIONS[effect.meant],
        "found": effect.found,
    }


def _runs_sheet(varied: Varied) -> Sheet:
    controls = tuple(Column(name, name) for name in varied.grid.levels)
    counts = tuple(Column(name, name) for name in ("planned", "finished", "failed"))
    rows: tuple[Mapping[str, Cell | float | int | str], ...] = tuple(
        {**run.combination, "planned": run.planned, "finished": run.finished, "failed": run.failed}
        for run in varied.runs
    )
    missing = sum(not run.planned for run in varied.runs)
    note = (f"{missing} of the combinations have not begun",) if missing else ()
    title = f"The dialogues of the grid, with {varied.grid.suite.supporters[0].name}"
    return Sheet("runs", title, (*controls, *counts), rows, note)
