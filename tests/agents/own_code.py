"""A folder with agents of one's own, as a user writes them, and a package that offers some."""

from __future__ import annotations

from pathlib import Path

MINE = '''
"""Agents of one's own."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

import neighbour
from pydantic import Field

from emoharbor.agents.protocols import Talker
from emoharbor.agents.scripted import ScriptedTalker
from emoharbor.models.base import ChatModel
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import Appraisal, Message, UserView, Utterance
from emoharbor.state.verdict import Verdict


@dataclass(frozen=True)
class Says:
    """Says one thing.

    And no other.
    """

    words: str = neighbour.WORDS

    async def __call__(self, user: UserView) -> Utterance:
        return Utterance(text=self.words)


def makes(
    words: str, times: Annotated[int, Field(ge=1)] = 1, *, mood: Literal["low", "high"] = "low"
) -> Talker:
    """A talker that says `words` again and again."""
    return Says(f"{mood}: {words * times}")


def untold(words="hm"): return Says(words)
def makes_function(): return talker
def makes_thinker(): return think
def makes_class(): return Says
def makes_number(): return 3
def makes_maker(): return makes
def fails(): raise FileNotFoundError("weights.bin")
def wants_a_model(model: ChatModel, prompt: Prompt): return Asks(model, prompt)


async def talker(user: UserView) -> Utterance: return Utterance(text="plain")
async def think(user: UserView) -> Appraisal | None: return None
async def unannotated(user): return Utterance(text="which node?")
async def two(words, user): return Utterance(text=words)
async def sees_nothing_wrong(user: UserView) -> int: return 1


class Asks:
    """Asks its model."""

    def __init__(self, model: ChatModel, prompt: Prompt, seen: tuple[str, ...] = ()) -> None:
        self.model = model

    async def __call__(self, user: UserView) -> Utterance:
        messages = [{"role": "user", "content": m.text} for m in user.messages]
        return Utterance(text=(await self.model.complete(messages)).text)


ready = Says("ready")
shipped = ScriptedTalker(utterances=(Utterance(text="shipped"),))
bound = partial(two, "bound")
made = partial(makes, "made")


class Box:
    Inner = Says
'''
STOIC = '''
"""A package that offers agents."""
from emoharbor.state.dialogue import Appraisal, UserView


class StoicThinker:
    """Takes everything calmly."""

    def __init__(self, calm: int = 5) -> None:
        self.calm = calm

    async def __call__(self, user: UserView) -> Appraisal:
        return Appraisal(cognition="So be it.", emotion=f"calm {self.calm}", goals="None.")
'''


def write_mine(folder: Path) -> None:
    """`mine.py` and the module beside it that it imports."""
    (folder / "mine.py").write_text(MINE, encoding="utf-8")
    (folder / "neighbour.py").write_text("WORDS = 'from next door'\n", encoding="utf-8")


def install(site: Path, name: str, entries: dict[str, str], version: str = "1.2") -> Path:
    """A package as pip leaves it in `site`: its module and its metadata."""
    module = name.replace("-", "_")
    (site / module).mkdir(parents=True)
    (site / module / "__init__.py").write_text(STOIC, encoding="utf-8")
    info = site / f"{module}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = "\n".join(f"{key} = {value}" for key, value in entries.items())
    (info / "entry_points.txt").write_text(f"[emoharbor.agents]\n{lines}\n")
    return site
