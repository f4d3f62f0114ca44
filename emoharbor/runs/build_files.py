"""What a build leaves: the accepted profiles, and those set aside with the reasons."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from emoharbor.errors import ConfigError
from emoharbor.runs.build_plan import FINGERPRINT, BuildPlan
from emoharbor.runs.build_records import SET_ASIDE, Built, file_of
from emoharbor.runs.fingerprint import changes
from emoharbor.runs.folder import is_build, plan_text
from emoharbor.runs.store import FilePlan, RunStore
from emoharbor.state.building import BuildRecord


async def prepare_build(plan: BuildPlan, store: RunStore, out: Path) -> None:
    """Keeps the plan, or checks that the store holds a build of it.

    Raises ConfigError with a readable diff when anything that shapes the profiles differs, and
    for a file that is there and was not written by this build.
    """
    text = await store.plan.read()
    kept: dict[str, Any] = yaml.safe_load(text) or {} if text else {}
    if kept and not is_build(kept):
        raise ConfigError(f"{out} holds a run of dialogues; build into another folder with --out")
    then = (kept.get("recorded") or {}).get("fingerprint") or {}
    if kept and (lines := changes(then, plan.fingerprint, FINGERPRINT, grows="seeds")):
        raise ConfigError(
            f"{out} holds a build of another configuration:\n"
            + "\n".join(lines)
            + "\nBuild into another folder with --out, or undo the change."
        )
    file = file_of(plan.build.file, out)
    if file.exists() and (not kept or kept.get("file") != plan.build.file):
        raise ConfigError(f"{file} is there already; name another file with -o")
    values = plan.build.model_dump(mode="json", exclude={"model"})
    values["model"] = plan.build.model.model_dump(mode="json", exclude_unset=True)
    await store.plan.write(plan_text(values, plan.fingerprint, len(plan.items)))


async def write_results(built: Built, out: Path) -> None:
    """Both files, each replaced as a whole. Raises CheckpointError."""
    profiles = [r.profile.model_dump(mode="json") for r in built.accepted if r.profile]
    kept = ("id", "place", "faults", "mended", "made")
    aside = [
        {**r.model_dump(mode="json", include=set(kept)), "seed": _seed(r)} for r in built.set_aside
    ]
    built.file.parent.mkdir(parents=True, exist_ok=True)
    await FilePlan(built.file).write(_lines(profiles))
    await FilePlan(out / SET_ASIDE).write(_lines(aside))


def _seed(record: BuildRecord) -> dict[str, Any]:
    return record.person.seed.model_dump(mode="json", exclude_defaults=True)


def _lines(values: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
