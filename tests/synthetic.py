"""Runs with known answers: records written as a finished run leaves them, nobody is called."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from emoharbor.flags import suite_from_flags
from emoharbor.profiles import load_profiles
from emoharbor.runs.folder import RunFolder, plan_text
from emoharbor.state.dialogue import Appraisal, Emotion, Message
from emoharbor.state.emotions import load_emotions
from emoharbor.state.record import DialogueRecord, Judging
from emoharbor.state.verdict import Ending, EndingReason, Failure, Score, Unscored, Verdict

TEN = (
    "response_appropriateness", "adaptive_strategies", "redundancy", "consistency", "safety",
    "human_likeness", "engagement", "empathetic", "problem_resolution", "mood_improvement",
)  # fmt: skip
FOURTEEN = (
    *TEN, "deep_emotional_understanding", "guided_exploration", "balanced_emotional_support",
    "authentic_grounded_support",
)  # fmt: skip
Means = float | Mapping[str, float]


@dataclass(frozen=True)
class Synthetic:
    """What a synthetic run is like.

    `supporters` have a mean mark (1 to 5) each, or one a dimension. A mark is that mean, what the
    person adds (`people` is its standard deviation, the same person in every run) and `noise`,
    rounded into 1 to 5. `turns` are drawn between two numbers; the longest dialogues end at the
    cap, the others by one of `endings`. The first `failed` dialogues of a supporter failed; of
    the others the first `unscored` have no mark of the last dimension. `judged` adds later
    judges: the folder's name, with what it gives beside the mean.
    """

    supporters: Mapping[str, Means]
    profiles: int | Sequence[str] = 12
    repeats: int = 1
    seed: int = 0
    dimensions: Sequence[str] = TEN
    turns: tuple[int, int] = (4, 8)
    endings: Sequence[EndingReason] = ("user_satisfied", "user_gave_up", "user_left")
    failed: Mapping[str, int] = field(default_factory=dict)
    unscored: Mapping[str, int] = field(default_factory=dict)
    states: Literal["emotion", "appraisal", None] = "appraisal"
    people: float = 0.5
    noise: float = 0.5
    language: Literal["en", "zh"] = "en"
    judged: Mapping[str, float] = field(default_factory=dict)

    @property
    def who(self) -> list[str]:
        """The ids of its people; a number takes the first of those that ship."""
        if isinstance(self.profiles, int):
            return [one.id for one in load_profiles(self.language)][: self.profiles]
        return list(self.profiles)


def synthetic_run(folder: Path, supporters: Mapping[str, Means], **more: Any) -> RunFolder:
    """Writes a run into `folder`; `more` are the other fields of Synthetic."""
    made = Synthetic(supporters, **more)
    records = list(_records(made, folder.name))
    run = _written(folder, made, records)
    for name, shift in made.judged.items():
        _written(folder / "judged" / name, made, _judged(made, folder.name, name, shift, records))
    return run


def _written(folder: Path, made: Synthetic, records: Sequence[DialogueRecord]) -> RunFolder:
    suite = suite_from_flags(
        "emoharbor",
        supporters=[f"{name}=scripted:echo" for name in made.supporters],
        model="scripted:echo",
        plain={"language": made.language, "profiles": made.language, "repeats": made.repeats},
    )
    run = RunFolder(folder)
    folder.mkdir(parents=True, exist_ok=True)
    run.plan_file.write_text(plan_text(suite.file_values(), {}, len(records)), encoding="utf-8")
    lines = "".join(record.model_dump_json() + "\n" for record in records)
    run.records_file.write_text(lines, encoding="utf-8")
    run.calls_file.write_text("", encoding="utf-8")
    return run


def _records(made: Synthetic, run: str) -> Iterator[DialogueRecord]:
    for supporter in made.supporters:
        place = 0
        for profile in made.who:
            for repeat in range(made.repeats):
                yield _record(made, run, supporter, profile, repeat, place)
                place += 1


def _record(
    made: Synthetic, run: str, supporter: str, profile: str, repeat: int, place: int
) -> DialogueRecord:
    rng = random.Random(f"{made.seed} {supporter} {profile} {repeat}")
    turns = rng.randint(*made.turns)
    failed = place < made.failed.get(supporter, 0)
    blank = not failed and place < made.failed.get(supporter, 0) + made.unscored.get(supporter, 0)
    h_u = _history(made, rng, turns)
    reason: EndingReason = "max_turns" if turns == made.turns[1] else rng.choice(made.endings)
    failure = Failure(
        error="ModelError", cause="timeout", message="no answer", node="talker", turn=turns
    )
    return DialogueRecord(
        suite="synthetic", supporter=supporter, profile=profile, repeat=repeat,
        language=made.language, thread=f"{supporter}-{profile}-{repeat}", dialogue_hash="d",
        verdict_hash="v", seed=made.seed, h_s=[m for m in h_u if isinstance(m, Message)], h_u=h_u,
        turns=turns, ending=None if failed else Ending(reason=reason, turn=turns, words="bye"),
        verdict=None if failed else _verdict(made, rng, supporter, profile, blank=blank),
        failure=failure if failed else None, models={"evaluator": "scripted:judge"}, prompts={},
        usage={}, started="2026-01-01T00:00:00+00:00", finished="2026-01-01T00:01:00+00:00",
    )  # fmt: skip


def _verdict(
    made: Synthetic, rng: random.Random, supporter: str, profile: str, *,
    blank: bool = False, shift: float = 0.0, strategy: Any = "internal_state_aware",
) -> Verdict:  # fmt: skip
    means = made.supporters[supporter]
    scores: dict[str, Score | Unscored] = {}
    for key in made.dimensions:
        mean = means if isinstance(means, float | int) else means[key]
        person = random.Random(f"{profile} {key}").gauss(0, made.people)
        mark = min(5, max(1, round(mean + shift + person + rng.gauss(0, made.noise))))
        scores[key] = Score(reason="as it was", evidence=(1,), value=mark)
    if blank:
        scores[made.dimensions[-1]] = Unscored(cause="missing", raw="{}")
    return Verdict(rubric=f"synthetic-{len(scores)}", strategy=strategy, scores=scores)


def _history(
    made: Synthetic, rng: random.Random, turns: int
) -> list[Message | Appraisal | Emotion]:
    level, found = 2, list[Message | Appraisal | Emotion]()
    for turn in range(1, turns + 1):
        found.append(Message(role="supporter", text=f"tell me more of it, {turn}"))
        level = min(5, max(1, level + rng.choice((-1, 0, 1))))
        if made.states == "emotion":
            label = rng.choice(load_emotions().ladder[level - 1])
            found.append(Emotion(label=label, deteriorated=rng.random() < 0.3))
        elif made.states == "appraisal":
            found.append(
                Appraisal(cognition="so it is", emotion="low", intensity=level, goals="to be heard")
            )
        found.append(Message(role="user", text=f"well, it was like this, {turn}"))
    return found


def _judged(
    made: Synthetic, run: str, name: str, shift: float, records: Sequence[DialogueRecord]
) -> list[DialogueRecord]:
    strategy = name if name in ("standard", "user_aware") else "internal_state_aware"
    found = []
    for record in records:
        rng = random.Random(f"{made.seed} {name} {record.thread}")
        verdict = _verdict(
            made, rng, record.supporter, record.profile, shift=shift, strategy=strategy
        )
        changes = {"verdict": verdict, "judging": Judging(run=run), "verdict_hash": name}
        if record.failure is None:
            found.append(record.model_copy(update=changes))
    return found
