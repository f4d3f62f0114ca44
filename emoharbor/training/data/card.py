"""The data card: what is in a set of training data, how it came about, and what it is not for."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from emoharbor.training.data.asked import Asked
from emoharbor.training.data.dialogue import Dialogue
from emoharbor.training.data.drawing import arms_of
from emoharbor.training.data.formats import FORMATS
from emoharbor.training.data.leaks import Overlap

CARD: str = "emoharbor-training-data-1"
LIMITS = (
    "The people are invented and simulated by a model. Nobody in here sought help, and how these "
    "people answer is no evidence of how people do.",
    "The marks are a model's, given in the role of the simulated user. A dialogue that was kept "
    "for its marks was good in the eyes of a model.",
    "Not for clinical use. A supporter trained on this is no therapist and no crisis service, and "
    "nothing in here teaches it to recognize an emergency.",
    "The lines are a model's output: the terms of the models named here say what may be trained "
    "on them.",
)


def card_of(
    asked: Asked,
    splits: Mapping[str, Sequence[Dialogue]],
    removed: Mapping[str, int],
    overlap: Mapping[str, Any],
    files: Mapping[str, bytes],
) -> dict[str, Any]:
    """All of the card, as JSON has it. `overlap` is what `overlap_of` says."""
    every = [one for part in splits.values() for one in part]
    return {
        "format": CARD,
        "emoharbor": version("emoharbor"),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "data_format": asked.form,
        "loss": FORMATS[asked.form].loss,
        "inner_states": asked.inner_states,
        "recipe": {"name": asked.recipe, "counts": asked.counts, "arms": arms_of(every)},
        "seed": asked.seed,
        "validation": asked.validation,
        "splits": {name: _size(part) for name, part in splits.items()},
        "runs": _runs(every),
        "supporters": _counted(one.record.supporter for one in every),
        "languages": _counted(one.record.language for one in every),
        "endings": _counted(one.about["ending"] or "unknown" for one in every),
        "models": _models(every),
        "system_texts": _systems(every),
        "filters": asked.wanted.model_dump(mode="json", exclude_defaults=True),
        "removed": dict(removed),
        "overlap": dict(overlap),
        "files": {name: _file(data) for name, data in files.items()},
        "limits": list(LIMITS),
    }


def overlap_of(
    against: Sequence[str], people: int, found: Iterable[Overlap], notes: Sequence[str]
) -> dict[str, Any]:
    """What the check against the people of an evaluation has shown; who was found is left out.

    `notes` say what could not be compared.
    """
    found = list(found)
    return {
        "checked_against": list(against),
        "people_there": people,
        "pairs": [{"training": o.first, "evaluation": o.second, "why": list(o.why)} for o in found],
        "profiles_left_out": sorted({pair.first for pair in found}),
        "notes": list(notes),
    }


def _size(dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    lines = [m for one in dialogues for m in one.messages if m["role"] == "assistant"]
    means = [one.mean for one in dialogues if one.mean is not None]
    each = Counter(one.record.profile for one in dialogues).values()
    return {
        "dialogues": len(dialogues),
        "profiles": len(each),
        "dialogues_a_profile": [min(each), max(each)] if each else [],
        "supporter_lines": len(lines),
        "supporter_characters": sum(len(line["content"]) for line in lines),
        "verdict_mean": round(sum(means) / len(means), 4) if means else None,
    }


def _runs(dialogues: Iterable[Dialogue]) -> list[dict[str, Any]]:
    counted = Counter((one.run, one.record.suite, one.arm or "") for one in dialogues)
    return [
        {"run": run, "suite": suite, "arm": arm, "dialogues": n}
        for (run, suite, arm), n in sorted(counted.items())
    ]


def _models(dialogues: Iterable[Dialogue]) -> dict[str, dict[str, int]]:
    """Role → spec → dialogues."""
    counted = Counter((role, spec) for one in dialogues for role, spec in one.record.models.items())
    roles = sorted({role for role, _ in counted})
    return {role: {spec: n for (r, spec), n in counted.items() if r == role} for role in roles}


def _systems(dialogues: Iterable[Dialogue]) -> list[dict[str, Any]]:
    counted = Counter(one.system for one in dialogues)
    return [{"text": text, "dialogues": n} for text, n in counted.most_common()]


def _counted(labels: Iterable[str]) -> dict[str, int]:
    return dict(Counter(labels).most_common())


def _file(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
