"""A supporter of your own: one async function, which is given the dialogue so far.

    emoharbor run emoharbor --supporter mirror=examples/own_supporter.py:supporter \
        --model scripted:echo --limit 1 --turns 3 --out runs/own_supporter

`scripted:echo` plays the user and the judge without a model. `--model openai:gpt-4o` means it.
"""

from __future__ import annotations

from collections.abc import Sequence

from emoharbor.state.dialogue import Message


async def supporter(history: Sequence[Message]) -> str:
    """What is said next; the oldest line comes first, and there is none where it opens."""
    if not history:
        return "Hello, I'm here. What is on your mind?"
    words = history[-1].text.strip(" .!?")
    return f"You said: {words}. What is the hardest part of it?"
