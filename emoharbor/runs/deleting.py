"""Deleting a run: only what EmoHarbor wrote, and only while nobody runs it."""

from __future__ import annotations

from pathlib import Path

from emoharbor.checkpoints.lease import FolderLock
from emoharbor.errors import CheckpointError
from emoharbor.runs.build_records import PROFILES, SET_ASIDE
from emoharbor.runs.folder import open_run
from emoharbor.runs.reader import open_reader
from emoharbor.runs.store import CHECKPOINTS, KEYS, LOCK, checked, name_of

# run.yaml goes last: while it is there, a deletion that was cut short can be done again.
FILES = (
    *("records.jsonl", "records.part", "calls.jsonl", "calls.part"),
    *(CHECKPOINTS, f"{CHECKPOINTS}-wal", f"{CHECKPOINTS}-shm", f"{CHECKPOINTS}-journal"),
    *("run.part", "run.yaml", LOCK),
)
# What a build of profiles leaves besides, the second one always.
BUILT = (PROFILES, "profiles.part", SET_ASIDE, "set_aside.part")


async def deletable(folder: Path, store: str | None) -> str:
    """How a sentence names the run that `delete_run` would delete.

    Raises ConfigError where there is no run, and CheckpointError that says who runs it.
    """
    async with open_reader(folder, store) as run:
        if owner := await run.owner():
            raise CheckpointError(f"{run.where} is being run by {owner}: it is not deleted")
        return run.where


async def delete_run(folder: Path, store: str | None) -> str:
    """Deletes the run in a folder, or all that the Redis at `store` keeps under its name.

    Returns what was done, in words. Raises ConfigError where there is no run, and CheckpointError
    that names the owner while another process has it.
    """
    if store is None:
        return _delete_files(folder)
    from emoharbor.checkpoints.deletion import delete_run as delete_keys

    where = await delete_keys(checked(store), name_of(folder), *KEYS)
    kept = f" The folder {folder} is left as it is." if folder.is_dir() else ""
    return f"Deleted run '{name_of(folder)}' at {where}.{kept}"


def _delete_files(folder: Path) -> str:
    open_run(folder)
    more = BUILT if (folder / SET_ASIDE).is_file() else ()
    try:
        with FolderLock(folder / LOCK).held():
            for name in (*more, *FILES):
                (folder / name).unlink(missing_ok=True)
        if any(folder.iterdir()) or folder.is_symlink():
            return (
                f"Deleted the run in {folder}. The folder itself is left, with what else is in it."
            )
        folder.resolve().rmdir()
    except OSError as error:
        raise CheckpointError(f"cannot delete {error.filename}: {error.strerror}") from error
    return f"Deleted the run in {folder}."
