"""A dialogue's checkpoints for a reader: what each step changed, or one state whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic import BaseModel
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.pretty import Pretty
from rich.text import Text

from emoharbor.runs.history import MEMORIES, Change, Step
from emoharbor.state.dialogue import Appraisal, Emotion, Message
from emoharbor.terminal.dialogues import item_line


def steps_view(thread: str, steps: Sequence[Step], first_call: int = 1) -> RenderableType:
    """Every step with its changes as a diff, and its calls numbered as `--call` wants them."""
    lines: list[RenderableType] = [Text(thread, style="bold")]
    number = first_call
    for step in steps:
        lines += [_head(step), *_diff(step)]
        for call in step.calls:
            lines.append(Padding(_call(call, number), (0, 4)))
            number += 1
        if step.error:
            lines.append(
                Padding(Text(f"! {step.next[0]} stayed open: {step.error}", "red"), (0, 4))
            )
    return Group(*lines)


def state_view(step: Step) -> RenderableType:
    """The state after one step, whole: both memories and every other channel."""
    lines: list[RenderableType] = [_head(step)]
    for memory in MEMORIES:
        items = step.values.get(memory, ())
        lines.append(Text(f"{memory} ({len(items)})", style="bold cyan"))
        lines += [Padding(line, (0, 2)) for line in numbered(items)]
    for channel, value in step.values.items():
        if channel not in MEMORIES:
            lines.append(Text(channel, style="bold cyan"))
            lines.append(Padding(_whole(value), (0, 2)))
    return Group(*lines)


def numbered(items: Iterable[Any]) -> Iterator[RenderableType]:
    """A memory's items, messages with their numbers."""
    number = 0
    for item in items:
        number += isinstance(item, Message)
        yield item_line(item, number)


def _head(step: Step) -> Text:
    made = step.node or "begin"
    after = f"next {step.next[0]}" if step.next else "over"
    text = Text.assemble((f"step {step.number}: {made}", "bold"), (f"  -> {after}", "dim"))
    if step.calls:
        text.append(f"  {len(step.calls)} calls, {step.seconds:.2f} s", style="dim")
    return text


def _diff(step: Step) -> Iterator[RenderableType]:
    observed = {c.channel: c.appended for c in step.changes}.get("h_s")
    for change in step.changes:
        # What is said goes into both memories and is shown once.
        if change.channel == "h_u" and observed and change.appended == observed:
            continue
        for line in _lines(change):
            style = {"+": "green", "-": "red"}[line[0]]
            yield Padding(Text(line, style=style), (0, 4))


def _lines(change: Change) -> Iterator[str]:
    if change.appended:
        where = "h_s, h_u" if change.channel == "h_s" else change.channel
        yield from (f"+ {where}: {_short(item)}" for item in change.appended)
        return
    if change.before is not None:
        yield f"- {change.channel}: {_short(change.before)}"
    if change.after is not None:
        yield f"+ {change.channel}: {_short(change.after)}"


def _short(value: Any) -> str:
    if isinstance(value, Message):
        return f"{value.role}: {value.text}"
    if isinstance(value, Appraisal | Emotion | BaseModel):
        told = value.model_dump(exclude_defaults=True, exclude={"kind", "scores"})
        return ", ".join(f"{key}={item!r}" for key, item in told.items())
    return str(value)


def _call(call: dict[str, Any], number: int) -> Text:
    usage = call.get("usage") or {}
    tokens = f"{usage.get('input_tokens')} -> {usage.get('output_tokens')} tokens"
    what = f"failed: {call.get('error')}" if call["kind"] == "error" else tokens
    return Text(f"call {number}: {call['node']}, attempt {call['attempt']}, {what}", style="dim")


def _whole(value: Any) -> RenderableType:
    return Pretty(value.model_dump(mode="json") if isinstance(value, BaseModel) else value)
