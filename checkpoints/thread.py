"""A whole thread, and what can be told from it: its checkpoints, and what a value grew from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    PendingWrite,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from emoharbor.checkpoints.storage import Place


class Record(NamedTuple):
    """A checkpoint as it is stored: a walk along parents need not unpack the checkpoint itself.

    `holds` are the channels whose values stand in the checkpoint.
    """

    parent: str | None
    metadata: dict[str, Any]
    holds: list[str]
    packed: bytes


class Packer:
    """Values to bytes and back; the serializer's type tag goes in front."""

    def __init__(self, serde: SerializerProtocol) -> None:
        self._serde = serde

    def pack(self, value: Any) -> bytes:
        """A value as bytes."""
        kind, data = self._serde.dumps_typed(value)
        return b"%s:%s" % (kind.encode(), data)

    def unpack(self, packed: bytes) -> Any:
        """The value that was packed."""
        kind, _, data = packed.partition(b":")
        return self._serde.loads_typed((kind.decode(), data))

    def pack_record(
        self, parent: str | None, checkpoint: Checkpoint, metadata: dict[str, Any]
    ) -> bytes:
        """A checkpoint with its parent and its metadata as bytes."""
        holds = list(checkpoint["channel_values"])
        return self.pack([parent, metadata, holds, self.pack(checkpoint)])


def pending(packer: Packer, fields: Mapping[str, bytes]) -> list[PendingWrite]:
    """The writes in `fields`, in the order in which a superstep applies them."""
    rows = []
    for field, packed in fields.items():
        _, _, task, index, _ = field.split("|", 4)
        path, channel, value = packer.unpack(packed)
        rows.append((writes_sort_key(path, task, int(index)), (task, channel, value)))
    return [write for _, write in sorted(rows, key=lambda row: row[0])]


class Thread:
    """A whole thread, decoded as far as it is looked at."""

    def __init__(self, name: str, fields: Mapping[str, bytes], packer: Packer) -> None:
        self.name = name
        self.fields = fields
        self._packer = packer
        self._records: dict[Place, Record | None] = {}
        self._writes: defaultdict[Place, dict[str, bytes]] = defaultdict(dict)
        self.places: list[Place] = []
        for field, packed in fields.items():
            if field.startswith("c|"):
                _, checkpoint, namespace = field.split("|", 2)
                self.places.append(Place(namespace, checkpoint))
            elif field.startswith("w|"):
                _, checkpoint, _, _, namespace = field.split("|", 4)
                self._writes[Place(namespace, checkpoint)][field] = packed
        self.places.sort(key=lambda place: place.checkpoint, reverse=True)

    def newest(self, namespace: str) -> Place | None:
        """The checkpoint that was put last."""
        head = self.fields.get(f"head|{namespace}")
        return Place(namespace, head.decode()) if head else None

    def record(self, place: Place) -> Record | None:
        """A checkpoint as it is stored."""
        if place not in self._records:
            packed = self.fields.get(place.field)
            self._records[place] = None if packed is None else Record(*self._packer.unpack(packed))
        return self._records[place]

    def tuple_at(self, place: Place) -> CheckpointTuple | None:
        """What LangGraph calls a checkpoint."""
        packed, writes = self.fields.get(place.field), self._writes.get(place, {})
        return as_tuple(self._packer, self.name, place, packed, writes) if packed else None

    def writes_at(self, place: Place) -> list[PendingWrite]:
        """The writes on a checkpoint, in order."""
        return pending(self._packer, self._writes.get(place, {}))

    def write_fields(self, place: Place) -> Collection[str]:
        """The fields of the writes on a checkpoint."""
        return self._writes.get(place, {}).keys()

    def parents(self, place: Place) -> Iterator[Place]:
        """The checkpoint itself, its parent, and so on to the first."""
        seen: set[Place] = set()
        current: Place | None = place
        while current and current not in seen and (record := self.record(current)):
            seen.add(current)
            yield current
            current = Place(place.namespace, record.parent) if record.parent else None

    def history(self, place: Place, channels: Collection[str]) -> dict[str, DeltaChannelHistory]:
        """For each channel, the writes on the parents back to the nearest whole value."""
        found: dict[str, DeltaChannelHistory] = {channel: {"writes": []} for channel in channels}
        wanted = set(channels)
        backwards: dict[str, list[PendingWrite]] = {channel: [] for channel in channels}
        last = place
        for last in self.parents(place):
            if last != place:
                self._collect(last, wanted, backwards, found)
            if not wanted:
                break
        self._add_base(last, wanted, backwards, found)
        for channel, writes in backwards.items():
            found[channel]["writes"] = writes[::-1]
        return found

    def _collect(
        self,
        place: Place,
        wanted: set[str],
        backwards: dict[str, list[PendingWrite]],
        found: dict[str, DeltaChannelHistory],
    ) -> None:
        for write in reversed(self.writes_at(place)):
            if write[1] in wanted:
                backwards[write[1]].append(write)
        record = self.record(place)
        held = wanted.intersection(record.holds if record else ())
        if record and held:
            values = self._packer.unpack(record.packed)["channel_values"]
            for channel in held:
                found[channel]["seed"] = values[channel]
            wanted -= held

    def _add_base(
        self,
        first: Place,
        wanted: set[str],
        backwards: dict[str, list[PendingWrite]],
        found: dict[str, DeltaChannelHistory],
    ) -> None:
        packed = self.fields.get(first.base_field)
        if not wanted or packed is None:
            return
        for channel, history in self._packer.unpack(packed).items():
            if channel in wanted:
                backwards[channel].extend(tuple(write) for write in reversed(history["writes"]))
                if "seed" in history:
                    found[channel]["seed"] = history["seed"]


def config_of(thread: str, place: Place) -> RunnableConfig:
    """What names a checkpoint to LangGraph."""
    at = {"thread_id": thread, "checkpoint_ns": place.namespace}
    return {"configurable": {**at, "checkpoint_id": place.checkpoint}}


def as_tuple(
    packer: Packer, thread: str, place: Place, packed: bytes, writes: Mapping[str, bytes]
) -> CheckpointTuple:
    """A stored checkpoint and the writes on it in LangGraph's form."""
    record = Record(*packer.unpack(packed))
    before = config_of(thread, Place(place.namespace, record.parent)) if record.parent else None
    return CheckpointTuple(
        config_of(thread, place),
        packer.unpack(record.packed),
        cast(CheckpointMetadata, record.metadata),
        before,
        pending(packer, writes),
    )
