"""Another process that holds a run: `python -m tests.checkpoints.holder redis URL RUN` (or
`folder PATH`).

Says "held" when it has it, writes to it again and again, and says what stopped it.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from emoharbor.checkpoints.lease import FolderLock, RedisLease
from emoharbor.checkpoints.redis_store import RedisStore
from emoharbor.errors import CheckpointError


def say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


async def hold_redis(url: str, run: str) -> None:
    async with RedisStore.open(url, run) as store, RedisLease(store, ttl=0.6).held():
        say("held")
        while True:
            await store.commit([("RPUSH", store.key("log"), "holder")])
            await asyncio.sleep(0.02)


def hold_folder(path: Path) -> None:
    with FolderLock(path).held():
        say("held")
        time.sleep(60)


if __name__ == "__main__":
    kind, *where = sys.argv[1:]
    try:
        asyncio.run(hold_redis(*where)) if kind == "redis" else hold_folder(Path(where[0]))
    except CheckpointError as error:
        say(error)
        raise SystemExit(7) from error
