"""Which dialogues of which arm are taken, and which people are kept for validation."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from emoharbor.errors import ConfigError
from emoharbor.training.data.asked import ARMS, RecipeName
from emoharbor.training.data.dialogue import Arm, Dialogue


def refuse_other_suites(dialogues: Iterable[Dialogue], recipe: RecipeName) -> None:
    """A recipe mixes arms: a run of another suite belongs to none. Raises ConfigError."""
    for one in dialogues:
        if one.arm is None:
            raise ConfigError(
                f"{one.run} is of suite '{one.record.suite}', which is no arm: --recipe {recipe} "
                "takes runs of average_case and worst_case (and of suites whose name begins so); "
                "leave --recipe out to take every dialogue"
            )


def drawn(
    dialogues: Sequence[Dialogue], recipe: RecipeName | None, counts: Mapping[str, int], seed: int
) -> list[Dialogue]:
    """The dialogues of a recipe, balanced by profile, in the order in which they were given.

    Without counts all are taken, of a mix as many of each arm as the smaller one has. Raises
    ConfigError when fewer are there than are asked for.
    """
    if recipe is None:
        parts = {"all": list(dialogues)}
    else:
        parts = {arm: [one for one in dialogues if one.arm == arm] for arm in ARMS[recipe]}
    wanted = _numbers(parts, counts)
    taken: set[int] = set()
    for name, part in parts.items():
        if wanted[name] > len(part):
            where = "" if recipe is None else f" in the {name} case"
            raise ConfigError(
                f"--count: {wanted[name]} dialogues are wanted{where}, {len(part)} are left"
            )
        taken |= {id(one) for one in _in_rounds(part, seed)[: wanted[name]]}
    return [one for one in dialogues if id(one) in taken]


def _numbers(parts: Mapping[str, list[Dialogue]], counts: Mapping[str, int]) -> dict[str, int]:
    """How many of each part; of an odd number for two, the first gets the one more."""
    if "all" not in counts and counts:
        return dict(counts)
    if counts:
        whole, more = divmod(counts["all"], len(parts))
        return {name: whole + (n < more) for n, name in enumerate(parts)}
    return dict.fromkeys(parts, min(map(len, parts.values())))


def _in_rounds(dialogues: Iterable[Dialogue], seed: int) -> list[Dialogue]:
    """In each round one dialogue of every person who has one left; people in the same order."""
    of: dict[str, list[Dialogue]] = defaultdict(list)
    for one in sorted(dialogues, key=lambda one: _lot(seed, one.record.suite, one.record.thread)):
        of[one.record.profile].append(one)
    people = sorted(of, key=lambda profile: _lot(seed, profile))
    rounds = range(max(map(len, of.values()), default=0))
    return [of[p][n] for n in rounds for p in people if n < len(of[p])]


def split(dialogues: Sequence[Dialogue], validation: float, seed: int) -> dict[str, list[Dialogue]]:
    """Train and validation, where there is one: no person stands in both.

    Somebody drawn for validation is drawn again when other people join. Raises ConfigError when
    nobody would be left on one side.
    """
    if not validation:
        return {"train": list(dialogues)}
    people = sorted({one.record.profile for one in dialogues}, key=lambda p: _lot(seed, "split", p))
    kept = max(1, round(validation * len(people)))
    if kept >= len(people):
        raise ConfigError(
            f"--validation {validation:g}: of {len(people)} profile{'s'[: len(people) != 1]} "
            "nobody would be left for training; take more people, or --validation 0"
        )
    aside = set(people[:kept])
    return {
        "train": [one for one in dialogues if one.record.profile not in aside],
        "validation": [one for one in dialogues if one.record.profile in aside],
    }


def arms_of(dialogues: Iterable[Dialogue]) -> dict[Arm, int]:
    """Dialogues of each arm."""
    counted: dict[Arm, int] = {}
    for one in dialogues:
        if one.arm:
            counted[one.arm] = counted.get(one.arm, 0) + 1
    return counted


def _lot(seed: int, *names: str) -> bytes:
    """The same for a name whoever else takes part, so that one person more moves nobody else."""
    return hashlib.blake2b("\0".join([str(seed), *names]).encode(), digest_size=8).digest()
