"""The model card: what was trained on what, how it went, and what it is not for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_LIMITS = """## Limits

- **Not for clinical use.** It is no therapist and no crisis service. It was made for research
  into how support is given.
- It learnt from dialogues with simulated people. What real people need may be something else.
- It can say what is wrong, harmful or made up, and it does not reliably notice danger. Do not put
  it before people in distress without somebody who watches and can step in.
- What the base model gets wrong, it may get wrong too; nothing here makes it safer than the base.
- Whether it is better than its base is a matter of measurement: compare the two with people whose
  profiles were not in the training data.
"""


def model_card(plan: Mapping[str, Any], name: str) -> str:
    """The README.md of an adapter, from what training.json holds when the training is over."""
    config, data, result = plan["config"], plan["data"], plan["result"]
    head = {
        "base_model": config["base"],
        "library_name": "peft",
        "pipeline_tag": "text-generation",
        "tags": ["lora", "trl", "sft", "emotional-support", "emoharbor"],
    }
    front = "".join(f"{key}: {json.dumps(value)}\n" for key, value in head.items())
    return "\n".join(
        [
            f"---\n{front}---\n",
            f"# {name}\n",
            f"A LoRA adapter on `{config['base']}` that answers as an emotional supporter, trained "
            "with EmoHarbor on the supporter's lines alone.\n",
            "## Data\n",
            _table({"SHA-256": f"`{data['sha256']}`", **_sets(result["data"])}),
            "## Training\n",
            _table({**config, "steps": result["steps"], **_losses(result["losses"])}),
            "![loss](loss.png)\n",
            "Loss is the mean over the supporter's tokens, in nats. Every step is in "
            "metrics.jsonl, everything above in training.json.\n",
            _table(
                {
                    "seconds since it was last started": result["seconds"],
                    "device": result["device"],
                    **plan["versions"],
                }
            ),
            _LIMITS,
        ]
    )


def _sets(data: Mapping[str, Mapping[str, int]]) -> dict[str, str]:
    return {name: _in_words(counts) for name, counts in data.items()}


def _in_words(counts: Mapping[str, int]) -> str:
    said = (
        f"{counts['dialogues']} dialogues, {counts['tokens']:,} tokens, "
        f"{counts['learnt_tokens']:,} of them the supporter's"
    )
    if counts["cut"]:
        said += f"; {counts['cut']} were shortened, by {counts['tokens_cut']:,} tokens in all"
    if counts["left_out"]:
        said += f"; {counts['left_out']} were too long and left out"
    return said


def _losses(found: Mapping[str, float]) -> dict[str, str]:
    words = {
        "first": "loss, first steps",
        "last": "loss, last steps",
        "validation": "loss, validation",
    }
    return {words[key]: f"{value:.4f}" for key, value in found.items()}


def _table(rows: Mapping[str, object]) -> str:
    lines = [f"| {key} | {value} |" for key, value in rows.items()]
    return "\n".join(["| | |", "| --- | --- |", *lines, ""])
