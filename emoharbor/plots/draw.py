"""Every figure of some runs, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from emoharbor.errors import ConfigError
from emoharbor.frames import Frames
from emoharbor.frames.judgings import prefix_judging
from emoharbor.frames.labels import label_of
from emoharbor.plots import bars, data, lines, style
from emoharbor.plots.marks import draw_marks
from emoharbor.plots.radar import FEWEST_AXES, draw_radar
from emoharbor.plots.words import WORDS
from emoharbor.profiles.figures import drawn_with, save
from emoharbor.profiles.fonts import families
from emoharbor.state.profile import Language
from emoharbor.stats.survival import UNSATISFIED, Censoring, curves, horizon, lives
from emoharbor.stats.turns import leanings, prefix_marks, states_by_turn, with_systems

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DPI = 150
MEASURES = {"intensity": (1, 5), "depth": (0, 5)}


@dataclass(frozen=True)
class Wanted:
    """How figures are drawn: in which language (None: the dialogues'), of which judging's prefixes.

    `events` and `censor` are as in `lives`, `seed` that of the drawing of people for the bands.
    """

    language: Language | None = None
    judging: str | None = None
    events: Collection[str] = UNSATISFIED
    censor: Censoring = "end"
    seed: int = 0


@dataclass(frozen=True)
class Drawn:
    """The files that were written, and which figures there are not, and why."""

    files: tuple[Path, ...]
    missing: Mapping[str, str]


Drawing = Callable[[], "Figure"]


class _Missing(Exception):
    """Why there is no such figure."""


def draw(frames: Frames, folder: Path, wanted: Wanted) -> Drawn:
    """Draws what `frames` have into `folder`.

    Raises ConfigError where matplotlib or a font for the names is missing, for a judging that there
    is not, and where no dialogue is there.
    """
    if frames.dialogues.empty:
        raise ConfigError("there is no dialogue yet in these runs: nothing to draw")
    style_of = drawn_with()
    language = wanted.language or data.language_of(frames.dialogues)
    figures = _Figures(frames, with_systems(frames.dialogues), wanted, language)
    fonts = _fonts(figures.texts(), language)
    files: list[Path] = []
    missing: dict[str, str] = {}
    with style_of(fonts):
        for name, drawing in figures.all():
            try:
                figure = drawing()
            except _Missing as why:
                missing[name] = str(why)
                continue
            folder.mkdir(parents=True, exist_ok=True)
            files += save(figure, folder / name, DPI)
    return Drawn(tuple(files), missing)


def _fonts(texts: Iterable[str], language: Language) -> Sequence[str]:
    try:
        return families(texts)
    except ConfigError as error:
        instead = "; or draw in English: --language en" if language == "zh" else ""
        raise ConfigError(f"{error}{instead}") from error


@dataclass(frozen=True)
class _Figures:
    frames: Frames
    dialogues: pd.DataFrame
    wanted: Wanted
    language: Language

    @property
    def words(self) -> Mapping[str, str]:
        return WORDS[self.language]

    @property
    def looks(self) -> Mapping[str, style.Look]:
        return style.looks_of(self.dialogues["system"].drop_duplicates())

    def texts(self) -> Iterator[str]:
        yield from self.dialogues["system"].unique()
        yield from self.words.values()
        for key in self.frames.scores["dimension"].unique():
            yield from (label_of(key, self.language).short, label_of(key, self.language).facet)

    def all(self) -> Iterator[tuple[str, Drawing]]:
        yield "radar", self.radar
        yield "endings", self.endings
        yield "survival", self.survival
        yield "dimensions-by-turn", self.marks
        states = states_by_turn(self.frames.inner_states, self.dialogues)
        for key in MEASURES:
            if key == "intensity" or states[key].notna().any():
                yield key, partial(self.measure, states, key)
        yield "leaning", partial(self.leaning, states)

    def radar(self) -> Figure:
        means = data.facet_means(self.frames, self.language)
        if not means:
            raise _Missing("no dialogue has a mark")
        if len({facet for its in means.values() for facet in its}) < FEWEST_AXES:
            raise _Missing(f"the rubric has fewer than {FEWEST_AXES} facets")
        names = data.ordered(list(means), lambda name: data.mean_of(means[name]))
        return draw_radar({name: means[name] for name in names}, self.words)

    def endings(self) -> Figure:
        counts = data.ending_counts(self.dialogues)
        names = bars.order(counts, self.wanted.events)
        return bars.draw_endings({name: counts[name] for name in names}, self.words)

    def survival(self) -> Figure:
        table = lives(self.dialogues, events=self.wanted.events, censor=self.wanted.censor)
        if table.empty:
            raise _Missing("no dialogue has ended")
        found = sorted(curves(table, seed=self.wanted.seed), key=lambda one: -one.mean)
        scale = lines.Scale(
            self.words["survival"], self.words["exchange"], self.words["at_risk"],
            0, 1.02, 0, horizon(table), percent=True,
        )  # fmt: skip
        return lines.draw_lines([data.survival_line(curve) for curve in found], scale, self.looks)

    def marks(self) -> Figure:
        name = prefix_judging(self.frames.scores, self.wanted.judging)
        if name is None:
            raise _Missing(
                "no prefix of a dialogue has been judged, as by "
                "emoharbor judge RUN --model MODEL --every 3"
            )
        scores = self.frames.scores
        marks = prefix_marks(scores[scores["judging"] == name], self.dialogues)
        means = marks.groupby("system")["value"].mean()
        best = data.ordered([str(one) for one in means.index], lambda one: float(means[one]))
        found: dict[str, list[lines.Line]] = {}
        for key, its in marks.groupby("dimension", sort=False):
            its_lines = data.lines_of(its, self.wanted.seed, bands=len(best) <= style.OVERLAID)
            its_lines.sort(key=lambda line: best.index(line.system))
            found[label_of(str(key), self.language).short] = its_lines
        return draw_marks(found, self.words, self.looks)

    def measure(self, states: pd.DataFrame, key: str) -> Figure:
        found = data.lines_of(states.assign(value=states[key]), self.wanted.seed)
        if not found:
            raise _Missing("there are no inner states with it")
        low, high = MEASURES[key]
        last = max(int(line.turns[-1]) for line in found)
        scale = lines.Scale(
            self.words[key], self.words["exchange"], self.words["there"],
            low - 0.1, high + 0.1, 1, last,
        )  # fmt: skip
        return lines.draw_lines(found, scale, self.looks)

    def leaning(self, states: pd.DataFrame) -> Figure:
        groups = states[states["leaning"].notna()].groupby("system", sort=False)
        found = {str(system): leanings(its) for system, its in groups}
        if not found:
            raise _Missing("there are no inner states with it")
        last = max(turn for turns in found.values() for turn in turns)
        return bars.draw_leanings(found, self.words, last)
