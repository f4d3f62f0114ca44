"""EmoHarbor: is this chatbot's emotional support right for this person?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emoharbor.frames import Frames

__version__ = "0.1.0"
__all__ = ["__version__", "load"]


def load(*runs: Path | str, store: str | None = None, calls: bool = True) -> Frames:
    """Runs as tidy data frames: `dialogues, messages, inner_states, scores, calls, people`.

    See `emoharbor.frames.Frames` for their columns; `calls` False leaves the journals unread.
    Raises ConfigError where there is no run, CheckpointError where it cannot be read.
    """
    # The command line's help comes without pandas.
    from emoharbor.frames import load as read

    return read(*runs, store=store, calls=calls)
