"""Imported dialogues as a run folder, which every command reads like one of our own."""

from __future__ import annotations

import os
from pathlib import Path

import pydantic_core

from emoharbor.errors import CheckpointError, ConfigError
from emoharbor.imports.bring import Brought
from emoharbor.runs.folder import RunFolder, plan_text
from emoharbor.runs.jsonl import one_line
from emoharbor.runs.store import FilePlan


async def write_run(brought: Brought, source: Path, form: str, out: Path) -> RunFolder:
    """Writes the records, and a run.yaml that says where they come from and what was left out.

    Raises ConfigError where `out` holds a run already, CheckpointError when it cannot be written.
    """
    folder = RunFolder(out)
    if folder.plan_file.exists() or folder.records_file.exists():
        raise ConfigError(f"{out} holds a run already; name another folder with -o")
    lines = (pydantic_core.to_json(r.model_dump(mode="json")) for r in brought.records)
    part = folder.records_file.with_suffix(".part")
    try:
        out.mkdir(parents=True, exist_ok=True)
        part.write_bytes(b"".join(map(one_line, lines)))
        os.replace(part, folder.records_file)
    except OSError as error:
        raise CheckpointError(f"cannot write {out}: {error.strerror}") from error
    about = {
        "format": form,
        "source": str(source),
        "left_out": [{"where": one.where, "says": one.says} for one in brought.left_out],
    }
    # Last: a folder without it is no run yet.
    text = plan_text({"imported": about}, {}, len(brought.records))
    await FilePlan(folder.plan_file).write(text)
    return folder
