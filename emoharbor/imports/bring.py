"""From a source of dialogues to records; what is none is named, and nothing is lost in silence."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.imports.files import Found, found_in
from emoharbor.imports.marks import ratings_of
from emoharbor.imports.shapes import FORMS, FormName, Line, Told, form_of
from emoharbor.profiles.entries import Finding
from emoharbor.profiles.formats import FORMATS, language_of, said
from emoharbor.ratings import Rating
from emoharbor.runs.fingerprint import digest
from emoharbor.state.dialogue import Message
from emoharbor.state.profile import Language
from emoharbor.state.record import DialogueRecord, Imported
from emoharbor.state.verdict import Ending

# The seekers of the worst-case release lie in a folder of this name, beside its arms.
PEOPLE = "profiles"
Person = tuple[str, ...]


@dataclass(frozen=True)
class Brought:
    """The dialogues of a source as records, and what is none: where it stands and why.

    `ratings` are the marks that people gave them, where the source holds any.
    """

    records: tuple[DialogueRecord, ...]
    left_out: tuple[Finding, ...]
    ratings: tuple[Rating, ...] = ()


@dataclass(frozen=True)
class _Dialogue:
    form: FormName
    file: Path
    where: str
    arm: str
    told: Told


def bring(source: Path, form: str | None = None) -> Brought:
    """Reads every dialogue in a file or folder; with `form` those of that format alone.

    Raises ConfigError for a format that there is not, and when no dialogue can be read.
    """
    if form is not None and form not in FORMS:
        raise ConfigError(f"no format '{form}'{nearest(form, FORMS)}")
    dialogues, left_out = list[_Dialogue](), list[Finding]()
    for found in found_in(source):
        if isinstance(found, Finding):
            left_out.append(found)
        elif not _is_seeker(found.value):
            try:
                dialogues.append(_read(found, form))
            except ConfigError as error:
                left_out.append(Finding(found.where, "", str(error)))
    if not dialogues:
        why = f": {left_out[0]}" if left_out else ""
        raise ConfigError(f"{source} holds no dialogue that can be read{why}")
    people = {f: _seeker(f) for f in dict.fromkeys(map(_seeker_file, dialogues)) if f}
    within = source.resolve()
    left_out += [
        # One in the source was named when it was come upon.
        one
        for file, one in people.items()
        if isinstance(one, Finding) and not file.is_relative_to(within)
    ]
    dialogues = _named(dialogues)
    records = tuple(_records(dialogues, people))
    ratings = chain.from_iterable(
        ratings_of(dialogue.told.marks, record)
        for dialogue, record in zip(dialogues, records, strict=True)
    )
    return Brought(records, tuple(left_out), tuple(ratings))


def _read(found: Found, wanted: str | None) -> _Dialogue:
    form = form_of(found.value)
    if form is None or (wanted and form != wanted):
        keys = (
            "a list under 'dialogue' (worst-case), 'dialog' (esconv) or 'messages' (chat, mindeval)"
        )
        raise ConfigError(f"{f'of {form}' if form else 'no dialogue'}; {wanted or keys} is wanted")
    lines = FORMS[form].lines(found.value) or []
    told = FORMS[form].read(found.value, lines)
    profile = re.sub(r"[^\w.-]+", "-", told.profile or found.key)[:64]
    told, arm = replace(told, profile=profile), str(form)
    if form == "worst-case":
        folder = found.file.resolve().parent
        arm = folder.parent.name
        told = replace(told, supporter=folder.name)
    return _Dialogue(form, found.file.resolve(), found.where, arm, told)


def _is_seeker(value: Any) -> bool:
    return isinstance(value, dict) and any(key in value for key in FORMATS["worst_case"].keys)


def _seeker_file(dialogue: _Dialogue) -> Path | None:
    """Where the release describes the seeker of a dialogue: the file has the same number."""
    if dialogue.form != "worst-case":
        return None
    file = dialogue.file.parent.parent.parent / PEOPLE / dialogue.file.name
    return file if file.is_file() else None


def _seeker(file: Path) -> Person | Finding:
    try:
        value = json.loads(file.read_text(encoding="utf-8-sig"))
    except (ValueError, OSError) as error:
        return Finding(str(file), "", f"the seeker cannot be read: {error}")
    if not _is_seeker(value):
        return Finding(str(file), "", "no seeker of the worst-case release")
    return tuple(filter(None, map(said, value.values())))


def _named(dialogues: list[_Dialogue]) -> list[_Dialogue]:
    """With the arm in the supporter's name where one supporter stands in several arms."""
    arms = {(d.told.supporter, d.arm) for d in dialogues}
    if len(arms) == len({supporter for supporter, _ in arms}):
        return dialogues
    return [
        replace(d, told=replace(d.told, supporter=f"{d.arm}.{d.told.supporter}")) for d in dialogues
    ]


def _records(
    dialogues: Sequence[_Dialogue], people: Mapping[Path, Person | Finding]
) -> Iterator[DialogueRecord]:
    seen = Counter[tuple[str, str]]()
    languages = [_language(dialogue.told) for dialogue in dialogues]
    # Of one in which nobody says a word, the others decide.
    usual: Language = "zh" if languages.count("zh") > languages.count("en") else "en"
    for dialogue, language in zip(dialogues, languages, strict=True):
        cell = (dialogue.told.supporter, dialogue.told.profile)
        seeker = people.get(_seeker_file(dialogue) or Path())
        person = seeker if isinstance(seeker, tuple) else dialogue.told.person
        yield _record(dialogue, seen[cell], person, language or usual)
        seen[cell] += 1


def _language(told: Told) -> Language | None:
    """Of what the user says, or else of what both say; None where nobody says a word."""
    for roles in (("user",), ("user", "supporter")):
        text = " ".join(line.text for line in told.lines if line.role in roles)
        if re.search(r"[^\W\d_]", text):
            return "zh" if language_of(text) == "zh" else "en"
    return None


def _record(dialogue: _Dialogue, repeat: int, person: Person, language: Language) -> DialogueRecord:
    told = dialogue.told
    supporter = re.sub(r"[^\w.-]+", "-", told.supporter)
    messages = [Message(role=line.role, text=line.text) for line in told.lines]
    hashed = digest([[line.role, line.text] for line in told.lines])
    turns = exchanges(told.lines)
    return DialogueRecord(
        suite=dialogue.arm,
        supporter=supporter,
        profile=told.profile,
        repeat=repeat,
        language=language,
        thread=f"{supporter}/{told.profile}/{repeat}/{hashed}",
        dialogue_hash=hashed,
        verdict_hash="",
        seed=0,
        h_s=messages,
        h_u=[
            item
            for line, message in zip(told.lines, messages, strict=True)
            for item in (line.emotion, message)
            if item is not None
        ],
        turns=turns,
        ending=Ending(reason="recorded_end", turn=turns) if turns else None,
        verdict=None,
        failure=None,
        imported=Imported(
            format=dialogue.form, where=dialogue.where, person=person, torn=told.torn
        ),
        models={},
        prompts={},
        usage={},
        started="",
        finished="",
    )


def exchanges(lines: tuple[Line, ...]) -> int:
    """How often the side that opens takes the floor: several lines in a row are one turn."""
    floors = [role for role, _ in groupby(line.role for line in lines)]
    return floors.count(floors[0]) if floors else 0
