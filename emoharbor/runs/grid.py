"""A grid of a seeker's controls: which there are, what is asked for, and where its runs lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import yaml

from emoharbor.agents.seeker import PRESETS, SCALES
from emoharbor.errors import ConfigError, nearest
from emoharbor.runs.store import FilePlan
from emoharbor.suite import Suite, make_suite, read_yaml

FILE = "vary.yaml"
SCALE_OF: Mapping[str, tuple[str, ...]] = {**SCALES, "preset": tuple(PRESETS)}
FORM = "CONTROL=LEVEL,LEVEL is wanted, as in engagement=ordinary,low"


@dataclass(frozen=True)
class Grid:
    """The levels of each control that is varied, and the suite in which all else stands still."""

    levels: Mapping[str, tuple[str, ...]]
    suite: Suite

    @property
    def combinations(self) -> list[dict[str, str]]:
        """Each control with one of its levels, in every way; the last control changes fastest."""
        names, each = self.levels.keys(), product(*self.levels.values())
        return [dict(zip(names, levels, strict=True)) for levels in each]

    def suite_of(self, combination: Mapping[str, str]) -> Suite:
        """The suite with these controls."""
        changes = {f"agents.talker.{control}": level for control, level in combination.items()}
        return make_suite(self.suite.file_values(), self.suite.name, changes)


def folder_of(combination: Mapping[str, str]) -> str:
    """The name of a combination's run: engagement=low,resistance=strong."""
    return ",".join(f"{control}={level}" for control, level in combination.items())


def make_grid(suite: Suite, texts: Sequence[str]) -> Grid:
    """The grid of `--vary` texts. Raises ConfigError that names the nearest control or level."""
    if suite.agents.talker.use != "seeker":
        raise ConfigError(
            f"--vary: the controls are the seeker's, and the talker of {suite.name} is "
            f"'{suite.agents.talker.use}': vary worst_case or average_case"
        )
    if len(suite.supporters) != 1:
        many = len(suite.supporters)
        raise ConfigError(f"--vary: one supporter is wanted for the whole grid, not {many}")
    levels: dict[str, tuple[str, ...]] = {}
    for text in texts:
        control, named = _levels(text)
        if control in levels:
            raise ConfigError(f"--vary {text}: {control} is named twice; put all levels into one")
        levels[control] = named
    return Grid(levels, suite)


def _levels(text: str) -> tuple[str, tuple[str, ...]]:
    control, equals, rest = text.partition("=")
    control = control.strip()
    levels = tuple(level.strip() for level in rest.split(","))
    if not equals or not all(levels):
        raise ConfigError(f"--vary {text}: {FORM}")
    if control not in SCALE_OF:
        raise ConfigError(f"--vary {text}: no control '{control}'{nearest(control, SCALE_OF)}")
    scale = SCALE_OF[control]
    for level in levels:
        if level not in scale:
            raise ConfigError(f"--vary {text}: no level '{level}'{nearest(level, scale)}")
    if len(levels) < 2 or len(set(levels)) < len(levels):
        raise ConfigError(f"--vary {text}: two different levels are wanted, or more of them")
    return control, levels


def is_grid(folder: Path) -> bool:
    """Whether a folder holds the runs of a grid."""
    return (folder / FILE).is_file()


def open_grid(folder: Path) -> Grid:
    """The grid whose runs lie in `folder`. Raises ConfigError where there is none."""
    file = folder / FILE
    if not file.is_file():
        raise ConfigError(
            f"{folder} holds no grid: there is no {FILE} in it; make one with "
            "emoharbor run worst_case --vary engagement=ordinary,low"
        )
    values = read_yaml(file)
    if not isinstance(values.get("vary"), dict) or not isinstance(values.get("suite"), dict):
        raise ConfigError(f"{file}: the keys 'vary' and 'suite' are wanted")
    suite = make_suite(values["suite"], str(file))
    return make_grid(suite, [f"{name}={','.join(its)}" for name, its in values["vary"].items()])


async def keep_grid(grid: Grid, folder: Path) -> None:
    """Writes the grid down, or checks that the folder holds the runs of no other one.

    Levels may be added to it. Raises ConfigError otherwise.
    """
    if (folder / "run.yaml").exists():
        raise ConfigError(f"{folder} holds a run; put the grid into another folder with --out")
    if is_grid(folder):
        _refuse_other(open_grid(folder).levels, grid.levels, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"cannot write to {folder}: {error.strerror}") from error
    levels = {control: list(its) for control, its in grid.levels.items()}
    values = {"vary": levels, "suite": grid.suite.file_values()}
    text = yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=100)
    await FilePlan(folder / FILE).write(text)


def _refuse_other(
    kept: Mapping[str, tuple[str, ...]], wanted: Mapping[str, tuple[str, ...]], folder: Path
) -> None:
    same = list(kept) == list(wanted)
    if not same or any(set(levels) - set(wanted[name]) for name, levels in kept.items()):
        had = " ".join(f"--vary {name}={','.join(levels)}" for name, levels in kept.items())
        raise ConfigError(
            f"{folder} holds the grid {had}: name all of these levels (more may be added), or "
            "put another grid into another folder with --out"
        )
