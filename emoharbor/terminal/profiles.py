"""People on the screen: one line each, one of them whole, counts, and what a check found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from emoharbor.profiles.checks import LENGTHS, UNITS, Report
from emoharbor.profiles.counts import OF, big_five, count
from emoharbor.profiles.drafts import Draft
from emoharbor.profiles.texts import PARTS, length
from emoharbor.state.profile import BigFive, Profile

LONGEST = 16


def people_table(profiles: Sequence[Profile]) -> Table:
    """One line a person."""
    table = Table()
    for column in ("id", "age", "occupation", "MBTI", "topic", "emotion", "goal", "marks"):
        table.add_column(column, overflow="fold", no_wrap=column != "occupation")
    for p in profiles:
        age, occupation = str(p.demographics.age), Text(p.demographics.occupation)
        c = p.counselling
        labels = (p.preferences.mbti, Text(c.topic), Text(c.emotion), c.goal)
        table.add_row(p.id, age, occupation, *labels, ", ".join(marks(p)))
    return table


def marks(profile: Profile) -> list[str]:
    """What is to be known before one picks this person."""
    minor, hard = ["minor"] * profile.minor, ["hard"] * profile.hard
    return [*minor, *profile.risk, *hard]


def person_view(profile: Profile) -> RenderableType:
    """The whole person, part by part."""
    head = Text(f"{profile.id}  ({profile.language})", style="bold")
    if marks(profile):
        head.append(f"  {', '.join(marks(profile))}", style="yellow")
    parts = Table.grid(padding=(0, 2))
    parts.add_column(style="cyan", no_wrap=True)
    parts.add_column(overflow="fold")
    for part in PARTS:
        parts.add_row(Text(f"\n{part.capitalize()}", style="bold"))
        for name, value in getattr(profile, part):
            parts.add_row(name.replace("_", " "), Text("\n".join(_lines(value))))
    return Group(head, parts)


def counts_view(profiles: Sequence[Profile]) -> RenderableType:
    """How many people there are of each kind, a small table each."""
    tables = [_count_table(kind, count(profiles, kind)) for kind in OF]
    traits = Table("", *(Column(str(level), justify="right") for level in range(1, 6)))
    for trait, levels in big_five(profiles).items():
        traits.add_row(trait, *map(str, levels))
    return Columns([*tables, Group(Text("Big Five, by level"), traits)], padding=(1, 3))


def report_view(report: Report) -> RenderableType:
    """What a check found: coverage, the nearest two, and every finding on a line of its own."""
    parts: list[RenderableType] = []
    if report.profiles:
        parts += [_coverage_table(report), *_measures(report)]
    parts += [Text(str(finding), style="red") for finding in report.findings]
    number = len(report.findings)
    verdict = f"{number} finding{'s' * (number != 1)}" if number else "nothing to mend"
    checked = f"{len(report.profiles)} profiles checked"
    parts.append(Text(f"{report.address}: {checked}, {verdict}", style="bold"))
    return Group(*parts)


def drafts_table(drafts: Sequence[Draft]) -> Table:
    """What the drafts lack, and how many of them."""
    table = Table()
    table.add_column("lacking")
    table.add_column("drafts", justify="right")
    for field, number in Counter(field for draft in drafts for field in draft.lacks).items():
        table.add_row(field, str(number))
    return table


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, BigFive):
        yield ", ".join(f"{trait} {level}" for trait, level in value)
    elif isinstance(value, dict):
        yield from (f"{key}: {text}" for key, text in value.items())
    elif isinstance(value, tuple):
        yield from map(str, value)
    else:
        yield str(value)


def _count_table(kind: str, counted: dict[str, int]) -> RenderableType:
    shown = dict(list(counted.items())[:LONGEST])
    table = Table("", Column("people", justify="right"))
    for label, people in shown.items():
        table.add_row(Text(label), str(people))
    if len(shown) == len(counted):
        return Group(Text(kind), table)
    rest = sum(counted.values()) - sum(shown.values())
    table.add_row(f"{len(counted) - len(shown)} others", str(rest))
    return Group(Text(f"{kind}: {len(counted)} different"), table)


def _coverage_table(report: Report) -> Table:
    title = "Coverage" if report.covered else "Coverage, beside what a shipped set must have"
    table = Table(title=title, title_justify="left")
    for column in ("of", "wanted", "found", "lacks"):
        table.add_column(column, overflow="fold")
    for row in report.coverage:
        table.add_row(
            row.what,
            row.wanted,
            row.found,
            Text(row.lacks or "nothing", style="red" if row.lacks else ""),
        )
    return table


def _measures(report: Report) -> Iterator[Text]:
    for language in sorted({p.language for p in report.profiles}):
        sizes = [length(p) for p in report.profiles if p.language == language]
        found = f"{min(sizes)} to {max(sizes)} {UNITS[language]} a person"
        least, most = LENGTHS[language]
        yield Text(f"length ({language}): {found}; {least} to {most} are wanted")
    if report.nearest:
        two = f"{report.nearest.first} and {report.nearest.second}"
        yield Text(f"most similar: {two}, {report.nearest.similarity:.3f}")
