"""Whether words that a model quotes do stand where it says."""

from __future__ import annotations

import re


def squeezed(text: str) -> str:
    """Letters and digits alone: quotation marks and spaces are easily copied wrong."""
    return "".join(re.findall(r"\w", text.lower()))


def stands(quote: str, within: str, shortest: int) -> bool:
    """Whether at least so many letters and digits of a quote stand in a text, in a row."""
    bare = squeezed(quote)
    return len(bare) >= shortest and bare in squeezed(within)
