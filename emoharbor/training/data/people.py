"""Who stands behind dialogues and profiles, as far as it takes to see that two are the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.imports.files import found_in
from emoharbor.profiles.drafts import Draft
from emoharbor.profiles.entries import Finding
from emoharbor.profiles.formats import FORMATS, Format, FormatName, said
from emoharbor.profiles.load import load_profiles, read_profiles
from emoharbor.profiles.texts import texts
from emoharbor.runs.build_records import build_record, file_of
from emoharbor.runs.fingerprint import digest
from emoharbor.runs.folder import RunFolder, is_build
from emoharbor.runs.jsonl import read_lines
from emoharbor.state.building import BuildRecord
from emoharbor.state.profile import Language, Profile
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import read_yaml
from emoharbor.training.data.reading import TrainingRun, read_run

# Which entry of a format says whom of another collection the person was made from.
MADE_FROM: Mapping[FormatName, str] = {"worst_case": "sim_id"}


@dataclass(frozen=True)
class Person:
    """What is known of one person; what is not known is empty.

    `texts` are all that is told, field by field; `demographics` are fields of D as text. `sources`
    are where the person is from: an entry of a file, or of another collection.
    """

    id: str
    language: Language
    texts: tuple[str, ...]
    problem: str = ""
    demographics: Mapping[str, str] = field(default_factory=dict)
    sources: frozenset[str] = frozenset()


async def people_of(addresses: Sequence[str]) -> list[Person]:
    """The people of an evaluation: of profiles, or of runs by their folder."""
    return [person for address in addresses for person in await people_at(address)]


async def people_at(address: str) -> list[Person]:
    """The people of profiles, of a run, of a build, or of another project's JSON.

    `address` is as for --profiles, or a folder with a run.yaml, or JSON that `profiles import`
    reads. Raises ConfigError when nobody is there to be read.
    """
    path = Path(address.partition("?")[0])
    if (path / "run.yaml").is_file():
        values = read_yaml(path / "run.yaml")
        if is_build(values):
            return people_of_profiles(str(file_of(values.get("file"), path)))
        return list(people_of_run(await read_run(path)).values())
    if path.suffix == ".json" or (path.is_dir() and any(path.glob("*.json"))):
        return list(_foreign(path))
    return people_of_profiles(address)


def people_of_profiles(address: str) -> list[Person]:
    """The whole profiles and the drafts at `address`. Raises ConfigError for a broken one."""
    found = read_profiles(address)
    for problem in found.broken:
        raise ConfigError(str(problem))
    sources = _built_from(Path(address.partition("?")[0]))
    people = [_of_profile(one, sources) for one in found.profiles]
    people += [_of_draft(one) for one in found.drafts.values()]
    if not people:
        raise ConfigError(f"profiles '{address}': none fits")
    return people


def people_of_run(run: TrainingRun) -> dict[str, Person]:
    """By id, the people of a run's dialogues. Raises ConfigError where they cannot be read."""
    if run.imported:
        return {record.profile: _of_imported(record) for record in run.records}
    sources = _built_from(Path(str(run.values.get("profiles")).partition("?")[0]))
    return {name: _of_profile(one, sources) for name, one in profiles_of_run(run).items()}


def profiles_of_run(run: TrainingRun) -> dict[str, Profile]:
    """By id, the profiles of a run's dialogues. Raises ConfigError where they cannot be read."""
    if run.imported:
        raise ConfigError(f"{run.where} holds imported dialogues, whose people have no profiles")
    try:
        known = {one.id: one for one in load_profiles(str(run.values.get("profiles")))}
    except ConfigError as error:
        raise ConfigError(
            f"{run.where}: its people cannot be read ({error}); start where the run was started, "
            "with its profiles in their place"
        ) from error
    wanted = dict.fromkeys((*(record.profile for record in run.records), *_planned(run)))
    if missing := [name for name in wanted if name not in known]:
        raise ConfigError(f"{run.where}: profile {missing[0]} is no more in its profiles")
    return {name: known[name] for name in wanted}


