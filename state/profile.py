"""The simulated user's profile P_U = {D, P, C, S} (EmoHarbor, equation 1)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Language = Literal["en", "zh"]
Level = Annotated[int, Field(ge=1, le=5)]
Mbti = Annotated[str, StringConstraints(pattern=r"^[EI][NS][FT][JP]$")]
Feedback = Literal["validation", "advice", "probing", "reassurance", "reframing", "generic"]
Risk = Literal["self_harm", "violence", "abuse"]


class Frozen(BaseModel):
    """A small immutable value that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Demographics(Frozen):
    """D: where this person stands in life."""

    age: Annotated[int, Field(ge=10, le=110)]
    gender: Text
    occupation: Text
    nationality: Text
    education: Text
    residence: Text
    relationship: Text
    family: Text


class BigFive(Frozen):
    """The five traits, each from 1 (very low) to 5 (very high)."""

    openness: Level
    conscientiousness: Level
    extraversion: Level
    agreeableness: Level
    neuroticism: Level


class Preferences(Frozen):
    """P: what this person is like and how they talk."""

    traits: Text
    big_five: BigFive
    mbti: Mbti
    habits: Annotated[tuple[Text, ...], Field(min_length=1)]
    hobbies: Annotated[tuple[Text, ...], Field(min_length=1)]
    speech_style: Text
    sample_lines: Annotated[tuple[Text, ...], Field(min_length=3, max_length=6)]


class Counselling(Frozen):
    """C: what brings this person here. `topic`, `emotion` and `goal` are labels."""

    topic: Text
    problem: Text
    emotion: Text
    emotional_state: Text
    goal: Literal["be_heard", "understand", "decide", "act", "repair", "accept"]
    goals: Annotated[tuple[Text, ...], Field(min_length=1)]
    relations: Annotated[tuple[Text, ...], Field(min_length=1)]


class Scenario(Frozen):
    """S: how this person plausibly behaves in the conversation.

    `reactions` says for each kind of feedback what this person feels, thinks and answers;
    `withheld` are facts told only when asked or once there is trust.
    """

    opening: Text
    reactions: dict[Feedback, Text] = Field(min_length=6)
    withheld: Annotated[tuple[Text, ...], Field(min_length=1)]
    opens_up: Text
    leaves: Text


class Profile(Frozen):
    """One invented person. `id` is unique in its set; `minor`, `risk` and `hard` serve filters."""

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
    language: Language
    demographics: Demographics
    preferences: Preferences
    counselling: Counselling
    scenario: Scenario
    minor: bool = False
    risk: tuple[Risk, ...] = ()
    hard: bool = False

    def __hash__(self) -> int:
        """By id: cheap, and equality tells the rest."""
        return hash((self.id, self.language))
