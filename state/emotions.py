"""The closed set of emotions and the ladder of negative ones (worst-case paper, section 3.1)."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Self

import yaml
from pydantic import model_validator

from emoharbor.state.profile import Frozen, Language, Text

FILE = Path(__file__).parent.parent / "data" / "emotions.yaml"


class Emotions(Frozen):
    """The labels by their English name, which is their key, with their Chinese one.

    `ladder` holds the layers of negative emotion, the mildest first. Every method takes a label by
    any of its names; one that is not in the set counts as not negative.
    """

    labels: dict[Text, Text]
    ladder: tuple[tuple[Text, ...], ...]

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if stranger := next(
            (k for layer in self.ladder for k in layer if k not in self.labels), ""
        ):
            raise ValueError(f"the ladder's '{stranger}' is none of the labels")
        return self

    @property
    def hash(self) -> str:
        """Twelve hex digits over the whole content."""
        return hashlib.blake2b(self.model_dump_json().encode(), digest_size=6).hexdigest()

    def names(self, language: Language) -> tuple[str, ...]:
        """Every label as it is called in a dialogue of this language."""
        return tuple(self.labels if language == "en" else self.labels.values())

    def key(self, name: str) -> str:
        """The key of a label, or `name` itself where it is none."""
        return next((k for k, zh in self.labels.items() if name in (k, zh)), name)

    def depth(self, name: str) -> int:
        """How negative it is: the first layer in which it stands, from 1; 0 for no layer."""
        layers = enumerate(self.ladder, start=1)
        return next((n for n, layer in layers if self.key(name) in layer), 0)

    def worse(self, name: str, language: Language, *, bounded: bool) -> tuple[str, ...]:
        """The labels to which it may deteriorate: the next layer's, or those of every deeper one.

        Under the last layer there is none: there it stays in that layer.
        """
        depth, last = self.depth(name), len(self.ladder)
        fitting = {min(depth + 1, last)} if bounded else {*range(depth + 1, last + 1), last}
        named = dict(zip(self.labels, self.names(language), strict=True))
        found = [key for n in sorted(fitting) for key in self.ladder[n - 1]]
        return tuple(named[k] for k in dict.fromkeys(found) if k != self.key(name) or depth == last)

    def within(self, depth: int, language: Language) -> tuple[str, ...]:
        """The labels that are at most so negative."""
        return tuple(name for name in self.names(language) if self.depth(name) <= depth)


@cache
def load_emotions() -> Emotions:
    """The set that comes with the package."""
    return Emotions.model_validate(yaml.safe_load(FILE.read_text(encoding="utf-8")))
