"""Taking checkpoints out of a thread without losing what their descendants are rebuilt from."""

from __future__ import annotations

from collections.abc import Collection

from emoharbor.checkpoints.redis_store import Op
from emoharbor.checkpoints.redis_thread import Packer, Place, Thread


def without(thread: Thread, key: str, doomed: Collection[Place], packer: Packer) -> list[Op]:
    """The operations that take `doomed` out of the hash at `key`.

    A DeltaChannel's value is replayed from the writes on a checkpoint's parents, so a checkpoint
    that loses its parent keeps what it would have read there. When nothing is left, the hash goes.
    """
    kept = [place for place in thread.places if place not in doomed]
    if not kept:
        return [("DEL", key)]
    ops: list[Op] = []
    for place in kept:
        ops += _orphaned(thread, key, place, doomed, packer)
    for place in doomed:
        ops.append(("HDEL", key, place.field, place.base_field, *thread.write_fields(place)))
    for namespace in {place.namespace for place in doomed}:
        ops += _new_head(thread, key, namespace, kept)
    return ops


def _orphaned(
    thread: Thread, key: str, place: Place, doomed: Collection[Place], packer: Packer
) -> list[Op]:
    record = thread.record(place)
    if record is None or record[0] is None or Place(place.namespace, record[0]) not in doomed:
        return []
    _, checkpoint, metadata = record
    missing = checkpoint["channel_versions"].keys() - checkpoint["channel_values"].keys()
    history = thread.history(place, missing)
    base = {name: found for name, found in history.items() if found["writes"] or "seed" in found}
    ops: list[Op] = [("HSET", key, place.field, packer.pack([None, checkpoint, metadata]))]
    if base:
        ops.append(("HSET", key, place.base_field, packer.pack(base)))
    return ops


def _new_head(thread: Thread, key: str, namespace: str, kept: list[Place]) -> list[Op]:
    head = thread.newest(namespace)
    if head in kept:
        return []
    left = [place.checkpoint for place in kept if place.namespace == namespace]
    return [
        ("HSET", key, f"head|{namespace}", max(left))
        if left
        else ("HDEL", key, f"head|{namespace}")
    ]
