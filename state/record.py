"""One dialogue as it is kept: a line of records.jsonl."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from emoharbor.state.dialogue import Appraisal, Emotion, Message
from emoharbor.state.profile import Frozen, Language
from emoharbor.state.verdict import Ending, Failure, Usage, Verdict

FORMAT: Literal["emoharbor-record-1"] = "emoharbor-record-1"
Key = tuple[str, str, int] | tuple[str, str, int, str]


class RoleUsage(Usage):
    """What one role cost in one dialogue. `unknown` counts the calls whose usage was not said."""

    calls: int = 0
    unknown: int = 0
    seconds: float = 0.0


class Imported(Frozen):
    """What is known of a dialogue that was had elsewhere: its format, and where it stood.

    `person` holds what the source says of who seeks support; `torn` says, where something shows
    it, that a part of the dialogue is missing.
    """

    format: str
    where: str
    person: tuple[str, ...] = ()
    torn: str = ""


class Judging(Frozen):
    """Which recorded dialogue a verdict is on, and how it was asked for.

    `run` is the name of the run whose dialogue is judged, `sample` the repeat of the judge (0 to
    K - 1), `upto` the exchange after which the prefix ends (None: the whole dialogue), and
    `order` the dimensions in the order in which they were asked.
    """

    run: str
    sample: int = 0
    upto: int | None = None
    order: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """What stands behind the dialogue's name: @4#2; nothing for a whole one's first sample."""
        cut = "" if self.upto is None else f"@{self.upto}"
        return f"{cut}#{self.sample}" if self.sample else cut


class DialogueRecord(BaseModel):
    """A finished or failed cell. Exactly one of `verdict` and `failure` is set.

    A dialogue that was `imported` has a verdict only once somebody has judged it.

    `thread` names the checkpoints; `dialogue_hash` covers all that shaped the dialogue and
    `verdict_hash` all that shaped the verdict besides. `branched` says of which dialogue, after
    which step, a branch is; its usage is that of its own calls.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal["emoharbor-record-1"] = FORMAT
    suite: str
    supporter: str
    profile: str
    repeat: int
    language: Language
    thread: str
    branched: str | None = None
    dialogue_hash: str
    verdict_hash: str
    seed: int
    h_s: list[Message]
    h_u: list[Annotated[Message | Appraisal | Emotion, Field(discriminator="kind")]]
    turns: int
    ending: Ending | None
    verdict: Verdict | None
    failure: Failure | None
    imported: Imported | None = None
    judging: Judging | None = None
    models: dict[str, str]
    prompts: dict[str, str]
    usage: dict[str, RoleUsage]
    started: str
    finished: str

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        outcomes = (self.verdict is not None) + (self.failure is not None)
        if outcomes != 1 and not (self.imported and outcomes == 0):
            raise ValueError("exactly one of verdict and failure is wanted")
        return self

    @property
    def own_thread(self) -> str:
        """The dialogue's own thread; that of a later judge's verdict is named after it."""
        return self.thread.removesuffix(f".{self.verdict_hash}")

    @property
    def cell(self) -> tuple[str, str, int]:
        """The dialogue that this is a record of."""
        return (self.supporter, self.profile, self.repeat)

    @property
    def key(self) -> Key:
        """What tells the records of one run apart: the dialogue and, of a judging, what of it."""
        return (*self.cell, self.judging.mark) if self.judging else self.cell

    @property
    def name(self) -> str:
        """SUPPORTER/PROFILE/REPEAT, of a judging with @EXCHANGE of a prefix and #SAMPLE behind."""
        mark = self.judging.mark if self.judging else ""
        return "/".join(map(str, self.cell)) + mark
