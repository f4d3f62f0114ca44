"""The agents that make a person: four writers and a mender in one conversation, and a critic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, get_args

from pydantic import Field, create_model

from emoharbor.agents.asking import Unusable, ask, read_as
from emoharbor.agents.quoting import stands
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.prompts.loader import Prompt
from emoharbor.state.building import PARTS, SHAPES, BuildView, Fault, Made, Part, Person
from emoharbor.state.profile import Feedback, Frozen, Risk, Text

KINDS = get_args(Feedback)
SHORTEST_QUOTE = 6
# A point: so a small model comes to an end, and a mender sees what matters.
MOST_FAULTS = 3


class Found(Frozen):
    """One fault: in which part, what is wrong, and what it should be instead."""

    part: Part
    what: Text


class Look(Frozen):
    """One point of the critic's: the passage that decides it, and what is wrong, if anything."""

    quote: Text
    faults: Annotated[tuple[Found, ...], Field(max_length=MOST_FAULTS)]


class Review(Frozen):
    """The critic's reply. A point for each thing in which people who were written go wrong."""

    identifiers: Look
    faithful: Look
    coherent: Look
    particular: Look
    two_minds: Look
    voice: Look
    reactions: Look
    keeping: Look


@dataclass(frozen=True)
class Conversation:
    """What the writers have said so far: instructions, then part after part, only appended to."""

    system: Prompt
    parts: Mapping[Part, Prompt]

    def asked(self, person: Person) -> str:
        """All that the writers of a person are told, as one text."""
        parts = (self.parts[part].render("message", person=person) for part in PARTS)
        return "\n".join((self.system.render("system"), *parts))

    def until(self, view: BuildView, part: Part) -> list[ChatMessage]:
        """Up to the question for `part`; what is written already stands there as the answers."""
        messages: list[ChatMessage] = [{"role": "system", "content": self.system.render("system")}]
        for each in PARTS:
            asked = self.parts[each].render("message", person=view.person)
            messages.append({"role": "user", "content": asked})
            if each == part:
                break
            messages.append({"role": "assistant", "content": written(view.made, (each,))})
        return messages


@dataclass(frozen=True)
class PartWriter:
    """Writes one part of the profile."""

    part: Part
    model: ChatModel
    conversation: Conversation
    repair: Prompt

    async def __call__(self, view: BuildView) -> dict[str, Any]:
        """What is new in `Made`. Raises Unusable after two replies, ModelError."""
        messages = self.conversation.until(view, self.part)
        return await _written(self.model, messages, (self.part,), self.repair)


@dataclass(frozen=True)
class PartMender:
    """Writes the parts again in which there are faults."""

    model: ChatModel
    conversation: Conversation
    prompt: Prompt
    repair: Prompt

    async def __call__(self, view: BuildView) -> dict[str, Any]:
        """What is new in `Made`. Raises Unusable after two replies, ModelError."""
        parts = at_fault(view.faults)
        asked = self.prompt.render("message", faults=view.faults, parts=parts)
        messages: list[ChatMessage] = [
            *self.conversation.until(view, PARTS[-1]),
            {"role": "assistant", "content": written(view.made, PARTS[-1:])},
            {"role": "user", "content": asked},
        ]
        return await _written(self.model, messages, parts, self.repair)


@dataclass(frozen=True)
class PersonCritic:
    """Reads a person whom somebody else wrote, point by point."""

    model: ChatModel
    prompt: Prompt
    repair: Prompt

    async def __call__(self, view: BuildView) -> list[Fault]:
        """All faults found. Raises Unusable after two replies, ModelError.

        Each point quotes the profile: who has not read it cannot find it in order.
        """
        review = await ask(
            self.model,
            self.conversation(view),
            partial(_read_review, "".join(_texts(view.made))),
            schema=reply_schema(Review),
            repair=self.repair,
        )
        return [
            Fault(kind=point, part=found.part, says=found.what)
            for point in Review.model_fields
            for found in getattr(review, point).faults
        ]

    def conversation(self, view: BuildView) -> list[ChatMessage]:
        """Its own conversation, of two messages."""
        profile = view.made.model_dump_json(indent=1)
        asked = self.prompt.render("message", person=view.person, profile=profile)
        return [
            {"role": "system", "content": self.prompt.render("system")},
            {"role": "user", "content": asked},
        ]


def at_fault(faults: Sequence[Fault]) -> tuple[Part, ...]:
    """The parts to be written again, in order; all of them for a fault of the whole."""
    named = {fault.part for fault in faults}
    return PARTS if None in named else tuple(part for part in PARTS if part in named)


@cache
def reply_shape(parts: tuple[Part, ...]) -> type[Frozen]:
    """What a writer of these parts replies: a key a part, and the risks with C."""
    fields: dict[str, Any] = {part: (SHAPES[part], ...) for part in parts}
    if "counselling" in parts:
        fields["risk"] = (tuple[Risk, ...], ...)
    return create_model("Reply", __base__=Frozen, **fields)


@cache
def reply_schema(shape: type[Frozen]) -> JsonSchema:
    """The JSON schema of a reply, without what servers refuse in one."""
    schema: JsonSchema = _plain(shape.model_json_schema())
    return schema


def written(made: Made, parts: tuple[Part, ...]) -> str:
    """Parts as a writer's reply."""
    return made.model_dump_json(include=set(reply_shape(parts).model_fields))


async def _written(
    model: ChatModel, messages: list[ChatMessage], parts: tuple[Part, ...], repair: Prompt
) -> dict[str, Any]:
    shape = reply_shape(parts)
    reply = await ask(
        model, messages, partial(read_as, shape), schema=reply_schema(shape), repair=repair
    )
    return dict(reply)


def _read_review(profile: str, completion: Completion) -> Review:
    review = read_as(Review, completion)
    missing = [p for p, look in review if not stands(look.quote, profile, SHORTEST_QUOTE)]
    if missing:
        words = ", ".join(f"{point}.quote" for point in missing)
        raise Unusable(f"{words}: no such words stand in the profile; copy them", completion)
    return review


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Frozen):
        value = dict(value)
    if isinstance(value, Mapping):
        value = tuple(value.values())
    return [text for part in value for text in _texts(part)] if isinstance(value, tuple) else []


def _plain(node: Any) -> Any:
    """Free keys become fixed ones; the least length of a text is left to the reading."""
    if isinstance(node, list):
        return [_plain(part) for part in node]
    if not isinstance(node, dict):
        return node
    if "additionalProperties" in node and "propertyNames" in node:
        text = {"type": "string"}
        return {"type": "object", "properties": dict.fromkeys(KINDS, text), "required": [*KINDS]}
    return {key: _plain(value) for key, value in node.items() if key != "minLength"}
