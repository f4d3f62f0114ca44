"""Two runs, two judges or two strategies side by side, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from emoharbor.errors import ConfigError, nearest
from emoharbor.reports.comparison_arms import arms_sheet
from emoharbor.reports.comparison_courses import endings_sheet, feelings_sheet
from emoharbor.reports.comparison_differences import differences_sheet, length_sheet, named
from emoharbor.reports.comparison_sides import Side, chosen
from emoharbor.sheets import Sheet
from emoharbor.stats.paired import matched


def comparison(
    first: Side,
    second: Side,
    pairs: Mapping[str, str],
    *,
    dimensions: Sequence[str] = (),
    seed: int = 0,
) -> list[Sheet]:
    """The tables of `second` beside `first`; `pairs` says which supporters are compared.

    Without `pairs` those of one name are, or the only two there are; without `dimensions` all that
    both sides have. The table of supporters by dimensions is there when supporters are compared
    with themselves, what concerns marks when both sides have any, and what concerns the dialogues
    when the sides are not two judges of the same ones. Raises ConfigError for a supporter or a
    dimension that is not there, and when nobody was met on both sides.
    """
    pairs = _known(first, second, pairs) if pairs else matched(first.supporters, second.supporters)
    keys = chosen(first, second, dimensions)
    told = [*_people(first, second, pairs), *_judges(first, second, keys)]
    sides = ((first, list(pairs)), (second, list(pairs.values())))
    another = any(a != b for a, b in pairs.items())
    another = another or not first.dialogues.equals(second.dialogues)
    sheets = []
    if keys and all(a == b for a, b in pairs.items()):
        sheets += [arms_sheet(first, second, list(pairs), keys)]
    if keys:
        sheets += [differences_sheet(first, second, pairs, keys)]
    sheets += [endings_sheet(sides, keys, seed)]
    if another:
        sheets += [length_sheet(first, second, pairs, keys)] if keys else []
        sheets += [feelings_sheet(sides, seed)]
    return [replace(sheets[0], notes=(*told, *sheets[0].notes)), *sheets[1:]]


def _known(first: Side, second: Side, pairs: Mapping[str, str]) -> Mapping[str, str]:
    for its, names in ((first, pairs.keys()), (second, pairs.values())):
        for name in names:
            if name not in its.supporters:
                raise ConfigError(
                    f"--pair: {its.name} has no supporter '{name}'{nearest(name, its.supporters)}"
                )
    return pairs


def _people(first: Side, second: Side, pairs: Mapping[str, str]) -> Iterator[str]:
    """A line for each different count of people, with the supporters of which it is true."""
    lines: dict[str, list[str]] = {}
    met = 0
    for a, b in pairs.items():
        mine, others = first.people(a), second.people(b)
        both = mine & others
        judged = first.judged_people(a) & second.judged_people(b)
        met += len(both)
        told = f"{len(both)} pairs"
        told += f", {lacking} of them without a verdict" if (lacking := len(both - judged)) else ""
        told += f", {alone} people without a partner" if (alone := len(mine ^ others)) else ""
        lines.setdefault(told, []).append(named(a, b))
    if not met:
        raise ConfigError(
            f"nobody was met on both sides: no person of {', '.join(pairs)} in {first.name} is one "
            f"of {', '.join(pairs.values())} in {second.name}"
        )
    yield from (f"{', '.join(names)}: {told}" for told, names in lines.items())
    yield "a pair is a person on both sides; their mark is the mean over repeats"


def _judges(first: Side, second: Side, keys: Sequence[str]) -> Iterator[str]:
    if first.scores.empty and second.scores.empty:
        yield "there is no verdict on either side, so nothing is said of marks"
    elif first.judges == second.judges:
        yield f"judged on both sides by {first.judges}"
    else:
        yield f"judged by {first.judges} in {first.name}, by {second.judges} in {second.name}"
        if not first.scores.empty and not second.scores.empty:
            yield "the judges differ, so a difference may be theirs"
    alone = sorted({*first.dimensions, *second.dimensions} - set(keys))
    if keys and alone:
        yield f"left out, as not on both sides or not asked for: {', '.join(alone)}"
