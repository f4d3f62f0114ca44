"""One record as the rows of each frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from emoharbor.profiles.texts import size
from emoharbor.state.dialogue import Emotion, Message
from emoharbor.state.emotions import load_emotions
from emoharbor.state.profile import Profile
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Score

Row = dict[str, Any]


def place(run: str, record: DialogueRecord) -> Row:
    """What says of which dialogue a row is."""
    return {
        "run": run,
        "supporter": record.supporter,
        "profile": record.profile,
        "repeat": record.repeat,
    }


def dialogue(run: str, record: DialogueRecord) -> Row:
    """The dialogue's one row."""
    ending, failure = record.ending, record.failure
    return {
        **place(run, record),
        "suite": record.suite,
        "language": record.language,
        "turns": record.turns,
        "ending": ending.reason if ending else None,
        "ending_turn": ending.turn if ending else None,
        "ending_words": ending.words if ending else None,
        "failure": failure.error if failure else None,
        "failure_node": failure.node if failure else None,
        "judged": record.verdict is not None,
        "imported": record.imported is not None,
        "supporter_model": record.models.get("supporter"),
        "user_model": record.models.get("talker", ""),
        "seed": record.seed,
        "thread": record.thread,
        "calls": sum(usage.calls for usage in record.usage.values()),
        "started": record.started,
        "finished": record.finished,
    }


def failure(run: str, record: DialogueRecord) -> Iterator[Row]:
    """A row for what failed: a dialogue, or what a later judge was asked."""
    judging = record.judging
    if record.failure:
        yield {
            **place(run, record),
            "judging": run if judging else "",
            "sample": judging.sample if judging else 0,
            "upto": judging.upto if judging else None,
            **record.failure.model_dump(),
        }


def turns_of(record: DialogueRecord) -> list[int]:
    """The exchange of each message of H_s: a new one begins where the side that opens speaks up."""
    found, turn, before = list[int](), 0, ""
    for message in record.h_s:
        turn += message.role != before and message.role == record.h_s[0].role
        before = message.role
        found.append(turn)
    return found


def messages(run: str, record: DialogueRecord) -> Iterator[Row]:
    """A row a message; `number` is its 1-based one in H_s."""
    for number, (turn, one) in enumerate(zip(turns_of(record), record.h_s, strict=True), 1):
        yield {
            **place(run, record),
            "number": number,
            "turn": turn,
            "role": one.role,
            "text": one.text,
            "length": size(one.text, record.language),
        }


def inner_states(run: str, record: DialogueRecord) -> Iterator[Row]:
    """A row an inner state, with the exchange in which the user then speaks."""
    turns, said = turns_of(record), 0
    for item in record.h_u:
        if isinstance(item, Message):
            said += 1
            continue
        follows = turns[said] if said < len(turns) else (turns[-1] if turns else 0)
        row = {**place(run, record), "turn": follows, "before_message": said + 1}
        if isinstance(item, Emotion):
            depth = load_emotions().depth(item.label)
            row |= {"depth": depth, **item.model_dump(exclude={"kind"})}
        else:
            row |= item.model_dump(exclude={"kind"})
        yield {**row, "kind": item.kind}


def scores(run: str, record: DialogueRecord) -> Iterator[Row]:
    """A row a dimension of a verdict; `value` is None, and `cause` says why, where it is unscored.

    `upto` is the exchange after which a judged prefix ends, None for the whole dialogue.
    """
    judging, verdict = record.judging, record.verdict
    if verdict is None:
        return
    for key, mark in verdict.scores.items():
        scored = isinstance(mark, Score)
        yield {
            **place(judging.run if judging else run, record),
            "judge": record.models.get("evaluator", ""),
            "strategy": verdict.strategy,
            "rubric": verdict.rubric,
            "judging": run if judging else "",
            "sample": judging.sample if judging else 0,
            "upto": judging.upto if judging else None,
            "dimension": key,
            "value": mark.value if isinstance(mark, Score) else None,
            "cause": None if scored else getattr(mark, "cause", None),
            "reason": mark.reason if isinstance(mark, Score) else None,
            "evidence": mark.evidence if isinstance(mark, Score) else (),
        }


def call(run: str, entry: dict[str, Any]) -> Row:
    """A row a model call or a call that failed; what was said stays in the journal."""
    asked = entry["model_asked"]
    usage = entry.get("usage") or {}
    return {
        "run": run,
        "thread": entry["thread"],
        "step": entry["step"],
        "node": entry["node"],
        "ordinal": entry.get("ordinal"),
        "attempt": entry["attempt"],
        "model": f"{asked['provider']}:{asked['model']}",
        "seconds": entry.get("seconds"),
        "input_tokens": usage.get("input_tokens"),
        "cached_tokens": usage.get("cached_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "finish_reason": entry.get("finish_reason"),
        "error": entry.get("error"),
        "at": entry["at"],
    }


def person(profile: Profile) -> Row:
    """Who somebody is, in a row: the fields by which people are told apart in groups."""
    p, c = profile.preferences, profile.counselling
    return {
        "profile": profile.id,
        "language": profile.language,
        **profile.demographics.model_dump(),
        "mbti": p.mbti,
        **p.big_five.model_dump(),
        "topic": c.topic,
        "emotion": c.emotion,
        "goal": c.goal,
        "minor": profile.minor,
        "risk": ", ".join(profile.risk),
        "hard": profile.hard,
    }
