"""Who holds a run: this process, written down so that another one can name it."""

from __future__ import annotations

import json
import os
import socket
import uuid
from datetime import UTC, datetime


def this_process() -> str:
    """Host, pid and the present moment, as JSON that is never the same twice."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    who = {"host": socket.gethostname(), "pid": os.getpid(), "since": now}
    return json.dumps({**who, "id": uuid.uuid4().hex})


def describe(owner: str) -> str:
    """An owner as a sentence names it."""
    try:
        known = json.loads(owner)
        return f"process {known['pid']} on host {known['host']} since {known['since']}"
    except (ValueError, KeyError, TypeError):
        return "a process that did not say who it is"
