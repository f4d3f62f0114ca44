"""The auditor: reads a dialogue beside its profile, and says where the user contradicts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, get_args

from pydantic import Field, create_model

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.agents.quoting import stands
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.prompts.loader import Prompt
from emoharbor.state.dialogue import Message
from emoharbor.state.profile import Frozen, Profile

Kind = Literal["profile", "manner", "own_words"]
# A quote of fewer letters and digits stands anywhere.
SHORTEST_QUOTE = 2
# A line: so a small model comes to an end.
MOST = 3


class Named(Frozen):
    """A contradiction as the model names it, its keys in the order in which they are written."""

    quote: str
    against: str
    kind: Kind
    says: str


class Contradiction(Named):
    """One whose quotes stand where they should: `quote` in the user's line `line`, `against` in
    the profile or in the user's `earlier` line. Lines are 1-based message numbers of H_s.
    """

    line: int
    earlier: int | None = None


class Reading(Frozen):
    """What the auditor made of a dialogue.

    `lines` are the numbers of the user's lines, all of them read; `known` says whether a profile
    was; `dropped` counts what it named and could not show. `unusable` says what was wrong with
    its two replies, and then nothing else counts.
    """

    lines: tuple[int, ...] = ()
    known: bool = False
    contradictions: tuple[Contradiction, ...] = ()
    dropped: int = 0
    unusable: str | None = None


@dataclass(frozen=True)
class Auditor:
    """Profile adherence and contradictions, a line at a time, each with its evidence."""

    model: ChatModel
    prompt: Prompt
    repair: Prompt

    async def __call__(
        self, messages: Sequence[Message], profile: Profile | None, words: str = ""
    ) -> Reading:
        """The reading of one dialogue. Raises ModelError.

        `words` are what is known of a person who has no profile, "" for nothing.
        """
        person = self.person(profile, words)
        lines = {number: one.text for number, one in enumerate(messages, 1) if one.role == "user"}
        try:
            return await ask(
                self.model,
                self.conversation(messages, person),
                partial(_read, lines, person),
                schema=_schema(tuple(lines), known=bool(person)),
                repair=self.repair,
            )
        except Unusable as error:
            return Reading(lines=tuple(lines), known=bool(person), unusable=error.problem)

    def person(self, profile: Profile | None, words: str) -> str:
        """Who the user is to be, in the words in which the model is shown it."""
        return self.prompt.render("person", profile=profile, words=words)

    def conversation(self, messages: Sequence[Message], person: str) -> list[ChatMessage]:
        """One message: what to look for, the person, the transcript."""
        transcript = [{"number": n, **one.model_dump()} for n, one in enumerate(messages, 1)]
        lines = [n for n, one in enumerate(messages, 1) if one.role == "user"]
        text = self.prompt.render("message", person=person, transcript=transcript, lines=lines)
        return [{"role": "user", "content": text}]


def _shape(lines: Sequence[int]) -> type[Frozen]:
    """A fixed key for each line of the user's, so that none is passed over."""
    fields: dict[str, Any] = {
        f"line_{number}": (tuple[Named, ...], Field(alias=str(number))) for number in lines
    }
    return create_model("Reply", __base__=Frozen, **fields)


def _schema(lines: Sequence[int], *, known: bool) -> JsonSchema:
    texts = {name: {"type": "string"} for name in Named.model_fields}
    kinds = [*get_args(Kind)] if known else ["own_words"]
    named = {
        "type": "object",
        "properties": {**texts, "kind": {"type": "string", "enum": kinds}},
        "required": [*texts],
        "additionalProperties": False,
    }
    keys = [str(number) for number in lines]
    return {
        "type": "object",
        "properties": dict.fromkeys(keys, {"type": "array", "items": named, "maxItems": MOST}),
        "required": keys,
        "additionalProperties": False,
    }


def _read(lines: Mapping[int, str], person: str, completion: Completion) -> Reading:
    reply = read_as(_shape(tuple(lines)), completion)
    named = [(number, one) for number in lines for one in getattr(reply, f"line_{number}")]
    shown = tuple(found for number, one in named for found in _shown(number, one, lines, person))
    return Reading(
        lines=tuple(lines),
        known=bool(person),
        contradictions=shown,
        dropped=len(named) - len(shown),
    )


def _shown(
    number: int, named: Named, lines: Mapping[int, str], person: str
) -> Iterator[Contradiction]:
    """It, where its words stand: what nobody can look up is no contradiction."""
    if not stands(named.quote, lines[number], SHORTEST_QUOTE):
        return
    if named.kind != "own_words":
        if stands(named.against, person, SHORTEST_QUOTE):
            yield Contradiction(**named.model_dump(), line=number)
        return
    before = (n for n, text in lines.items() if stands(named.against, text, SHORTEST_QUOTE))
    earlier = next((n for n in before if n < number), None)
    if earlier is not None:
        yield Contradiction(**named.model_dump(), line=number, earlier=earlier)
