"""What the names of dialogues and the diff of two configurations are made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any


def digest(value: Any) -> str:
    """Twelve hex digits over a JSON value."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=6).hexdigest()


def flat(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested mappings as one, with dotted keys: what a readable diff compares."""
    result: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            result |= flat(value, f"{prefix}{key}.")
        else:
            result[f"{prefix}{key}"] = value
    return result


def changes(
    then: Mapping[str, Any], now: Mapping[str, Any], parts: Sequence[str], grows: str
) -> list[str]:
    """A line for each key that differs between `parts` of two fingerprints.

    A thing that only one side has (a supporter, say) is no difference, a key inside of a thing
    that both have is one; `grows` is the part that is a list of things.
    """
    old = flat({part: then.get(part, {}) for part in parts})
    new = flat({part: now[part] for part in parts})
    things = {k.rsplit(".", 1)[0] for k in old} & {k.rsplit(".", 1)[0] for k in new} - {grows}
    differing = {key for key in old if key in new and old[key] != new[key]}
    differing |= {k for k in old.keys() ^ new.keys() if k.rsplit(".", 1)[0] in things}
    return [
        f"  {key}: {old.get(key, '(not set)')} -> {new.get(key, '(not set)')}"
        for key in sorted(differing)
    ]
