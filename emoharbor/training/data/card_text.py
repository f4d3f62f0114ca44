"""The data card for people: the same as data_card.json, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def markdown(card: Mapping[str, Any]) -> str:
    """DATA_CARD.md."""
    return "\n".join(_lines(card)) + "\n"


def _lines(card: Mapping[str, Any]) -> Iterator[str]:
    yield from ("# Training data for an emotional supporter", "")
    yield f"Written by EmoHarbor {card['emoharbor']} on {card['written']}."
    yield from ("`data_card.json` holds the same for programs.", "")
    yield from _what(card)
    yield from ("", "## Dialogues", "")
    yield from _splits(card["splits"])
    yield from ("", "## Where they are from", "")
    runs = [(r["run"], r["suite"], r["arm"] or "neither", r["dialogues"]) for r in card["runs"]]
    yield from _table(("run", "suite", "arm", "dialogues"), runs)
    yield ""
    for title in ("supporters", "languages", "endings"):
        yield f"- {title}: {_counts(card[title])}"
    for role, models in card["models"].items():
        yield f"- model of the {role}: {_counts(models)}"
    yield from ("", "## What was left out", "")
    yield from _table(("why", "dialogues"), list(card["removed"].items()))
    yield from ("", "## People who are in an evaluation too", "", *_overlap(card["overlap"]))
    yield from ("", "## What the supporter was told", "", *_systems(card["system_texts"]))
    yield from ("", "## Files", "")
    files = [(name, f["bytes"], f"`{f['sha256']}`") for name, f in card["files"].items()]
    yield from _table(("file", "bytes", "SHA-256"), files)
    yield from ("", "## Limits", "", *(f"- {limit}" for limit in card["limits"]))


def _what(card: Mapping[str, Any]) -> Iterator[str]:
    recipe = card["recipe"]
    yield f"- format: `{card['data_format']}`; to be learned: {card['loss']}"
    yield f"- recipe: {recipe['name'] or 'none, every dialogue that passed'}"
    if recipe["counts"]:
        yield f"- asked for: {_counts(recipe['counts'])}"
    if recipe["arms"]:
        yield f"- dialogues of each arm: {_counts(recipe['arms'])}"
    yield f"- seed: {card['seed']}; profiles kept for validation: {card['validation']:.0%}"
    yield f"- inner states of the user: {'in the metadata' if card['inner_states'] else 'left out'}"


def _splits(splits: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    rows = []
    for name, size in splits.items():
        mean, each = size["verdict_mean"], "–".join(map(str, dict.fromkeys(_each(size))))
        lines = (size["supporter_lines"], size["supporter_characters"])
        marks = "no verdict" if mean is None else f"{mean:.2f}"
        rows.append((name, size["dialogues"], size["profiles"], each, *lines, marks))
    heads = ("split", "dialogues", "profiles", "dialogues a profile", "supporter's lines")
    yield from _table((*heads, "characters in them", "verdict mean"), rows)
    yield ""
    yield "No profile stands in both splits, and no text twice."


def _each(size: Mapping[str, Any]) -> Sequence[int]:
    found: Sequence[int] = size["dialogues_a_profile"]
    return found


def _overlap(overlap: Mapping[str, Any]) -> Iterator[str]:
    against = overlap["checked_against"]
    if not against:
        yield "Not checked: no evaluation was named with `--against`."
        return
    yield f"Checked against {overlap['people_there']} people of {', '.join(against)} for:"
    yield "the same id, the same source, nearly the same text, the same demographics with a"
    yield "similar problem."
    yield ""
    if not overlap["pairs"]:
        yield "None found."
    for pair in overlap["pairs"]:
        yield f"- {pair['training']} and {pair['evaluation']}: {', '.join(pair['why'])}"
    if left_out := overlap["profiles_left_out"]:
        yield from ("", f"Left out with all their dialogues: {', '.join(left_out)}.")
    yield from (line for note in overlap["notes"] for line in ("", f"{note}."))


def _systems(systems: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for one in systems:
        if one["text"]:
            quoted = one["text"].replace("\n", "\n  > ")
            yield f"- {one['dialogues']} dialogues:\n\n  > {quoted}\n"
        else:
            yield f"- {one['dialogues']} dialogues: no system text that is known\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(str(cell).replace('|', '/') for cell in row)} |"


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in counted.items()) or "none"
