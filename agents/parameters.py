"""What an agent's class or factory takes: names, types and defaults."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from emoharbor.agents.shape import MODULES, makes_agents
from emoharbor.errors import ConfigError

LONGEST_DEFAULT = 60


def parameters_of(found: Any) -> dict[str, Any]:
    """The parameters of a class's constructor or of a factory, with types; an agent has none.

    Raises ConfigError where the annotations cannot be read.
    """
    if not makes_agents(found):
        return {}
    parameters = inspect.signature(found).parameters.values()
    try:
        hints = typing.get_type_hints(_annotated(found), include_extras=True)
    except (NameError, TypeError, AttributeError) as error:
        name = getattr(found, "__qualname__", repr(found))
        where = f"{found.__module__}:{name}"
        raise ConfigError(
            f"{where}: its annotations cannot be read: {error}; what they name must be "
            "imported when it runs, not for type checkers alone"
        ) from error
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return {name: hints.get(name, Any) for name in named}


def parameter_words(found: Any) -> list[str]:
    """Each parameter as it would be written in Python: `times: int = 1`."""
    words = []
    for name, kind in parameters_of(found).items():
        default = inspect.signature(found).parameters[name].default
        value = "" if default is inspect.Parameter.empty else f" = {_short(repr(default))}"
        words.append(f"{name}{_type_words(kind)}{value}")
    return words


def _annotated(found: Any) -> Callable[..., Any]:
    if isinstance(found, functools.partial):
        return _annotated(found.func)
    if inspect.isclass(found):
        by_fields = dataclasses.is_dataclass(found) or issubclass(found, BaseModel)
        return found if by_fields else found.__init__
    return typing.cast("Callable[..., Any]", found)


def _type_words(kind: Any) -> str:
    if typing.get_origin(kind) is typing.Annotated:  # Its bounds are told when they are broken.
        kind = typing.get_args(kind)[0]
    return "" if kind is Any else f": {MODULES.sub('', inspect.formatannotation(kind))}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_DEFAULT else f"{text[: LONGEST_DEFAULT - 3]}..."
