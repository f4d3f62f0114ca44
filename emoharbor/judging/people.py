"""Who sought support in a recorded dialogue, as its judge or Thinker is to know them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from emoharbor.agents.situation import ProfileProcessing
from emoharbor.errors import ConfigError
from emoharbor.models.scripted import ScriptedChat
from emoharbor.profiles import load_profiles
from emoharbor.prompts.loader import load_prompt
from emoharbor.runs.journal import completion_of
from emoharbor.runs.lines import KeptLines
from emoharbor.runs.plan import PROFILE
from emoharbor.state.profile import (
    BigFive,
    Counselling,
    Demographics,
    Feedback,
    Language,
    Preferences,
    Profile,
    Scenario,
)
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite

REMEDY = "name the set or file that holds it with --profiles, or judge it with --strategy standard"


def people_of(records: Sequence[DialogueRecord], address: str | None) -> dict[str, Profile]:
    """The profiles of these dialogues, by id. Raises ConfigError for the first one without."""
    if address is None:
        known = dict[str, Profile]()
        why = "it was imported, and nothing says who the user is"
    else:
        known = {profile.id: profile for profile in load_profiles(address)}
        why = f"'{address}' has no such profile"
    for record in records:
        if record.profile not in known:
            at = f"the user of {record.name} is '{record.profile}'"
            raise ConfigError(f"{at}: {why}; {REMEDY}")
    return {record.profile: known[record.profile] for record in records}


async def as_played(
    people: Mapping[str, Profile], suite: Suite, calls: KeptLines
) -> dict[str, Profile]:
    """The people as their run's agents knew them: with the accounts that it had cleaned.

    The run's journal says what they came to be. Raises ConfigError where it does not.
    """
    config = suite.profile_processing
    if config is None:
        return dict(people)
    prompts = [load_prompt(name, suite.language) for name in (config.prompt, "repair")]
    entries = dict[str, dict[str, Any]]()
    async for _, entry in calls.all():
        kind, _, rest = entry["thread"].partition("/")
        if kind == PROFILE and entry["kind"] == "call":
            entries[rest.partition("/")[0]] = entry
    if lacking := next((name for name in people if name not in entries), None):
        raise ConfigError(
            f"the run's journal does not say how '{lacking}' was cleaned before the dialogues; "
            "name the profiles to be judged by with --profiles"
        )
    return {
        name: await ProfileProcessing(ScriptedChat([completion_of(entries[name])]), *prompts)(one)
        for name, one in people.items()
    }


def stranger(language: Language) -> Profile:
    """Stands where a profile must, for a judge that is not shown it."""
    nobody = "not known"
    kinds: tuple[Feedback, ...] = get_args(Feedback)
    return Profile(
        id="not-known",
        language=language,
        demographics=Demographics(
            age=18,
            **dict.fromkeys(Demographics.model_fields.keys() - {"age"}, nobody),
        ),
        preferences=Preferences(
            traits=nobody,
            big_five=BigFive.model_validate(dict.fromkeys(BigFive.model_fields, 3)),
            mbti="ISTJ",
            habits=(nobody,),
            hobbies=(nobody,),
            speech_style=nobody,
            sample_lines=(nobody,) * 3,
        ),
        counselling=Counselling(
            topic=nobody,
            problem=nobody,
            emotion=nobody,
            emotional_state=nobody,
            goal="be_heard",
            goals=(nobody,),
            relations=(nobody,),
        ),
        scenario=Scenario(
            opening=nobody,
            reactions=dict.fromkeys(kinds, nobody),
            withheld=(nobody,),
            opens_up=nobody,
            leaves=nobody,
        ),
    )
