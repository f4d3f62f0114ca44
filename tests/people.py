"""Invented people, one a language, and short words for what they hear, feel and say."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from typing import Any

from emoharbor.state.dialogue import Appraisal, Emotion, Message, UserView, Utterance
from emoharbor.state.profile import Language, Profile
from emoharbor.state.verdict import Ending

EN: dict[str, Any] = {
    "id": "t-en",
    "language": "en",
    "demographics": {
        "age": 34,
        "gender": "woman",
        "occupation": "bus driver",
        "nationality": "Irish",
        "education": "left school at seventeen",
        "residence": "a flat over a chemist's in Sligo",
        "relationship": "separated since spring",
        "family": "a brother in Perth",
    },
    "preferences": {
        "traits": "Quick, loyal, hates fuss.",
        "big_five": {
            "openness": 2,
            "conscientiousness": 4,
            "extraversion": 3,
            "agreeableness": 1,
            "neuroticism": 5,
        },
        "mbti": "ISTJ",
        "habits": ["checks the oven twice"],
        "hobbies": ["sea swimming", "crosswords"],
        "speech_style": "Short, dry, lower case.",
        "sample_lines": ["grand", "ah look", "that's the height of it"],
    },
    "counselling": {
        "topic": "work",
        "problem": "I passed a stop with a child at it and never told anyone.",
        "emotion": "guilt",
        "emotional_state": "Jumpy behind the wheel.",
        "goal": "decide",
        "goals": ["to know whether to report it"],
        "relations": ["Noel, depot manager: fair but tired"],
    },
    "scenario": {
        "opening": "A bare hello, then waits.",
        "reactions": {
            "validation": "Softens a little.",
            "advice": "Argues with the first piece of it.",
            "probing": "Answers one question, not two.",
            "reassurance": "Does not believe it.",
            "reframing": "Goes quiet and thinks.",
            "generic": "Types 'right'.",
        },
        "withheld": ["The child was her neighbour's"],
        "opens_up": "Somebody asks what she saw.",
        "leaves": "Being called brave.",
    },
}
ZH: dict[str, Any] = {
    "id": "t-zh",
    "language": "zh",
    "demographics": {
        "age": 27,
        "gender": "男",
        "occupation": "快递站站长",
        "nationality": "中国",
        "education": "大专",
        "residence": "合肥，合租",
        "relationship": "单身",
        "family": "父母在阜阳种地",
    },
    "preferences": {
        "traits": "要强，话不多。",
        "big_five": {
            "openness": 3,
            "conscientiousness": 5,
            "extraversion": 2,
            "agreeableness": 4,
            "neuroticism": 3,
        },
        "mbti": "ISFJ",
        "habits": ["睡前刷一会儿手机"],
        "hobbies": ["钓鱼"],
        "speech_style": "短句，爱用“行吧”。",
        "sample_lines": ["行吧", "就那样", "没啥好说的"],
    },
    "counselling": {
        "topic": "family",
        "problem": "我爸住院，我到现在没回去看过。",
        "emotion": "内疚",
        "emotional_state": "晚上睡不踏实。",
        "goal": "be_heard",
        "goals": ["想把这事说出来"],
        "relations": ["父亲：不打电话，只发语音"],
    },
    "scenario": {
        "opening": "先说一句在吗。",
        "reactions": {
            "validation": "松一口气，不说谢谢。",
            "advice": "先说做不到。",
            "probing": "问一句答一句。",
            "reassurance": "觉得是敷衍。",
            "reframing": "想一会儿才回。",
            "generic": "回个“哦”。",
        },
        "withheld": ["去年为钱跟父亲吵过"],
        "opens_up": "有人问起小时候的事。",
        "leaves": "被人教训孝道。",
    },
}


def profile_data(language: Language = "en") -> dict[str, Any]:
    """The profile as a file would hold it, free to be spoilt."""
    return copy.deepcopy(EN if language == "en" else ZH)


def make_profile(language: Language = "en", **changes: Any) -> Profile:
    """An invented person; a mapping among `changes` is merged into its part."""
    return Profile.model_validate(merged(profile_data(language), changes))


def merged(data: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`data` with `changes`, mapping by mapping."""
    both = {
        key: merged(data[key], value) if isinstance(value, dict) and key in data else value
        for key, value in changes.items()
    }
    return {**data, **both}


def leaves(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value of nested data that is neither a mapping nor a sequence, with its path."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, (list, tuple)):
        for index, value in enumerate(data):
            yield from leaves(value, (*path, index))
    else:
        yield path, data


def heard(text: str) -> Message:
    return Message(role="supporter", text=text)


def said(text: str) -> Message:
    return Message(role="user", text=text)


def felt(text: str = "it may be my fault", **changes: Any) -> Appraisal:
    """An inner state as the Thinker gives it, with all its steps."""
    whole = {
        "noticed": "they asked",
        "cognition": text,
        "emotion": "tense",
        "intensity": 3,
        "disclosure": "nothing yet",
        "goals": "to be believed",
        "leaning": "stay",
        "why": "too early",
    }
    return Appraisal.model_validate({**whole, **changes})


def view(
    h_u: Sequence[Message | Appraisal | Emotion] = (),
    *,
    language: Language = "en",
    profile: Profile | None = None,
    utterance: Utterance | None = None,
    ending: Ending | None = None,
    max_turns: int = 15,
) -> UserView:
    """What an agent of the user's side sees after `h_u`."""
    return UserView(
        profile=profile or make_profile(language),
        h_u=tuple(h_u),
        utterance=utterance,
        turn=sum(isinstance(m, Message) and m.role == "supporter" for m in h_u),
        max_turns=max_turns,
        language=language,
        rng=random.Random(7),
        ending=ending,
    )
