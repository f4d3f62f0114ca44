"""A counselling system that is talked to in its own way: one supporter, and presets for it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from emoharbor.agents.protocols import Reply
from emoharbor.errors import ConfigError, nearest
from emoharbor.models.base import ChatMessage, ChatModel
from emoharbor.models.config import Sampling
from emoharbor.state.dialogue import Message
from emoharbor.state.profile import Frozen, Text

SHIPPED = Path(__file__).parent / "templates.yaml"


class Lines(Frozen):
    """The dialogue as labelled lines in one message.

    `user` and `counsellor` stand before their words, `heading` before the first line, `cue` alone
    on the last line, where the reply goes on; None: the counsellor's label.
    """

    user: str
    counsellor: str
    heading: str = ""
    cue: str | None = None


class Preset(Frozen):
    """How one system is talked to.

    `system` is its instruction: a system message, or the head of the one message when there are
    `lines`. `opening` stands in the client's place when the system opens; None: the suite's line.
    `sampling` holds where the suite says nothing. Of a reply, a name of `strip` with a colon is
    removed from its beginning; a line that begins with a name of `cut` and a colon ends it.
    """

    system: Text | None = None
    lines: Lines | None = None
    opening: Text | None = None
    sampling: Sampling = Sampling()
    strip: tuple[Text, ...] = ()
    cut: tuple[Text, ...] = ()

    @property
    def hash(self) -> str:
        """Twelve hex digits over all but the sampling, which the suite may change."""
        content = self.model_dump_json(exclude={"sampling"})
        return hashlib.blake2b(content.encode(), digest_size=6).hexdigest()

    def request(self, dialogue: Sequence[Message]) -> list[ChatMessage]:
        """The messages that ask for the next reply to `dialogue`."""
        if self.lines:
            return [
                {"role": "user", "content": (self.system or "") + _labelled(self.lines, dialogue)}
            ]
        messages: list[ChatMessage] = []
        if self.system:
            messages.append({"role": "system", "content": self.system})
        for message in dialogue:
            speaker = "assistant" if message.role == "supporter" else "user"
            messages.append({"role": speaker, "content": message.text})  # type: ignore[typeddict-item]
        return messages

    def cleaned(self, reply: str) -> str:
        """The reply without its label and without the lines that the model wrote for others."""
        text = reply.strip()
        if self.strip:
            text = re.sub(rf"\A{_label(self.strip)}", "", text)
        if self.cut:
            text = re.split(rf"(?m)^[ \t]*{_label(self.cut)}", text, maxsplit=1)[0]
        return text.strip()


@dataclass(frozen=True)
class TemplateSupporter:
    """R_t = S(H_s) with a model that wants the dialogue as its preset renders it."""

    model: ChatModel
    preset: Preset
    opening_line: str

    async def __call__(self, history: Sequence[Message]) -> Reply:
        """The model's reply, cleaned; the graph asks again when nothing is left of it."""
        if not history or history[0].role == "supporter":
            words = self.preset.opening or self.opening_line
            history = [Message(role="user", text=words), *history]
        reply = await self.model.complete(self.preset.request(history))
        return Reply(text=self.preset.cleaned(reply.text))


def take_preset(given: dict[str, Any]) -> Preset:
    """Takes `preset` and `system` out of a supporter's keys; returns what they name.

    `system` is the path of a text file that replaces the preset's own text. Raises ConfigError.
    """
    name, file = given.pop("preset", None), given.pop("system", None)
    if not isinstance(name, str):
        raise ConfigError(
            "supporter: use: template wants a 'preset', by name or by the path of a .yaml file"
            f"{nearest('', _read(SHIPPED))}"
        )
    preset = load_preset(name)
    return preset if file is None else preset.model_copy(update={"system": _text(file)})


def load_preset(name: str) -> Preset:
    """A shipped preset by its name ("mechat"), or a user's own by the path of its .yaml file."""
    own = name.endswith((".yaml", ".yml"))
    values = _read(Path(name) if own else SHIPPED)
    if not own and name not in values:
        raise ConfigError(f"supporter: no preset '{name}'{nearest(name, values)}")
    try:
        return Preset.model_validate(values if own else values[name])
    except ValidationError as error:
        raise ConfigError(f"preset {name}: {_fault(error)}") from error


def _labelled(lines: Lines, dialogue: Sequence[Message]) -> str:
    said = (
        (lines.counsellor if message.role == "supporter" else lines.user) + message.text
        for message in dialogue
    )
    cue = lines.counsellor if lines.cue is None else lines.cue
    return lines.heading + "\n".join([*said, cue])


def _label(names: Sequence[str]) -> str:
    return rf"(?:{'|'.join(map(re.escape, names))})[ \t]*[:：]"


def _read(path: Path) -> dict[str, Any]:
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"preset {path}: cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"preset {path}: not YAML: {error}") from error
    if not isinstance(values, dict):
        raise ConfigError(f"preset {path}: keys and values are wanted at the top")
    return values


def _text(file: Any) -> str:
    try:
        text = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError, TypeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise ConfigError(
            f"supporter: system: cannot read {str(file)[:80]!r}: {reason}; "
            "wanted is the path of a file with the system's own instruction"
        ) from error
    if not text:
        raise ConfigError(f"supporter: system: {file} is empty")
    return text


def _fault(error: ValidationError) -> str:
    """The first fault in words; an unknown key names the nearest known one."""
    fault = error.errors()[0]
    where = ".".join(map(str, fault["loc"])) or "top level"
    if fault["type"] != "extra_forbidden":
        return f"{where}: {fault['msg']} (given: {fault['input']!r})"
    shapes: dict[str, type[Frozen]] = {"lines": Lines, "sampling": Sampling}
    shape = shapes.get(str(fault["loc"][0]), Preset)
    return f"unknown key '{where}'{nearest(str(fault['loc'][-1]), shape.model_fields)}"
