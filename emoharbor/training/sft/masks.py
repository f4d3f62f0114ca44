"""Which tokens the loss counts: those that the supporter wrote, and no others."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from emoharbor.models.base import ChatMessage

Span = tuple[int, int]
# The text of a conversation; True adds what stands before a reply.
Render = Callable[[Sequence[ChatMessage], bool], str]
_MARK = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")


@dataclass(frozen=True)
class Example:
    """A dialogue as tokens; `mask` is True where the loss counts. Both have the same length."""

    ids: tuple[int, ...]
    mask: tuple[bool, ...]

    @property
    def labels(self) -> list[int]:
        """The ids, with -100 where the loss does not count."""
        return [i if learnt else -100 for i, learnt in zip(self.ids, self.mask, strict=True)]


def has_marks(template: str) -> bool:
    """Whether a chat template says itself which text is the assistant's."""
    return _MARK.search(template) is not None


def reply_spans(messages: Sequence[ChatMessage], render: Render) -> list[Span] | None:
    """From where to where, in characters of the whole text, the supporter's replies go.

    Each is what follows the text that a model is given to reply to, up to the end of that reply
    with its end mark, and without the white space behind it. None where the template writes a
    conversation's beginning in another way once it goes on: then nothing can be told by comparing.
    """
    whole, spans = render(messages, False), []
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        before = render(messages[:at], True)
        after = render(messages[: at + 1], False)
        if not (whole.startswith(after) and after.startswith(before)):
            return None
        spans.append((len(before), len(after.rstrip())))
    return spans


def mask_of(offsets: Sequence[Span], spans: Sequence[Span]) -> tuple[bool, ...]:
    """For each token, given its first character and the one after its last, if it is in a span.

    `spans` are in order and do not overlap. A token without characters is in none.
    """
    ends = [end for _, end in spans]

    def inside(start: int, end: int) -> bool:
        at = bisect_left(ends, end)
        return at < len(spans) and spans[at][0] <= start < end

    return tuple(inside(start, end) for start, end in offsets)


def shortened(example: Example, longest: int) -> Example | None:
    """The dialogue up to the last reply that ends within `longest` tokens; None: no reply does.

    Half a reply teaches to stop in mid-sentence.
    """
    if len(example.ids) <= longest:
        return example
    mask = example.mask
    end = max((i + 1 for i in range(longest) if mask[i] and not mask[i + 1]), default=0)
    return Example(example.ids[:end], mask[:end]) if end else None
