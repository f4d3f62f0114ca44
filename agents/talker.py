"""The user's outward voice, and their decision to stay or leave."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.agents.exchanges import exchanges
from emoharbor.errors import SimulatorFailed
from emoharbor.models.base import ChatMessage, ChatModel, Completion
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import UserView, Utterance
from emoharbor.state.profile import Frozen, Language

END = "<END>"
LIKE_JSON = re.compile(r'\A(?:\{|```)|["“”]utterance["“”]')
# The user of a simulation never speaks of itself as a machine; it may well speak of the
# supporter as one ("as an AI you can't know"), or work with machines ("as an AI engineer I").
_MACHINE = r"(?:(?:ai|large) )?language model|ai (?:model|assistant|chatbot)"
_MACHINE_ZH = r" ?(?:ai|人工智能|大?语言模型|智能助手)(?:语言模型|助手|模型|程序)? ?"
OUT_OF_ROLE = re.compile(
    rf"(?<!you )(?<!you, )\bas an? (?:{_MACHINE}|ai|virtual assistant)"
    r"(?=,| I\b| (?:developed|created|trained|made|designed)\b)"
    r"(?:(?!\byou)[^.!?\n])*?\b(?:I|my)\b"
    rf"|\bI(?: am|'m|’m) (?:just |only )?an? (?:{_MACHINE})"
    r"(?=[,.;!?\n]|$| (?:and|so|that|who|with|here|created|trained|developed|designed|made)\b)"
    rf"|(?<![你您])(?<![你您][，,])作为(?:一个|一名|一款)?{_MACHINE_ZH}"
    r"(?=[，,、]|我)(?:(?![你您])[^。！？!?\n])*?我"
    rf"|我(?:只)?是(?:一个|一名|一款){_MACHINE_ZH}(?=[，,。；;！!？?、\n]|$|没有|无法|不能|不会)",
    re.IGNORECASE,
)


class Said(Frozen):
    """The Talker's reply, its keys in the order in which they are to be written."""

    utterance: str
    wants_to_end: bool
    why: Literal["unspecified", "satisfied", "gave_up"]
    reason: str


SCHEMA = Said.model_json_schema()


@dataclass(frozen=True)
class ChatTalker:
    """U_t = f(H_u, P_U, R_t) with a chat model (EmoHarbor, section 2.2, equation 4)."""

    model: ChatModel
    prompt: Prompt
    repair: Prompt

    async def __call__(self, user: UserView) -> Utterance:
        """The next utterance. Raises SimulatorFailed when two replies were unusable."""
        return await speak(self.model, self.conversation(user), self.repair)

    def conversation(self, user: UserView) -> list[ChatMessage]:
        """The Talker's own conversation: its utterances answer what it heard and felt."""
        return conversation(self.prompt, user)


async def speak(model: ChatModel, messages: Sequence[ChatMessage], repair: Prompt) -> Utterance:
    """What the model has the user say. Raises SimulatorFailed when two replies were unusable."""
    try:
        return await ask(model, messages, read, schema=SCHEMA, repair=repair)
    except Unusable as error:
        raise SimulatorFailed(f"talker: {error.problem}") from error


def conversation(prompt: Prompt, user: UserView, **more: Hashable) -> list[ChatMessage]:
    """A Talker's own conversation; `more` are variables for the prompt, the same at every turn."""
    preferences = user.profile.preferences
    messages: list[ChatMessage] = [
        {"role": "system", "content": prompt.remembered("system", profile=user.profile, **more)}
    ]
    lengths: list[int] = []
    for turn, exchange in enumerate(exchanges(user.h_u), start=1):
        text = prompt.remembered(
            "turn",
            heard=exchange.heard,
            inner=exchange.inner,
            turn=turn,
            max_turns=user.max_turns,
            style=preferences.speech_style if preferences else None,
            lengths=tuple(lengths[-3:]),
            **more,
        )
        messages.append({"role": "user", "content": text})
        if exchange.said is not None:
            said = Said(utterance=exchange.said, wants_to_end=False, why="unspecified", reason="")
            messages.append({"role": "assistant", "content": said.model_dump_json()})
            lengths.append(_length(exchange.said, user.language))
    return messages


def _length(text: str, language: Language) -> int:
    """Words in English, characters in Chinese."""
    return len(text.split()) if language == "en" else sum(not c.isspace() for c in text)


def read(completion: Completion) -> Utterance:
    """An utterance out of a structured reply, or out of plain text that may end with END."""
    text = completion.text.strip()
    if completion.data is None and text and not LIKE_JSON.search(text):
        if completion.finish_reason == "length":
            raise Unusable("the utterance broke off at the token limit", completion, "truncated")
        utterance = Utterance(text=text)
    else:
        said = read_as(Said, completion)
        utterance = Utterance(
            text=said.utterance.strip(),
            wants_to_end=said.wants_to_end,
            why=said.why if said.wants_to_end else "unspecified",
            reason=said.reason.strip() if said.wants_to_end else "",
        )
    return _checked(_without_end_token(utterance), completion)


def _without_end_token(utterance: Utterance) -> Utterance:
    lines = utterance.text.splitlines()
    if not lines or lines[-1].strip() != END:
        return utterance
    text = "\n".join(lines[:-1]).strip()
    return utterance.model_copy(update={"text": text, "wants_to_end": True})


def _checked(utterance: Utterance, completion: Completion) -> Utterance:
    if not utterance.text:
        raise Unusable("the utterance is empty", completion, "empty")
    if OUT_OF_ROLE.search(utterance.text):
        raise Unusable("the user spoke as an assistant", completion, "role")
    return utterance
