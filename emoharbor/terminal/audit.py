"""An audit as tables: every measure beside what people show, and the supporters one a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from emoharbor.audit.figures import NAMED, Figure, Measure
from emoharbor.audit.measures import defined
from emoharbor.audit.reference import Known, load_reference
from emoharbor.audit.report import LANGUAGES, Audit, Part
from emoharbor.profiles.entries import Finding

SIGNS = {"": "", "above people": " ▲", "below people": " ▼"}
SHOWN = 20
# What the table of supporters shows; the whole of it is in the file.
# Headings are broken here, so that all of them fit into 80 columns.
OF_SUPPORTERS = {
    "dialogues": "dia-\nlogues",
    "exchanges": "ex-\nchanges",
    "length.median": "length",
    "stage": "brackets",
    "thanks": "thanks",
    "likeness": "like-\nness",
    "supporter.again": "supporter again",
    "unanswered": "un-\nanswered",
}


def audit_view(found: Audit) -> RenderableType:
    """All of it for a reader."""
    parts: list[RenderableType] = []
    for part in found.parts:
        parts.append(_measures(part, found))
        if part.of("supporter"):
            parts.append(_supporters(part))
    parts += [Text(note, style="yellow") for note in found.notes]
    parts += left_out_view(found.left_out, "-o FILE.json names them all")
    return Group(*parts)


def left_out_view(left_out: Sequence[Finding], rest: str) -> Iterator[Text]:
    """What could not be read, by name; `rest` says where all are named."""
    if left_out:
        number = len(left_out)
        yield Text(f"Left out, being no dialogue that can be read: {number}", style="red")
    yield from (Text(f"  {one}", style="red") for one in left_out[:SHOWN])
    if len(left_out) > SHOWN:
        yield Text(f"  and {len(left_out) - SHOWN} more: {rest}", style="red")


def _measures(part: Part, found: Audit) -> Table:
    groups = [*part.of("all"), *part.of("arm"), *part.of("against")]
    title = f"{found.where}: dialogues in {LANGUAGES[part.language]}"
    title += f"\nagainst: {found.against}" if part.of("against") else ""
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("measure", overflow="fold", ratio=1)
    for name in [*("against" if g.kind == "against" else g.name for g in groups), "people"]:
        table.add_column(Text(name), justify="right", overflow="fold")
    for section, measures in part.sections.items():
        table.add_section()
        table.add_row(Text(section, style="bold"))
        for one in measures:
            cells = [
                Text(_cell(one, g.figures[one.key]) + SIGNS[part.mark(one, g)]) for g in groups
            ]
            label = _label(one, part, groups[0].figures[one.key])
            table.add_row(label, *cells, _people(one, part.people(one)))
    table.caption = Text(_legend(part))
    table.caption_justify = "left"
    return table


def _label(measure: Measure, part: Part, figure: Figure) -> Text:
    """What is measured, and what was found in all dialogues."""
    over, says = (defined(text, part.language) for text in (measure.over, measure.says))
    more = [figure.detail] if figure.detail else []
    if figure.names:
        rest = len(figure.names) - NAMED
        shown = ", ".join(figure.names[:NAMED])
        more.append(f"in {shown}{f' and {rest} more' if rest > 0 else ''}")
    return Text.assemble(f"{over}: {says}", *((f"\n  {line}", "dim") for line in more))


def _cell(measure: Measure, figure: Figure) -> str:
    if figure.value is None:
        return "none"
    if measure.key == "dialogues":
        return str(figure.n)
    if measure.kind == "share":
        return f"{100 * figure.value:.1f} % ({figure.hits}/{figure.n})"
    return f"{_number(figure.value)} (n {figure.n})"


def _number(value: float) -> str:
    """Likenesses are small, lengths are not."""
    return f"{value:.4f}" if 0 < value < 1 else f"{value:.4g}"


def _people(measure: Measure, others: list[Known]) -> str:
    values = sorted(one.value for one in others if one.kind == "people")
    if measure.kind == "share":
        shown = [f"{100 * value:.0f}" for value in values]
        return f"{' to '.join(dict.fromkeys((shown[0], shown[-1])))} %" if shown else ""
    shown = [f"{value:g}" for value in values]
    return " to ".join(dict.fromkeys((shown[0], shown[-1]))) if shown else ""


def _legend(part: Part) -> str:
    """Whose figures stand under "people", and what the signs mean."""
    each = [one for ms in part.sections.values() for m in ms for one in part.people(m)]
    names = {one.source for one in each if one.kind == "people"}
    sources = load_reference().sources.items()
    said = [f"people, {name}: {source.from_}" for name, source in sources if name in names]
    signs = "▲ ▼: more or less than any of these people show (docs/audit.md says when it is marked)"
    return "\n".join([*said, signs])


def _supporters(part: Part) -> Table:
    table = Table(title="By supporter", title_justify="left", box=SIMPLE, padding=0)
    table.add_column("supporter", overflow="fold")
    for column in OF_SUPPORTERS.values():
        table.add_column(column, justify="right")
    measures = {m.key: m for section in part.sections.values() for m in section}
    for group in part.of("supporter"):
        cells = [_short(measures[key], group.figures[key]) for key in OF_SUPPORTERS]
        table.add_row(Text(group.name), *cells)
    return table


def _short(measure: Measure, figure: Figure) -> str:
    if figure.value is None:
        return "none"
    if measure.key == "dialogues":
        return str(figure.n)
    if measure.kind == "share":
        return f"{100 * figure.value:.1f} %"
    return _number(figure.value)
