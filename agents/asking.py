"""Asking a model for something usable: once, and once more with what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeVar

import pydantic_core
from pydantic import BaseModel, ValidationError

from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.prompts.loader import Prompt

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


class Unusable(Exception):
    """A reply that cannot be used. `block` names the block of the repair prompt that answers it."""

    def __init__(
        self,
        problem: str,
        completion: Completion,
        block: Literal["problem", "empty", "role", "truncated"] = "problem",
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.completion = completion
        self.block = block


async def ask(
    model: ChatModel,
    messages: Sequence[ChatMessage],
    read: Callable[[Completion], T],
    *,
    schema: JsonSchema | None,
    repair: Prompt,
) -> T:
    """What `read` makes of the reply, after at most one more try. Raises Unusable, ModelError."""
    try:
        return read(await model.complete(messages, schema=schema))
    except Unusable as first:
        more = correction(first, repair)
    return read(await model.complete([*messages, *more], schema=schema))


def correction(unusable: Unusable, repair: Prompt) -> list[ChatMessage]:
    """What is said to a model about its unusable reply.

    A reply that broke off is asked for again as it was, under another seed: to quote half an
    object back would make the request longer and the next one break off sooner.
    """
    if unusable.block == "truncated":
        return []
    variables = {"problem": unusable.problem} if unusable.block == "problem" else {}
    again: ChatMessage = {"role": "user", "content": repair.render(unusable.block, **variables)}
    if unusable.block == "empty":
        return [again]
    return [{"role": "assistant", "content": unusable.completion.text}, again]


def read_as(shape: type[M], completion: Completion) -> M:
    """The reply as a `shape`. Raises Unusable with every field that is wrong named."""
    if completion.data is None:
        if not completion.text.strip():
            raise Unusable("the reply is empty", completion, "empty")
        if completion.finish_reason == "length":
            raise Unusable("the reply broke off at the token limit", completion, "truncated")
        raise Unusable("the reply is not one JSON object", completion)
    try:
        # As JSON, in which a list is strict enough for a tuple.
        return shape.model_validate_json(pydantic_core.to_json(completion.data), strict=True)
    except ValidationError as error:
        raise Unusable(problems(error), completion) from error


def problems(error: ValidationError) -> str:
    """All that pydantic found, one clause for each field."""
    clauses = (f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in error.errors())
    return "; ".join(clauses)
