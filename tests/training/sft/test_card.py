from __future__ import annotations

import yaml

from emoharbor.training.sft.card import model_card

COUNTS = {
    "dialogues": 48,
    "tokens": 12345,
    "learnt_tokens": 4321,
    "cut": 2,
    "left_out": 1,
    "tokens_cut": 77,
    "longest": 900,
}
PLAN = {
    "config": {"base": "org/model: a", "learning_rate": 2e-4, "rank": 16},
    "data": {"sha256": "abc123"},
    "versions": {"trl": "1.16.0"},
    "result": {
        "steps": 13,
        "losses": {"first": 2.6, "last": 1.9, "validation": 2.0},
        "data": {"train": COUNTS, "validation": {**COUNTS, "cut": 0, "left_out": 0}},
        "seconds": 60.5,
        "device": "cpu, float32",
    },
}


def test_the_card_tells_what_was_done_and_what_it_is_not_for() -> None:
    card = model_card(PLAN, "mix")
    for words in (
        "# mix",
        "| SHA-256 | `abc123` |",
        "| train | 48 dialogues, 12,345 tokens, 4,321 of them the supporter's; 2 were shortened, "
        "by 77 tokens in all; 1 were too long and left out |",
        "| validation | 48 dialogues, 12,345 tokens, 4,321 of them the supporter's |",
        "| learning_rate | 0.0002 |",
        "| steps | 13 |",
        "| loss, first steps | 2.6000 |",
        "| loss, validation | 2.0000 |",
        "| trl | 1.16.0 |",
        "Not for clinical use",
    ):
        assert words in card


def test_the_head_is_yaml() -> None:
    _, head, _ = model_card(PLAN, "mix").split("---\n", 2)
    values = yaml.safe_load(head)
    assert values["base_model"] == "org/model: a" and values["library_name"] == "peft"
