"""The arena: dialogues of several runs held against each other, pair by pair, in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml

from emoharbor.agents.pairwise import PairwiseJudge
from emoharbor.errors import ConfigError, nearest
from emoharbor.models.config import Sampling
from emoharbor.prompts.loader import Prompt, load_prompt
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.inquiry import Inquiry, InquiryConfig, Question
from emoharbor.runs.seats import MakeModel
from emoharbor.state.profile import Language
from emoharbor.state.record import DialogueRecord

QUESTIONS = Path(__file__).parent.parent / "data" / "arena.yaml"
KIND = "arena"
HELPFUL = ", or compare the supporters of one run with --question helpful"
Runs = Mapping[str, Sequence[DialogueRecord]]


class ArenaConfig(InquiryConfig):
    """What run.yaml keeps of an arena. `runs` are folders, by the names of their contestants."""

    inquiry: str = KIND
    runs: dict[str, str]
    question: str
    temperature: float | None = 0.0
    limit: int | None = None


@dataclass(frozen=True)
class Match:
    """Two contestants' dialogues with the same person."""

    a: str
    b: str
    first: DialogueRecord
    second: DialogueRecord


def asked_about(key: str) -> Mapping[str, str]:
    """A shipped question: its text by language, and under `about` whose lines it is about.

    Raises ConfigError for one that there is not.
    """
    known = yaml.safe_load(QUESTIONS.read_text(encoding="utf-8"))
    if key not in known:
        raise ConfigError(f"no question '{key}'{nearest(key, known)}")
    found: Mapping[str, str] = known[key]
    return found


def contestants(runs: Runs, about: str) -> dict[str, dict[tuple[str, ...], DialogueRecord]]:
    """The dialogues of each contestant, by what pairs them with another one's; no failed ones.

    Of users, each run is a contestant, and dialogues with one supporter and person are held against
    each other. Of supporters, each is one, named RUN:SUPPORTER where two runs have the same.
    """
    found: dict[str, dict[tuple[str, ...], DialogueRecord]] = {}
    alone = all(len({r.supporter for r in records}) < 2 for records in runs.values())
    columns = [(run, name) for run, its in runs.items() for name in {r.supporter for r in its}]
    twice = len({name for _, name in columns}) < len(columns)
    for run, records in runs.items():
        for record in records:
            person = (record.profile, str(record.repeat))
            if about == "user":
                name, key = run, person if alone else (*person, record.supporter)
            else:
                name, key = f"{run}:{record.supporter}" if twice else record.supporter, person
            its = found.setdefault(name, {})
            if record.failure is None and record.h_s:
                its[key] = record
    return found


def matches(runs: Runs, about: str, limit: int | None = None) -> list[Match]:
    """Every two contestants on everybody whom both have met; `limit` takes so many people.

    Raises ConfigError when no two contestants have anybody in common.
    """
    found = contestants(runs, about)
    people = set(sorted({key[0] for its in found.values() for key in its})[:limit])
    made = [
        Match(a, b, found[a][key], found[b][key])
        for a, b in combinations(found, 2)
        for key in sorted(found[a].keys() & found[b].keys())
        if key[0] in people and found[a][key].language == found[b][key].language
    ]
    if not made:
        names = ", ".join(found) or "none"
        raise ConfigError(
            f"no two of the contestants ({names}) have talked with the same person"
            f": name runs over the same people{'' if about == 'supporter' else HELPFUL}"
        )
    return made


def make_arena(config: ArenaConfig, runs: Runs, make_model: MakeModel) -> Inquiry:
    """Two questions a match, one in each order; the same seed for both."""
    model = make_model(config.model, Sampling(temperature=config.temperature))
    question = asked_about(config.question)
    found = matches(runs, question["about"], config.limit)
    languages = sorted({match.first.language for match in found})
    prompts = {one: (load_prompt("arena", one), load_prompt("repair", one)) for one in languages}
    asked = {
        "question": {one: question[one].strip() for one in languages},
        "prompt": {one: prompts[one][0].hash for one in languages},
        "model": config.model_values,
        "temperature": config.temperature,
        "seed": config.seed,
    }
    questions = [
        _question(match, turned, config, _judge(model, asked, prompts, match.first.language))
        for match in found
        for turned in (False, True)
    ]
    return Inquiry(config.values, {"judge": config.model}, asked, tuple(questions))


def _judge(
    model: Any,
    asked: Mapping[str, Any],
    prompts: Mapping[Language, tuple[Prompt, Prompt]],
    language: Language,
) -> PairwiseJudge:
    prompt, repair = prompts[language]
    return PairwiseJudge(model, prompt, repair, asked["question"][language])


def _question(match: Match, turned: bool, config: ArenaConfig, judge: PairwiseJudge) -> Question:
    shown = (match.second, match.first) if turned else (match.first, match.second)
    profile, repeat = match.first.profile, match.first.repeat
    place = f"{match.a} v {match.b}/{match.first.supporter}/{profile}/{repeat}"
    key = f"{place}/{'ba' if turned else 'ab'}"
    return Question(
        key=key,
        node="judge",
        seed=int(digest([config.seed, place]), 16) >> 17,
        about={
            "a": match.a,
            "b": match.b,
            "supporter": match.first.supporter,
            "profile": profile,
            "repeat": repeat,
            "turned": turned,
        },
        shape=[judge.conversation(*(record.h_s for record in shown)), config.model.spec],
        ask=partial(judge, *(record.h_s for record in shown)),
    )
