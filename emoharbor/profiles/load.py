"""Finding and reading profiles: the shipped sets, a file, or a folder, with filters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from emoharbor.errors import ConfigError, nearest
from emoharbor.profiles.drafts import Draft, examine, field_of, is_draft
from emoharbor.profiles.entries import Entry, Finding, entries
from emoharbor.profiles.filters import keep, parse_filters
from emoharbor.state.profile import Profile

SHIPPED = Path(__file__).parent.parent / "data" / "profiles"


@dataclass
class Found:
    """What an address names: people, drafts by where they stand, and what is neither."""

    profiles: list[Profile] = field(default_factory=list)
    drafts: dict[str, Draft] = field(default_factory=dict)
    broken: list[Finding] = field(default_factory=list)


def load_profiles(address: str) -> list[Profile]:
    """The profiles at `address`: "en", "people.jsonl", "folder/", each with filters "?topic=work".

    Raises ConfigError with file, line and field for a broken one or a draft, and when none is left.
    """
    return load_each([address])[address]


def load_each(addresses: Sequence[str]) -> dict[str, list[Profile]]:
    """The profiles by address, without addresses where none fits. Raises as load_profiles does."""
    found = {address: read_profiles(address) for address in addresses}
    for one in found.values():
        for problem in (*one.broken, *(unfinished(at, draft) for at, draft in one.drafts.items())):
            raise ConfigError(str(problem))
    fitting = {address: one.profiles for address, one in found.items() if one.profiles}
    if not fitting:
        raise ConfigError(f"profiles '{' and '.join(addresses)}': none fits")
    return fitting


def read_profiles(address: str) -> Found:
    """All that stands at `address`; its filters are for whole profiles alone.

    Raises ConfigError when nothing is there to be read, and for a filter that there is not.
    """
    source, _, query = address.partition("?")
    filters = parse_filters(query)
    path = SHIPPED / f"{source}.jsonl" if source in shipped_sets() else Path(source)
    if not path.exists():
        raise ConfigError(f"no profiles '{source}'{nearest(source, shipped_sets())}")
    found = Found()
    _sort(_every_entry(path), found)
    found.profiles = keep(found.profiles, filters)
    return found


def shipped_sets() -> list[str]:
    """The names of the sets that come with the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.jsonl"))


def unfinished(where: str, draft: Draft) -> Finding:
    """A draft, told to who needs a profile."""
    if not draft.lacks:
        says = f"'{draft.id}' is whole now: remove lacks, source and notes, and it is a profile"
        return Finding(where, "lacks", says)
    says = f"'{draft.id}' is a draft that lacks {', '.join(draft.lacks)}; "
    return Finding(where, "", f"{says}`emoharbor profiles build` completes it")


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    files = sorted(p for p in path.iterdir() if p.suffix in (".jsonl", ".yaml", ".yml"))
    if not files:
        raise ConfigError(f"{path}: no .jsonl, .yaml or .yml file in this folder")
    return files


def _every_entry(path: Path) -> Iterator[Entry | Finding]:
    for file in _files(path):
        yield from entries(file)


def _sort(stream: Iterable[Entry | Finding], found: Found) -> None:
    seen: set[str] = set()
    for entry in stream:
        one = [entry] if isinstance(entry, Finding) else _parse(entry)
        if isinstance(one, list):
            found.broken += one
        elif one.id in seen:
            found.broken.append(Finding(entry.where, "id", f"'{one.id}' stands there twice"))
        elif isinstance(one, Draft):
            found.drafts[entry.where] = one
            seen.add(one.id)
        else:
            found.profiles.append(one)
            seen.add(one.id)


def _parse(entry: Entry) -> Profile | Draft | list[Finding]:
    try:
        if not is_draft(entry.value):
            return Profile.model_validate(entry.value)
        lacks, faults = examine(entry.value)
        if not faults:
            return Draft.model_validate({**entry.value, "lacks": lacks})
    except ValidationError as error:
        faults = error.errors()
    return [Finding(entry.where, field_of(f) or "profile", f["msg"]) for f in faults]
