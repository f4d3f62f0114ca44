"""From runs to training data: read, filtered, checked, drawn, split, written, with a data card."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import CheckpointError, ConfigError
from emoharbor.training.data.asked import ARMS, Asked
from emoharbor.training.data.card import card_of, overlap_of
from emoharbor.training.data.card_text import markdown
from emoharbor.training.data.drawing import drawn, refuse_other_suites, split
from emoharbor.training.data.formats import FORMATS
from emoharbor.training.data.leaks import Overlap, overlaps
from emoharbor.training.data.people import doubts, people_of, people_of_run, profiles_of_run
from emoharbor.training.data.reading import TrainingRun, read_run
from emoharbor.training.data.selecting import Funnel, wanted_ones

CARD_FILE, CARD_TEXT = "data_card.json", "DATA_CARD.md"
SPLITS = ("train", "validation")
SHOWN = 12


@dataclass(frozen=True)
class Exported:
    """What was written: the files, the data card last, and what the card says."""

    files: tuple[Path, ...]
    card: Mapping[str, Any]


async def export(
    folders: Sequence[Path],
    asked: Asked,
    out: Path,
    against: Sequence[str] = (),
    store: str | None = None,
    *,
    again: bool = False,
    dropped: Sequence[Overlap] = (),
) -> Exported:
    """Writes the training data of some runs into `out`.

    `against` are the people of an evaluation: profiles, or runs by their folder; `dropped` say who
    was left out of the runs for their sake. `again` replaces what an earlier export wrote. Raises
    ConfigError when nothing is left to write, when people overlap and are not to be dropped, and
    for an `out` that holds data already.
    """
    if not again:
        refuse_full(out)
    runs = [await read_run(folder, store) for folder in dict.fromkeys(folders)]
    dialogues = [one for run in runs for one in run.dialogues()]
    if asked.recipe:
        refuse_other_suites(dialogues, asked.recipe)
    risky = asked.wanted.risk
    funnel = wanted_ones(
        dialogues, asked.wanted, {r.where: profiles_of_run(r) for r in runs} if risky else {}
    )
    overlap = await _checked(runs, funnel, asked, against, dropped)
    _draw(funnel, asked)
    splits = split(funnel.left, asked.validation, asked.seed)
    form = FORMATS[asked.form]
    files = {
        f"{name}{form.ending}": form.text(part, asked.inner_states).encode("utf-8", "replace")
        for name, part in splits.items()
    }
    card = card_of(asked, splits, funnel.removed, overlap, files)
    return Exported(_written(out, files, card), card)


def refuse_full(out: Path) -> None:
    """Raises ConfigError where a file would be written over."""
    names = (*(f"{name}{f.ending}" for name in SPLITS for f in FORMATS.values()), CARD_FILE)
    if there := [name for name in (*names, CARD_TEXT) if (out / name).exists()]:
        raise ConfigError(f"{out} holds {there[0]} already; name another folder with -o")


async def _checked(
    runs: Sequence[TrainingRun],
    funnel: Funnel,
    asked: Asked,
    against: Sequence[str],
    before: Sequence[Overlap],
) -> dict[str, Any]:
    """Leaves out the people of the evaluation, or refuses them."""
    if not against:
        return overlap_of((), 0, (), ())
    there = await people_of(against)
    found: list[Overlap] = []
    notes: list[str] = []
    out: set[tuple[str, str]] = set()
    for run in runs:
        left = {one.record.profile for one in funnel.left if one.run == run.where}
        here = {name: person for name, person in people_of_run(run).items() if name in left}
        pairs = overlaps([*here.values()], there)
        found += pairs
        notes += doubts(run, here)
        out |= {(run.where, pair.first) for pair in pairs}
    found = list(dict.fromkeys(found))
    refuse(found, asked.drop_overlap, against)
    step = f"people of {', '.join(against)}"
    funnel.keep(step, lambda one: (one.run, one.record.profile) not in out)
    return overlap_of(against, len(there), dict.fromkeys((*before, *found)), notes)


def refuse(found: Sequence[Overlap], drop: bool, against: Sequence[str]) -> None:
    """Raises ConfigError that names the pairs, unless they are to be left out."""
    if not found or drop:
        return
    shown = "".join(f"\n  {pair}" for pair in found[:SHOWN])
    more = f"\n  and {len(found) - SHOWN} pairs more" if len(found) > SHOWN else ""
    raise ConfigError(
        f"{len({pair.first for pair in found})} people of the training data are in "
        f"{', '.join(against)} too:{shown}{more}\n"
        "A supporter must not be measured with people on whom it was trained: take others, or "
        "leave these out with --drop-overlap."
    )


def _draw(funnel: Funnel, asked: Asked) -> None:
    if asked.recipe:
        arms = ARMS[asked.recipe]
        funnel.keep("another arm", lambda one: one.arm in arms)
    if not funnel.left:
        raise ConfigError(f"no dialogue is left. Left out: {funnel.said}")
    taken = {id(one) for one in drawn(funnel.left, asked.recipe, asked.counts, asked.seed)}
    funnel.keep("not drawn", lambda one: id(one) in taken)
    if not funnel.left:
        raise ConfigError(
            f"--recipe {asked.recipe}: one arm has no dialogue. Left out: {funnel.said}"
        )


def _written(out: Path, files: Mapping[str, bytes], card: Mapping[str, Any]) -> tuple[Path, ...]:
    """Each file is replaced as a whole; the card stands last, for data without it is not whole."""
    text = json.dumps(card, ensure_ascii=False, indent=2) + "\n"
    whole = {**files, CARD_TEXT: markdown(card).encode(), CARD_FILE: text.encode()}
    try:
        out.mkdir(parents=True, exist_ok=True)
        _clear(out)
        for name, data in whole.items():
            part = out / f"{name}.part"
            part.write_bytes(data)
            os.replace(part, out / name)
    except OSError as error:
        raise CheckpointError(f"cannot write {out}: {error.strerror}") from error
    return tuple(out / name for name in whole)


def _clear(out: Path) -> None:
    """Takes away what an earlier export wrote, and only that; its card says what it was."""
    card = out / CARD_FILE
    if card.exists():
        earlier = json.loads(card.read_text(encoding="utf-8"))
        card.unlink()
        for name in earlier["files"]:
            (out / Path(name).name).unlink(missing_ok=True)
