"""How other projects write a dialogue down: one reader a format, from an entry to its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from emoharbor.errors import ConfigError
from emoharbor.imports.marks import Mark, esconv_marks, is_mindeval, mindeval_marks, mindeval_person
from emoharbor.state.dialogue import Emotion, Speaker

FormName = Literal["worst-case", "esconv", "mindeval", "chat"]
SPEAKERS: dict[str, Speaker] = {
    "seeker": "user", "usr": "user", "user": "user",
    "supporter": "supporter", "sys": "supporter", "assistant": "supporter",
}  # fmt: skip
# What a chat holds that nobody in the dialogue said.
UNSPOKEN = ("system", "developer", "tool")


@dataclass(frozen=True)
class Line:
    """One message, with the emotion that its speaker is said to feel."""

    role: Speaker
    text: str
    emotion: Emotion | None = None


@dataclass(frozen=True)
class Told:
    """A dialogue as its source tells it, with what people marked; what is not said is empty."""

    lines: tuple[Line, ...]
    supporter: str = ""
    profile: str = ""
    person: tuple[str, ...] = ()
    torn: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Form:
    """`lines` finds the list of lines in an entry of this format, None where it is none.

    `read` makes a dialogue of the entry and raises ConfigError that names a line it cannot read.
    """

    lines: Callable[[Any], list[Any] | None]
    read: Callable[[Any, Sequence[Any]], Told]


def worst_case(entry: Any, lines: Sequence[Any]) -> Told:
    """A dialogue of the worst-case release, whose `turn` counts utterances."""
    told, said = _lines(lines, "speaker", ("text",)), entry.get("turn")
    torn = ""
    if isinstance(said, int) and said != len(lines):
        torn = f"`turn` says {said} utterances, {len(lines)} are there"
    return Told(told, torn=torn)


def esconv(entry: Any, lines: Sequence[Any]) -> Told:
    """A dialogue of ESConv between two people, of its JSON or of its lines with usr and sys."""
    situation = entry.get("situation")
    return Told(
        _lines(lines, "speaker", ("content", "text")),
        supporter="people",
        person=(situation,) if isinstance(situation, str) and situation.strip() else (),
        marks=tuple(esconv_marks(entry, lines)),
    )


def mindeval(entry: Any, lines: Sequence[Any]) -> Told:
    """A dialogue of MindEval between two models, which several people marked."""
    profile, person = mindeval_person(entry)
    return replace(
        chat(entry, lines), profile=profile, person=person, marks=tuple(mindeval_marks(entry))
    )


def chat(entry: Any, lines: Sequence[Any]) -> Told:
    """Messages with role and content, whose user seeks support; a `model` is the supporter."""
    about = entry if isinstance(entry, dict) else {}
    given = [line for line in lines if not (isinstance(line, dict) and _role(line) in UNSPOKEN)]
    return Told(
        _lines(given, "role", ("content",)),
        supporter=str(about.get("model") or about.get("supporter") or "chat"),
        profile=str(about.get("profile") or about.get("id") or ""),
    )


FORMS: dict[FormName, Form] = {
    "worst-case": Form(lambda entry: _list(entry, "dialogue"), worst_case),
    "esconv": Form(lambda entry: _list(entry, "dialog"), esconv),
    # Before chats, which have messages too.
    "mindeval": Form(
        lambda entry: _list(entry, "messages") if is_mindeval(entry) else None,
        mindeval,
    ),
    "chat": Form(
        lambda entry: entry if _is_chat(entry) else _list(entry, "messages"),
        chat,
    ),
}


def form_of(entry: Any) -> FormName | None:
    """The format of an entry, None where it is no dialogue."""
    return next((name for name, form in FORMS.items() if form.lines(entry) is not None), None)


def _is_chat(entry: Any) -> bool:
    return (
        isinstance(entry, list)
        and bool(entry)
        and all(isinstance(line, dict) and "role" in line for line in entry)
    )


def _list(entry: Any, key: str) -> list[Any] | None:
    value = entry.get(key) if isinstance(entry, dict) else None
    return value if isinstance(value, list) else None


def _role(line: dict[str, Any]) -> str:
    return str(line.get("role", "")).strip().lower()


def _lines(lines: Sequence[Any], speaker: str, keys: tuple[str, ...]) -> tuple[Line, ...]:
    return tuple(_line(line, n, speaker, keys) for n, line in enumerate(lines, start=1))


def _line(line: Any, number: int, speaker: str, keys: tuple[str, ...]) -> Line:
    if not isinstance(line, dict):
        raise ConfigError(f"line {number} is no object with '{speaker}'")
    who = str(line.get(speaker, "")).strip().lower()
    if who not in SPEAKERS:
        raise ConfigError(f"line {number}: {speaker} {line.get(speaker)!r} is nobody known here")
    text = next((_text(line[key]) for key in keys if key in line), None)
    if text is None:
        raise ConfigError(f"line {number} has no text under '{keys[0]}'")
    return Line(SPEAKERS[who], text.strip(), _emotion(line))


def _text(value: Any) -> str | None:
    """A text, or the text parts of a message that has several."""
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return value if isinstance(value, str) else None


def _emotion(line: dict[str, Any]) -> Emotion | None:
    label = line.get("emotion_label")
    if not isinstance(label, str) or not label.strip():
        return None
    why, feels = line.get("emotion_transition_reason"), line.get("emotion_description")
    return Emotion(
        label=label.strip(), transition_reason=str(why or ""), description=str(feels or "")
    )
