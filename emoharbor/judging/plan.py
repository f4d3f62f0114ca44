"""The plan of a judging: which dialogues, up to where, how often, and who is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.errors import ConfigError
from emoharbor.judging.cut import cuts
from emoharbor.judging.people import stranger
from emoharbor.judging.source import Source, lacks_states, unfit
from emoharbor.judging.wanted import Work
from emoharbor.models.config import ModelConfig
from emoharbor.runs.fingerprint import changes, digest
from emoharbor.runs.folder import is_judging, plan_text
from emoharbor.runs.seats import MakeModel, Seat, seat
from emoharbor.runs.store import RunStore
from emoharbor.state.profile import Language, Profile
from emoharbor.state.record import DialogueRecord, Judging, Key

Seats = Mapping[Language, Seat]


@dataclass(frozen=True)
class Item:
    """One thing to be asked: a verdict, or, where `judging` is None, a dialogue's inner states.

    `hash` covers all that shapes the answer.
    """

    record: DialogueRecord
    profile: Profile
    seed: int
    hash: str
    judging: Judging | None = None

    @property
    def supporter(self) -> str:
        """Who is judged."""
        return self.record.supporter

    @property
    def repeat(self) -> int:
        """The dialogue's repeat, not the judge's."""
        return self.record.repeat

    @property
    def key(self) -> Key:
        """What a record of it is found by."""
        return (*self.record.cell, self.judging.mark) if self.judging else self.record.cell

    @property
    def name(self) -> str:
        """SUPPORTER/PROFILE/REPEAT with @EXCHANGE and #SAMPLE."""
        mark = self.judging.mark if self.judging else ""
        return "/".join(map(str, self.record.cell)) + mark

    @property
    def thread(self) -> str:
        """The name of its checkpoints."""
        return f"{self.name}/{self.hash}"


@dataclass(frozen=True)
class JudgingPlan:
    """The items in the order in which they start; `left_out` says why dialogues are not judged."""

    work: Work
    seats: Seats
    items: tuple[Item, ...]
    left_out: Mapping[str, str]
    fingerprint: Mapping[str, Any]

    @property
    def models(self) -> list[ModelConfig]:
        """The one model that is asked."""
        return [model for seat in self.seats.values() if (model := seat.model)][:1]

    def specs(self, thread: str) -> dict[str, str]:
        """Its spec, by its role."""
        return {self.work.role: self.work.spec}


def seats_for(work: Work, source: Source, make_model: MakeModel) -> dict[Language, Seat]:
    """Who is asked, in each language of the dialogues. Raises ConfigError and PromptError."""
    seats = dict[Language, Seat]()
    for language in dict.fromkeys(record.language for record in source.records):
        suite = work.suite.model_copy(update={"language": language})
        seats[language] = seat(work.role, work.agent, suite, make_model)
        if work.role == "evaluator" and not isinstance(seats[language].agent, UserAsJudge):
            raise ConfigError(f"agents.evaluator: {work.agent.use} has no strategies to judge by")
    return seats


def make_judging_plan(work: Work, source: Source, seats: Seats) -> JudgingPlan:
    """Sample by sample, dialogue by dialogue, prefix by prefix."""
    records, left_out = list[DialogueRecord](), dict[str, str]()
    for record in source.records:
        found = _fit(work, record, source)
        if isinstance(found, str):
            left_out[record.name] = found
        elif work.role == "evaluator" or lacks_states(record):
            records.append(found)
    fingerprint = {
        "judging": {"what": work.wanted.what, "seed": work.suite.seed},
        work.role: {language: seat.fingerprint for language, seat in seats.items()},
        "dialogues": {record.name: _content(record) for record in records},
        "people": {name: digest(one.model_dump()) for name, one in source.people.items()},
    }
    strangers = {language: stranger(language) for language in seats}
    asked = _verdicts(work, records, seats) if work.role == "evaluator" else _whole(records)
    items = tuple(
        _item(
            record,
            source.people.get(record.profile, strangers[record.language]),
            judging,
            work.role,
            fingerprint,
        )
        for record, judging in asked
    )
    return JudgingPlan(work, seats, items, left_out, fingerprint)


async def prepare_judging(plan: JudgingPlan, store: RunStore, where: str) -> None:
    """Keeps the plan, or checks that the store holds this judging.

    Other dialogues, more repeats or more prefixes are added to it. Raises ConfigError with a
    readable diff when the one who is asked is another.
    """
    text = await store.plan.read()
    kept = yaml.safe_load(text) or {} if text else {}
    recorded = kept.get("recorded") or {}
    if kept and not is_judging(kept):
        raise ConfigError(f"{where} holds a run already; judge into another folder with --out")
    then, parts = recorded.get("fingerprint") or {}, ("judging", plan.work.role)
    if kept and (lines := changes(then, plan.fingerprint, parts, grows="")):
        raise ConfigError(
            f"{where} holds verdicts of another configuration:\n"
            + "\n".join(lines)
            + "\nJudge into another folder with --out, or undo the change."
        )
    cells = max(len(plan.items), recorded.get("cells", 0))
    await store.plan.write(plan_text(plan.work.file_values(), plan.fingerprint, cells))


def _fit(work: Work, record: DialogueRecord, source: Source) -> DialogueRecord | str:
    """The dialogue as it is to be judged, or why it is not."""
    if why := unfit(record):
        return why
    if work.wanted.states is None or not lacks_states(record):
        return record
    states = source.states.get(record.cell)
    if states is None or states.dialogue_hash != record.dialogue_hash:
        return "its inner states were not simulated yet"
    if states.failure:
        return f"its inner states could not be simulated ({states.failure.error})"
    return states


def _whole(records: Sequence[DialogueRecord]) -> Iterator[tuple[DialogueRecord, None]]:
    return ((record, None) for record in records)


def _verdicts(
    work: Work, records: Sequence[DialogueRecord], seats: Seats
) -> Iterator[tuple[DialogueRecord, Judging]]:
    wanted = work.wanted
    for sample in range(wanted.repeats):
        orders = {name: _order(seat.agent.rubric.keys, sample) for name, seat in seats.items()}
        for record in records:
            order = orders[record.language]
            for upto in cuts(record, wanted.every):
                yield record, Judging(run=wanted.run, sample=sample, upto=upto, order=order)


def _order(keys: Sequence[str], sample: int) -> tuple[str, ...]:
    """The rubric's own order first; each sample begins one dimension later."""
    first = sample % len(keys)
    return (*keys[first:], *keys[:first])


def _item(
    record: DialogueRecord,
    profile: Profile,
    judging: Judging | None,
    role: str,
    fingerprint: Mapping[str, Any],
) -> Item:
    mark = judging.mark if judging else ""
    # By the person, the repeat and what is asked: the same for every supporter.
    seed = int(digest([fingerprint["judging"]["seed"], record.profile, record.repeat, mark]), 16)
    shape = [
        fingerprint["judging"],
        fingerprint[role][record.language],
        fingerprint["dialogues"][record.name],
        fingerprint["people"].get(record.profile),
        mark,
    ]
    return Item(record, profile, seed >> 17, digest(shape), judging)


def _content(record: DialogueRecord) -> str:
    """All of a dialogue that a judge may be shown."""
    ending = record.ending.model_dump() if record.ending else None
    return digest([[item.model_dump() for item in record.h_u], ending])
