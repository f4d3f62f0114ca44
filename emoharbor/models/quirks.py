"""What one model at one endpoint turned out to refuse, learned from its own words."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_LOG = logging.getLogger("emoharbor")
# How servers speak of a parameter without its name.
_ALIASES = {
    "response_format": (
        "response_format",
        "json[_ ]schema",
        "guided_json",
        "structured outputs?",
        "x?grammar",
    ),
}


@dataclass
class Quirks:
    """Shared by all calls to one model for the life of its adapter; only ever grows."""

    refused: set[str] = field(default_factory=set)

    def fit(self, body: dict[str, Any]) -> dict[str, Any]:
        """The request without what this model refuses, or under the name it wants."""
        fitted = {key: value for key, value in body.items() if key not in self.refused}
        if "max_tokens" in body and "max_tokens" in self.refused:
            if "max_completion_tokens" not in self.refused:
                fitted["max_completion_tokens"] = body["max_tokens"]
        return fitted

    def learn(self, name: str, where: str) -> None:
        """Remembers a refusal, and says it the first time."""
        if name in self.refused:
            return
        self.refused.add(name)
        if name == "max_tokens":
            _LOG.warning("%s refuses max_tokens; sent as max_completion_tokens from now on", where)
        else:
            _LOG.warning("%s refuses %s; left out from now on", where, name)


def refused_parameter(
    sent: Mapping[str, Any], param: str | None, codes: str, words: str
) -> str | None:
    """The parameter of `sent` that a 400 or 422 is about; None where it is about something else."""
    names = [name for name in sent if name not in ("model", "messages")]
    # "max_tokens or model output limit was reached" blames the budget, not the parameter.
    if "output limit was reached" in words:
        return None
    if param:
        param = param.split(".")[0]
        return param if param in names else None
    said = f"{words} {codes}"
    places = {name: _first_mention(said, name) for name in names}
    named = [name for name in names if places[name] >= 0]
    return min(named, key=lambda name: places[name], default=None)


def _first_mention(said: str, name: str) -> int:
    places = (
        found.start()
        for alias in _ALIASES.get(name, (name,))
        if (found := re.search(rf"(?<![A-Za-z]){alias}(?![A-Za-z_])", said, re.IGNORECASE))
    )
    return min(places, default=-1)
