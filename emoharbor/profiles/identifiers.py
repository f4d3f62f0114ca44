"""Taking what points to one person, invented or not, out of texts from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

STREETS = "Street|St|Avenue|Ave|Boulevard|Blvd|Road|Rd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl"
PATTERNS = {
    "[e-mail]": re.compile(r"[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}"),
    "[link]": re.compile(r"(?:https?://|www\.)\S+"),
    "[handle]": re.compile(r"(?<![\w@])@[A-Za-z]\w+"),
    "[address]": re.compile(rf"\b\d{{1,5}} (?:[A-Z][\w.]* ){{1,4}}(?:{STREETS})\b\.?"),
    # Nine digits and more: a telephone, a card, a passport; no year, no pair of years.
    "[number]": re.compile(r"(?<!\d)\+?\(?\d(?:[ ().-]{0,2}\d){8,}(?!\d)"),
}


def without_identifiers(value: Any, names: Iterable[str] = ()) -> Any:
    """`value`, a text or nested data, with a word in brackets for each address, number and name."""
    if isinstance(value, dict):
        return {key: without_identifiers(part, names) for key, part in value.items()}
    if isinstance(value, list):
        return [without_identifiers(part, names) for part in value]
    if not isinstance(value, str):
        return value
    for word, pattern in PATTERNS.items():
        value = pattern.sub(word, value)
    for name in names:
        value = re.sub(rf"\b{re.escape(name)}\b", "[name]", value)
    return value
