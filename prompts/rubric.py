"""A rubric is data: dimensions with a question and five anchored levels, grouped in facets."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Annotated, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from emoharbor.errors import PromptError
from emoharbor.state.profile import Frozen, Language, Level, Text

HERE = Path(__file__).parent / "rubrics"
Key = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]


class Facet(Frozen):
    """A group of dimensions."""

    key: Key
    title: Text


class Dimension(Frozen):
    """What is scored: a question and what each level from 1 to 5 looks like."""

    key: Key
    short: Text
    title: Text
    facet: Key
    question: Text
    levels: dict[Level, Text]


class Rubric(Frozen):
    """The dimensions of a verdict, in the order in which they are shown and scored."""

    name: Text
    language: Language
    version: int
    facets: tuple[Facet, ...]
    dimensions: Annotated[tuple[Dimension, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        facets = {facet.key for facet in self.facets}
        keys = [d.key for d in self.dimensions]
        for d in self.dimensions:
            if set(d.levels) != {1, 2, 3, 4, 5}:
                raise ValueError(f"dimension {d.key}: levels 1 to 5 are wanted, all of them")
            if d.facet not in facets:
                raise ValueError(f"dimension {d.key}: its facet '{d.facet}' is not in 'facets'")
            if keys.count(d.key) > 1:
                raise ValueError(f"dimension {d.key} stands there twice")
        return self

    @property
    def keys(self) -> list[str]:
        """The dimensions' keys, in order."""
        return [d.key for d in self.dimensions]

    @property
    def hash(self) -> str:
        """Twelve hex digits over the whole content."""
        return hashlib.blake2b(self.model_dump_json().encode(), digest_size=6).hexdigest()


@cache
def load_rubric(name: str, language: Language) -> Rubric:
    """A shipped rubric by its name ("emoharbor-10"), or a user's own by the path of its .yaml."""
    own = name.endswith((".yaml", ".yml"))
    path = Path(name) if own else HERE / f"{name}.{language}.yaml"
    if not path.is_file():
        known = sorted({p.name.split(".")[0] for p in HERE.glob(f"*.{language}.yaml")})
        raise PromptError(f"no rubric '{name}' in {language}; shipped: {', '.join(known)}")
    try:
        return Rubric.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PromptError(f"rubric {path}: not YAML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PromptError(f"rubric {path}, {where or 'top level'}: {first['msg']}") from error
