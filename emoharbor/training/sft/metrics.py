"""What was measured while a model was trained: a JSON line for each step, and a picture."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError

Line = Mapping[str, Any]


@dataclass(frozen=True)
class Metrics:
    """The file `path`. Lines have `step` and either `loss` or, of the validation, `eval_loss`."""

    path: Path

    def add(self, line: Line) -> None:
        """Appends a line; it is with the system when this returns."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(dict(line)) + "\n")

    def read(self) -> list[dict[str, Any]]:
        """All lines; a last one that was being written when the run was killed is left out."""
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        whole = text[: text.rfind("\n") + 1].splitlines()
        try:
            return [json.loads(line) for line in whole]
        except ValueError as error:
            raise ConfigError(f"{self.path} is no JSON lines: {error}") from error

    def cut_after(self, step: int) -> None:
        """Removes what was measured after `step`: a run that goes on there makes it again."""
        lines = [line for line in self.read() if line["step"] <= step]
        part = self.path.with_suffix(".part")
        part.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        os.replace(part, self.path)


def losses(lines: Sequence[Line], key: str = "loss") -> list[tuple[int, float]]:
    """(step, loss) in order; `key` is `loss` or `eval_loss`."""
    return [(int(line["step"]), float(line[key])) for line in lines if key in line]


def summary(lines: Sequence[Line], span: int) -> dict[str, float]:
    """`first` and `last`: mean loss of the first and last `span` steps, or of half of all if less.

    `validation` is the last loss on the validation set, if there was one.
    """
    trained = [loss for _, loss in losses(lines)]
    checked = losses(lines, "eval_loss")
    span = max(1, min(span, len(trained) // 2))
    figures = {}
    if trained:
        figures = {"first": _mean(trained[:span]), "last": _mean(trained[-span:])}
    return figures | ({"validation": round(checked[-1][1], 4)} if checked else {})


def draw(lines: Sequence[Line], path: Path) -> None:
    """The losses over the steps, as a picture at `path` (its ending says of which kind)."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(xlabel="step", ylabel="loss (nats a token of the supporter's)")
    axes.plot(*zip(*losses(lines), strict=True), label="training")
    if checked := losses(lines, "eval_loss"):
        axes.plot(*zip(*checked, strict=True), "o-", label="validation")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 4)
