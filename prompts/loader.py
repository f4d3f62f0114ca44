"""Prompts are files: front matter with a version, then Jinja blocks, one a kind of message."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jinja2
import yaml
from jinja2 import meta

from emoharbor.errors import PromptError
from emoharbor.state.profile import Language

HERE = Path(__file__).parent
CLOSING_TAG = re.compile(
    r"</(?=\s*(?:you|heard|said|transcript|seed|person|chat_[12])\s*>)", re.IGNORECASE
)


@dataclass(frozen=True)
class Prompt:
    """One prompt file, read and compiled. `hash` covers the file and all that it includes."""

    name: str
    language: Language
    version: int
    hash: str
    template: jinja2.Template = field(repr=False, compare=False)

    def render(self, block: str, **variables: Any) -> str:
        """The text of `block`; a variable that the block uses and nobody gave is a PromptError."""
        if block not in self.template.blocks:
            known = ", ".join(self.template.blocks) or "none"
            raise PromptError(f"prompt {self.name}: no block '{block}' (it has: {known})")
        try:
            parts = self.template.blocks[block](self.template.new_context(variables))
            return "".join(parts).strip()
        except jinja2.UndefinedError as error:
            raise PromptError(f"prompt {self.name}, block '{block}': {error}") from error

    def remembered(self, block: str, **variables: Hashable) -> str:
        """As `render`, kept: a conversation that only grows renders its earlier turns again."""
        return _remembered(self, block, tuple(variables.items()))


@lru_cache(maxsize=20_000)
def _remembered(prompt: Prompt, block: str, variables: tuple[tuple[str, Hashable], ...]) -> str:
    return prompt.render(block, **dict(variables))


@cache
def load_prompt(name: str, language: Language) -> Prompt:
    """A shipped prompt by its name ("talker"), or a user's own by the path of its .md file."""
    own = Path(name)
    folder, filename = (own.parent, own.name) if own.suffix == ".md" else (HERE, f"{name}.md")
    folders = [folder, HERE / language] if own.suffix == ".md" else [HERE / language]
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda wanted: _body(folders, wanted)),
        undefined=jinja2.StrictUndefined,
        finalize=_quoted,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    source = _read(folders, filename)
    version = _front_matter(name, source).get("version")
    if type(version) is not int:
        raise PromptError(f"prompt {name}: the front matter needs 'version: <integer>'")
    try:
        digest = _digest(environment, folders, filename)
        template = environment.get_template(filename)
    except jinja2.TemplateSyntaxError as error:
        file = name if error.name in (None, filename) else f"{name}, {error.name}"
        raise PromptError(f"prompt {file}, line {error.lineno}: {error.message}") from error
    return Prompt(name, language, version, digest, template)


def _quoted(value: Any) -> Any:
    """Words of a dialogue cannot close the tags that set them apart from the instructions."""
    return CLOSING_TAG.sub(r"<\\/", value) if isinstance(value, str) else value


def _read(folders: list[Path], filename: str) -> str:
    for folder in folders:
        if (folder / filename).is_file():
            try:
                return (folder / filename).read_text(encoding="utf-8")
            except UnicodeDecodeError as error:
                raise PromptError(f"{folder / filename}: not UTF-8") from error
    raise PromptError(f"no prompt file {filename} in {', '.join(map(str, folders))}")


def _front_matter(name: str, source: str) -> dict[str, Any]:
    try:
        values = yaml.safe_load(_split(source)[0]) or {}
    except yaml.YAMLError as error:
        raise PromptError(f"prompt {name}: the front matter is not YAML: {error}") from error
    return values if isinstance(values, dict) else {}


def _body(folders: list[Path], filename: str) -> str:
    return _split(_read(folders, filename))[1]


def _split(source: str) -> tuple[str, str]:
    """The front matter, "" where there is none or it is never closed, and the rest."""
    parts = source.split("---\n", 2) if source.startswith("---\n") else []
    return (parts[1], parts[2]) if len(parts) == 3 else ("", source)


def _digest(environment: jinja2.Environment, folders: list[Path], filename: str) -> str:
    """Twelve hex digits over the file and, in order of name, all that it includes."""
    sources: dict[str, str] = {}
    waiting = [filename]
    while waiting:
        name = waiting.pop()
        if name in sources:
            continue
        sources[name] = _read(folders, name)
        environment.get_template(name)
        tree = environment.parse(_body(folders, name))
        waiting += [other for other in meta.find_referenced_templates(tree) if other]
    parts = [sources.pop(filename), *(sources[name] for name in sorted(sources))]
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=6).hexdigest()
