"""How a dialogue ended and what the user made of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from emoharbor.state.profile import Frozen, Level

EndingReason = Literal["user_satisfied", "user_gave_up", "user_left", "max_turns", "recorded_end"]
Strategy = Literal["standard", "user_aware", "internal_state_aware"]


class Ending(Frozen):
    """Why the dialogue stopped, in which exchange (1-based), and the words that show it."""

    reason: EndingReason
    turn: int
    words: str = ""
    because: str = ""


class Score(Frozen):
    """One dimension's mark. `evidence` holds 1-based message numbers of H_s; `value` is 1 to 5."""

    kind: Literal["score"] = "score"
    reason: str
    evidence: tuple[int, ...]
    value: Level


class Unscored(Frozen):
    """A dimension that has no mark: why, and the judge's own words."""

    kind: Literal["unscored"] = "unscored"
    cause: str
    raw: str = ""


class Flag(Frozen):
    """Something a reader of the verdict should know; `message` is a 1-based number of H_s."""

    cause: Literal["addresses_the_judge"]
    message: int
    text: str


class Verdict(Frozen):
    """E^{1:K} (EmoHarbor, equation 6): one entry for each dimension of the rubric."""

    rubric: str
    strategy: Strategy
    scores: dict[str, Annotated[Score | Unscored, Field(discriminator="kind")]]
    flags: tuple[Flag, ...] = ()


class Failure(Frozen):
    """What stopped a cell: the error's type, its finer cause, the node that stays open."""

    error: str
    cause: str | None
    message: str
    node: str | None
    turn: int


class Usage(Frozen):
    """Tokens of one call or of several. None means that the server did not say, never zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
