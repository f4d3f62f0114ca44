"""One dialogue, line by line, with what went on inside the user and what they made of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from emoharbor.state.dialogue import Appraisal, Emotion, Message
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Ending, Score, Verdict
from emoharbor.terminal.tables import ENDINGS, how_ended, name_of

STYLES = {"supporter": "cyan", "user": "bold"}


def dialogue_view(record: DialogueRecord) -> RenderableType:
    """The whole record for a reader."""
    head = Text(f"{name_of(record)}  ({record.thread})", style="bold")
    parts: list[RenderableType] = [head, *item_lines(record.h_u)]
    if record.ending:
        parts.append(ending_line(record.ending))
    if record.failure:
        parts.append(Text(f"{how_ended(record)}: {record.failure.message}", style="red"))
    if record.imported:
        parts.append(Text(f"imported from {record.imported.where}", "dim"))
    if record.verdict:
        parts.append(verdict_table(record.verdict))
    return Group(*parts)


def item_lines(h_u: Iterable[Message | Appraisal | Emotion]) -> Iterator[RenderableType]:
    """H_u in order: messages numbered as the judge saw them, inner states set in."""
    number = 0
    for item in h_u:
        number += isinstance(item, Message)
        yield item_line(item, number)


def item_line(item: Message | Appraisal | Emotion, number: int) -> RenderableType:
    """One message or one inner state."""
    if isinstance(item, Message):
        style = STYLES[item.role]
        return Text.assemble((f"[{number}] {item.role}: ", f"dim {style}"), (item.text, style))
    if isinstance(item, Emotion):
        because = f"\nbecause {item.transition_reason}" if item.transition_reason else ""
        drawn = " (a deterioration was drawn)" if item.deteriorated else ""
        felt = f"feels {item.label}{drawn}: {item.description}{because}"
        return Padding(Text(felt, style="dim italic"), (0, 6))
    strength = f" ({item.intensity}/5)" if item.intensity else ""
    lines = (f"thinks {item.cognition}", f"feels {item.emotion}{strength}", f"wants {item.goals}")
    leaning = () if item.leaning == "stay" else (f"{item.leaning}: {item.why}",)
    return Padding(Text("\n".join((*lines, *leaning)), style="dim italic"), (0, 6))


def ending_line(ending: Ending) -> Text:
    """Why and when it ended."""
    because = f" ({ending.because})" if ending.because else ""
    return Text(f"ended in exchange {ending.turn}: {ENDINGS[ending.reason]}{because}", "yellow")


def verdict_table(verdict: Verdict) -> Table:
    """Every dimension: the mark, its evidence and reason; or why there is no mark."""
    title = f"Verdict ({verdict.rubric}, {verdict.strategy})"
    table = Table(title=title, title_justify="left")
    table.add_column("dimension")
    table.add_column("mark", justify="right")
    table.add_column("messages")
    table.add_column("reason", overflow="fold")
    for key, mark in verdict.scores.items():
        if isinstance(mark, Score):
            evidence = ", ".join(map(str, mark.evidence))
            table.add_row(key, str(mark.value), evidence, Text(mark.reason))
        else:
            table.add_row(key, "none", "", Text(f"unscored: {mark.cause}", style="red"))
    for flag in verdict.flags:
        table.add_row("flag", "", str(flag.message), Text(f"{flag.cause}: {flag.text}", "red"))
    return table


def call_view(entry: dict[str, Any]) -> RenderableType:
    """One journal entry: the request as it was sent, and the raw reply."""
    kind = "failed call" if entry["kind"] == "error" else "call"
    where = f"{kind} at step {entry['step']}, {entry['node']}, attempt {entry['attempt']}"
    parts: list[RenderableType] = [Text(f"== {where}: {entry['model_asked']}", style="bold")]
    for message in entry["messages"]:
        parts += [Text(f"-- {message['role']}", style="cyan"), Text(message["content"])]
    parts.append(Text("-- reply", style="green"))
    if entry.get("reasoning"):
        parts.append(Text(entry["reasoning"], style="dim"))
    parts.append(Text(entry.get("raw") or entry.get("error") or ""))
    return Group(*parts)
