"""Runs of a served model, and judgings of them at the same server."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from emoharbor.judging.run import Judged, run_judging
from emoharbor.judging.source import AtHand, at_hand
from emoharbor.judging.wanted import Asked, Wanted, Work, states_work, work_of
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.folder import RunFolder, open_run
from emoharbor.runs.store import name_of
from tests.fake_openai import FakeOpenAI
from tests.served import role_of


def work(at: AtHand, asked: Asked, base: Path | None = None, **wanted: Any) -> Work:
    """A judging in the judged run's own folder, or in another."""
    base = base or at.folder
    what = Wanted(run=name_of(at.folder), source=os.path.relpath(at.folder, base), **wanted)
    return work_of(what, at.values, asked, base, stateless=at.stateless)


async def judge(
    source: Path,
    asked: Asked,
    *,
    out: Path | None = None,
    base: Path | None = None,
    options: RunOptions | None = None,
    **wanted: Any,
) -> Judged:
    """What the verb does for one judge: inner states first, where they are wanted."""
    store = options.store if options else None
    whole = work(await at_hand(source, out, store), asked, base, **wanted)
    if states := states_work(whole):
        await run_judging(states, options=options)
    return await run_judging(whole, options=options)


def asked_of(server: FakeOpenAI, role: str) -> list[dict[str, Any]]:
    """What a role was asked, in order."""
    return [body for body in server.bodies if role_of(body) == role]


def text_of(body: dict[str, Any]) -> str:
    """A request's messages as one text."""
    return "\n".join(message["content"] for message in body["messages"])


def marks(folder: Path) -> dict[str, str]:
    """A digest of each file of a run, by its name; what was made of the run is left out."""
    files = [path for path in folder.iterdir() if path.is_file()]
    return {path.name: hashlib.md5(path.read_bytes()).hexdigest() for path in files}


def by_name(judged: Judged) -> dict[str, Any]:
    """The records by what they are called."""
    return {record.name: record for record in judged.records}


def kept(judged: Judged) -> RunFolder:
    """The folder of a judging."""
    return open_run(judged.work.folder)
