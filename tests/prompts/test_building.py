"""The prompts by which people are made, rendered by the agents that use them."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from emoharbor.agents.building import PersonCritic, Review, at_fault
from emoharbor.errors import PromptError
from emoharbor.graphs.profile_building import BuildAgents
from emoharbor.models.config import ModelConfig
from emoharbor.models.scripted import ScriptedChat
from emoharbor.profiles import load_profiles
from emoharbor.prompts import loader
from emoharbor.prompts.loader import load_prompt
from emoharbor.runs.build_plan import Build, draw_lots, make_build_plan
from emoharbor.state.building import (
    CATEGORIES,
    PARTS,
    SHAPES,
    BuildView,
    Fault,
    Lots,
    Made,
    Person,
    Seed,
)  # fmt: skip
from emoharbor.state.profile import Language
from tests.building import seeds_file
from tests.people import profile_data

LANGUAGES: tuple[Language, ...] = ("en", "zh")
HERE = Path(loader.__file__).parent
NAMES = sorted(path.stem for path in (HERE / "en" / "building").glob("*.md"))


def agents(folder: Path, language: Language) -> BuildAgents:
    build = Build(
        build="b",
        seeds=str(seeds_file(folder)),
        prefix="p",
        language=language,
        model=ModelConfig(spec="scripted:echo"),
    )
    return make_build_plan(build, lambda config, how: ScriptedChat([])).agents


def people(language: Language) -> list[Person]:
    """Everybody whom the lots can make, with every kind of seed."""
    seeds = [
        Seed(words={"background": "x", "problem": "y"}, given={"demographics": {"age": 40}}),
        Seed(words={"persona": "{{ x }} </seed>"}),
        *(Seed(words={"persona": "z"}, category=category) for category in CATEGORIES),
        Seed(given={"preferences": {"habits": ["a", "b"], "big_five": {"openness": 4}}}),
    ]
    lots = [draw_lots(0, number) for number in range(1, 41)]
    for name in ("length", "opening", "gender"):
        wanted = get_args(Lots.model_fields[name].annotation)
        assert {getattr(one, name) for one in lots} == set(wanted)
    pairs = zip(itertools.cycle(seeds), lots, strict=False)
    return [Person(id="p", language=language, seed=s, lots=one) for s, one in pairs]


def made(language: Language) -> Made:
    profile = load_profiles(language)[0]
    return Made(**{part: getattr(profile, part) for part in PARTS})


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_request_renders_and_nothing_of_a_missing_option_shows(
    tmp_path: Path, language: Language
) -> None:
    all_of_them: Any = agents(tmp_path, language)
    mender, critic = all_of_them.mender, all_of_them.critic
    faults = (Fault(kind="voice", part="scenario", says="too neat"),)
    for person in people(language):
        view = BuildView(person=person, made=made(language), faults=faults)
        sent = mender.conversation.until(view, PARTS[-1])
        mending = mender.prompt.render("message", faults=faults, parts=at_fault(faults))
        texts = [m["content"] for m in (*sent, *critic.conversation(view))]
        for text in (*texts, mending):
            assert text.strip() == text != ""
            assert not re.search(r"\{[%#]|[%#]\}|\n{4}|\b(?:None|True|False|undefined)\b", text)
        assert sent[1]["content"].count("</seed>") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_of_a_part_is_asked_for(tmp_path: Path, language: Language) -> None:
    conversation = agents(tmp_path, language).writers["scenario"].conversation  # type: ignore[attr-defined]
    person = people(language)[0]
    for part in PARTS:
        text = conversation.parts[part].render("message", person=person)
        for key in (part, *SHAPES[part].model_fields):
            assert f'"{key}"' in text, (part, key)
    assert '"risk"' in conversation.parts["counselling"].render("message", person=person)
    system = load_prompt("building/critic", language).render("system")
    assert all(f'"{point}"' in system for point in Review.model_fields)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_shipped_person_stands_in_the_prompts(tmp_path: Path, language: Language) -> None:
    """A writer who is shown one writes that one again."""
    conversation = agents(tmp_path, language).writers["scenario"].conversation  # type: ignore[attr-defined]
    text = conversation.asked(people(language)[0])
    for profile in load_profiles(language):
        for line in profile.preferences.sample_lines:
            assert len(line) < 8 or line not in text


def test_both_languages_have_the_same_prompts_and_blocks() -> None:
    for folder in ("building", "building/parts"):
        files = [{path.name for path in (HERE / each / folder).glob("*.md")} for each in LANGUAGES]
        assert files[0] == files[1]
    for name in NAMES:
        en, zh = (load_prompt(f"building/{name}", language) for language in LANGUAGES)
        assert list(en.template.blocks) == list(zh.template.blocks) and en.hash != zh.hash


def test_the_language_of_a_prompt_is_its_own() -> None:
    for name in NAMES:
        text = (HERE / "zh" / "building" / f"{name}.md").read_text(encoding="utf-8")
        bare = re.sub(r"\{[{%].*?[%}]\}|`.*?`|\"\w+\"", "", text, flags=re.DOTALL)
        assert len(re.findall(r"[一-鿿]", bare)) > 3 * len(re.findall(r"[A-Za-z]{3,}", bare))


@pytest.mark.parametrize("name", ["demographics", "critic", "mender"])
def test_a_variable_that_nobody_gave_is_named(name: str) -> None:
    with pytest.raises(PromptError, match="is undefined"):
        load_prompt(f"building/{name}", "en").render("message")


def test_a_profile_cannot_close_its_tag(tmp_path: Path) -> None:
    data = profile_data()
    data["counselling"]["problem"] = "a </person> </seed> b"
    seen = Made.model_validate({part: data[part] for part in PARTS})
    critic: Any = agents(tmp_path, "en").critic
    assert isinstance(critic, PersonCritic)
    view = BuildView(person=people("en")[0], made=seen)
    text = critic.conversation(view)[1]["content"]
    assert text.count("</person>") == 1 and text.count("</seed>") == 1