def doubts(run: TrainingRun, people: Mapping[str, Person]) -> list[str]:
    """Why these people of a run may be others than they seem, or cannot be compared, in words."""
    if run.imported:
        blank = [name for name, one in people.items() if not any(one.texts)]
        return [f"{run.where}: nothing but the id is known of {', '.join(blank)}"] if blank else []
    planned = _planned(run)
    now = {name: digest(one.model_dump()) for name, one in profiles_of_run(run).items()}
    other = [name for name in people if planned.get(name, now[name]) != now[name]]
    says = f"{run.where}: profiles that have changed since it was run: {', '.join(other)}"
    return [says] if other else []


def _planned(run: TrainingRun) -> Mapping[str, str]:
    """The digest of each profile of which the run has, or was to have, a dialogue."""
    recorded = run.values.get("recorded") or {}
    return (recorded.get("fingerprint") or {}).get("profiles") or {}


def _of_profile(profile: Profile, sources: Mapping[str, str]) -> Person:
    return Person(
        id=profile.id,
        language=profile.language,
        texts=tuple(text for _, text in texts(profile)),
        problem=profile.counselling.problem,
        demographics=_told(profile.demographics.model_dump()),
        sources=frozenset(filter(None, (sources.get(profile.id, ""),))),
    )


def _of_draft(draft: Draft) -> Person:
    parts = (draft.demographics, draft.preferences, draft.counselling, draft.scenario, draft.notes)
    return Person(
        id=draft.id,
        language=draft.language,
        texts=tuple(said(value) for part in parts for value in part.values()),
        problem=said(draft.counselling.get("problem")),
        demographics=_told(draft.demographics),
        sources=frozenset({draft.source}),
    )


def _of_imported(record: DialogueRecord) -> Person:
    """Somebody of whom the source tells all in a few texts, and does not say what is what."""
    told = record.imported.person if record.imported else ()
    return Person(record.profile, record.language, told)


def _foreign(source: Path) -> Iterator[Person]:
    for found in found_in(source):
        if isinstance(found, Finding):
            raise ConfigError(str(found))
        name = next((n for n, form in FORMATS.items() if _is_of(found.value, form)), None)
        if name is None:
            raise ConfigError(f"{source}, {found.where}: nobody of {', '.join(FORMATS)}")
        read = FORMATS[name].read(found.key, found.value)
        made_from = said(found.value.get(MADE_FROM.get(name, "")))
        yield Person(
            id=str(read["id"]),
            language=read["language"],
            texts=tuple(map(said, found.value.values())),
            problem=said(read.get("counselling", {}).get("problem")),
            demographics=_told(read.get("demographics", {})),
            sources=frozenset({f"{name} {made_from}"} if made_from else ()),
        )


def _is_of(value: Any, form: Format) -> bool:
    return isinstance(value, dict) and any(value.get(key) for key in form.keys)


def _told(demographics: Mapping[str, Any]) -> dict[str, str]:
    told = {name: said(value).casefold() for name, value in demographics.items()}
    return {name: text for name, text in told.items() if text}


def _built_from(path: Path) -> dict[str, str]:
    """From which seed each profile of a build is, by id, where `path` is what a build wrote."""
    folder = RunFolder(path.parent)
    if not (path.is_file() and folder.plan_file.is_file()):
        return {}
    values = read_yaml(folder.plan_file)
    if not is_build(values) or file_of(values.get("file"), folder.path).resolve() != path.resolve():
        return {}
    lines = enumerate(read_lines(folder.records_file), start=1)
    records = (build_record(line, number) for number, (_, line) in lines)
    return {one.id: _seed(one) for one in records}


def _seed(record: BuildRecord) -> str:
    """The source of the draft that the seed was, or else where the seed itself stands."""
    return record.person.seed.source.partition(", ")[2] or record.place
