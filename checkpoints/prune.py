"""Taking checkpoints out of a thread without losing what their descendants are rebuilt from."""

from __future__ import annotations

from collections.abc import Collection

from emoharbor.checkpoints.storage import Change, Place
from emoharbor.checkpoints.thread import Packer, Thread


def without(thread: Thread, doomed: Collection[Place], packer: Packer) -> Change:
    """The change that takes `doomed` out of a thread; a thread with nothing left is gone.

    A DeltaChannel's value is replayed from the writes on a checkpoint's parents, so a checkpoint
    that loses its parent keeps what it would have read there.
    """
    kept = [place for place in thread.places if place not in doomed]
    if not kept:
        return Change(clear=True)
    change = Change()
    for place in kept:
        change.put.update(_orphaned(thread, place, doomed, packer))
    drop: list[str] = []
    for place in doomed:
        drop += (place.field, place.base_field, *thread.write_fields(place))
        if thread.newest(place.namespace) == place:
            left = [k.checkpoint for k in kept if k.namespace == place.namespace]
            if left:
                change.put[place.head_field] = max(left).encode()
            else:
                drop.append(place.head_field)
    change.drop = drop
    return change


def _orphaned(
    thread: Thread, place: Place, doomed: Collection[Place], packer: Packer
) -> dict[str, bytes]:
    record = thread.record(place)
    if not record or not record.parent or Place(place.namespace, record.parent) not in doomed:
        return {}
    checkpoint = packer.unpack(record.packed)
    missing = checkpoint["channel_versions"].keys() - record.holds
    history = thread.history(place, missing)
    base = {name: found for name, found in history.items() if found["writes"] or "seed" in found}
    put = {place.field: packer.pack_record(None, checkpoint, record.metadata)}
    return put | {place.base_field: packer.pack(base)} if base else put
