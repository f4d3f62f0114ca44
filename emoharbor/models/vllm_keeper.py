"""Runs a command, and ends it with all that it has started once its stdin is held by nobody.

A script, `python vllm_keeper.py COMMAND…`, started as the leader of a process group. Whoever starts
it keeps the other end of the pipe, which closes however they end: a run that is killed leaves no
model on the GPU.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

# Seconds. A vLLM that is loading may miss a SIGTERM, one that has heard it does not mind another;
# and one that is killed leaves its shared memory behind.
FAREWELL, _AGAIN, _POLL = 16.0, 2.0, 0.05


def main() -> None:
    """Becomes the command; a child in a group of its own does the watching."""
    leader = os.getpid()
    if os.fork() == 0:
        os.setpgid(0, 0)
        while os.read(0, 1024):
            pass
        _end(leader)
        os._exit(0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.execv(sys.argv[1], sys.argv[1:])


def lives(group: int) -> bool:
    """Whether any process of the group is there."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _end(leader: int) -> None:
    since = time.monotonic()
    asked = 0
    while lives(leader):
        seconds = time.monotonic() - since
        with suppress(ProcessLookupError):
            if seconds >= FAREWELL:
                os.killpg(leader, signal.SIGKILL)
            elif seconds >= asked * _AGAIN:
                asked += 1
                _ask(leader)
        time.sleep(_POLL)


def _ask(leader: int) -> None:
    """The server ends its engines itself, in order; where it has gone, they are asked."""
    try:
        os.kill(leader, signal.SIGTERM)
    except ProcessLookupError:
        os.killpg(leader, signal.SIGTERM)


if __name__ == "__main__":
    main()
