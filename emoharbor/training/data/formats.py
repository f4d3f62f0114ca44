"""The formats of training data: what a dialogue looks like in each, and where its loss belongs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from emoharbor.training.data.dialogue import Dialogue

FormatName = Literal["chat", "sharegpt", "alpaca", "hf"]
Row = dict[str, Any]
SPEAKERS = {"system": "system", "user": "human", "assistant": "gpt"}


@dataclass(frozen=True)
class Format:
    """`row` makes a dialogue's entry, with inner states or without.

    `ending` is that of its files: of .jsonl an entry a line, of .json one list. `loss` says in
    words what a trainer should learn from.
    """

    row: Callable[[Dialogue, bool], Row]
    ending: Literal[".jsonl", ".json"]
    loss: str

    def text(self, dialogues: Iterable[Dialogue], inner: bool) -> str:
        """The file of these dialogues."""
        rows = [json.dumps(self.row(one, inner), ensure_ascii=False) for one in dialogues]
        if self.ending == ".jsonl":
            return "".join(f"{row}\n" for row in rows)
        return "[\n" + ",\n".join(rows) + "\n]\n"


def _messages(dialogue: Dialogue) -> list[Row]:
    system = [{"role": "system", "content": dialogue.system}] if dialogue.system else []
    return [*system, *(dict(message) for message in dialogue.messages)]


def _metadata(dialogue: Dialogue, inner: bool) -> Row:
    states = [
        {"user_line": one.line, **one.state.model_dump(mode="json")} for one in dialogue.inner
    ]
    return {**dialogue.about, **({"inner_states": states} if inner else {})}


def _chat(dialogue: Dialogue, inner: bool) -> Row:
    return {"messages": _messages(dialogue), "metadata": _metadata(dialogue, inner)}


def _sharegpt(dialogue: Dialogue, inner: bool) -> Row:
    lines = [{"from": SPEAKERS[m["role"]], "value": m["content"]} for m in _messages(dialogue)]
    return {"conversations": lines, "metadata": _metadata(dialogue, inner)}


def _alpaca(dialogue: Dialogue, inner: bool) -> Row:
    said = [message["content"] for message in dialogue.messages]
    *history, (instruction, output) = zip(said[::2], said[1::2], strict=True)
    return {
        "instruction": instruction,
        "input": "",
        "output": output,
        "system": dialogue.system or "",
        "history": [list(pair) for pair in history],
        "metadata": _metadata(dialogue, inner),
    }


def _hf(dialogue: Dialogue, inner: bool) -> Row:
    """Plain columns, and inner states as JSON: Arrow wants one type a column in every row."""
    states = [
        {"user_line": one.line, "state": one.state.model_dump_json()} for one in dialogue.inner
    ]
    more = {"inner_states": states} if inner else {}
    return {"messages": _messages(dialogue), **dialogue.about, **more}


FORMATS: dict[FormatName, Format] = {
    "chat": Format(_chat, ".jsonl", "messages of role assistant"),
    "sharegpt": Format(_sharegpt, ".json", "lines of gpt"),
    "alpaca": Format(
        _alpaca,
        ".json",
        "output, and the second text of each pair in history (LLaMA-Factory learns both unless "
        "mask_history is set; a trainer that knows no history learns the last reply alone)",
    ),
    "hf": Format(
        _hf,
        ".jsonl",
        "messages of role assistant (TRL: assistant_only_loss=True, with a chat template that "
        "marks them)",
    ),
}
