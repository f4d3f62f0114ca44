"""Finished runs of the scripted echo, for tests of what is done with a run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from emoharbor.flags import suite_from_flags
from emoharbor.runs.executor import run_suite
from emoharbor.runs.folder import RunFolder


def echo_run(folder: Path, **plain: Any) -> RunFolder:
    """A run of one short dialogue that calls nobody."""
    suite = suite_from_flags(
        "emoharbor",
        supporters=["bot=scripted:echo"],
        model="scripted:echo",
        plain={"max_turns": 2, "limit": 1, **plain},
    )
    return asyncio.run(run_suite(suite, folder))
