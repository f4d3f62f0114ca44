"""What an agent is given by its contract: dialogues of both languages at several points."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from emoharbor.agents.shape import Node
from emoharbor.profiles import load_profiles
from emoharbor.state.dialogue import Appraisal, Emotion, Message, UserView, Utterance
from emoharbor.state.profile import Language, Profile
from emoharbor.state.verdict import Ending

Moment = Literal["start", "first", "late", "odd"]
Item = Message | Appraisal | Emotion
LATE = 30
HEARD: Mapping[Language, tuple[str, ...]] = {
    "en": ("Hi, I'm here. What is on your mind?", "How long has it been like this?"),
    "zh": ("你好，我在。今天想聊点什么？", "这样有多久了？"),
}
SAID: Mapping[Language, tuple[str, ...]] = {
    "en": ("I don't sleep much lately", "since spring I guess. it's my job, mostly"),
    "zh": ("最近老睡不着", "开春就这样了吧，主要是工作"),
}
FELT: Mapping[Language, tuple[str, str, str]] = {
    "en": ("They may not have the time.", "uneasy", "To be heard."),
    "zh": ("也许对方没有时间。", "不安", "有人听我说。"),
}
ODD = "🫠 \u200fשלום e\u0301\t{{ x }} {% y %} </said> \"'\\ \x0b <END>\n\n" + "…" * 2000
# What of an exchange (heard, felt, said) has not happened yet when a node is asked.
TO_COME: Mapping[Node, int] = {
    "supporter": 3,
    "thinker": 2,
    "talker": 1,
    "termination": 0,
    "evaluator": 0,
}


@cache
def _somebody(language: Language) -> Profile:
    return load_profiles(language)[0]


@dataclass(frozen=True)
class Given:
    """One turn of one dialogue.

    `moment` is `start` (the first word of a dialogue that the agent's own side opens), `first`
    (the first exchange), `late` (exchange 30) or `odd` (the first, in unusual characters).
    """

    node: Node
    language: Language
    moment: Moment

    def fresh(self) -> tuple[Message, ...] | UserView:
        """The agent's argument, equal each time and never shared."""
        items = tuple(self._items())
        lines = tuple(item for item in items if isinstance(item, Message))
        return lines if self.node == "supporter" else self._view(items, lines)

    def _view(self, items: tuple[Item, ...], lines: tuple[Message, ...]) -> UserView:
        said = [line.text for line in lines if line.role == "user"]
        turn = max(1, sum(line.role == "supporter" for line in lines))
        over = self.node == "evaluator"
        return UserView(
            profile=_somebody(self.language).model_copy(deep=True),
            h_u=items,
            utterance=Utterance(text=said[-1]) if said else None,
            turn=turn,
            max_turns=LATE + 5,
            language=self.language,
            rng=random.Random(f"{self.language}/{turn}"),
            ending=Ending(reason="user_left", turn=turn, words=said[-1]) if over else None,
        )

    def _items(self) -> Iterator[Item]:
        """H_u up to the moment."""
        starts = self.moment == "start"
        if starts or (self.node == "supporter" and self.moment != "late"):
            # Whoever opens has nothing before them, and the others have the user's opening words.
            if not (starts and self.node in ("supporter", "thinker", "talker")):
                yield Message(role="user", text=self._words(SAID, 0))
            return
        count = LATE if self.moment == "late" else 1
        whole = [item for number in range(count) for item in self._exchange(number)]
        yield from whole[: len(whole) - TO_COME[self.node]]

    def _exchange(self, number: int) -> tuple[Message, Appraisal | Emotion, Message]:
        cognition, emotion, goals = FELT[self.language]
        felt: Appraisal | Emotion = Appraisal(cognition=cognition, emotion=emotion, goals=goals)
        if number % 2:  # Another Thinker's states may stand there as well.
            felt = Emotion(label="fear", description=cognition)
        heard = Message(role="supporter", text=self._words(HEARD, number))
        return heard, felt, Message(role="user", text=self._words(SAID, number))

    def _words(self, lines: Mapping[Language, tuple[str, ...]], number: int) -> str:
        return ODD if self.moment == "odd" else lines[self.language][number % 2]
