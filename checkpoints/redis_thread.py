"""How one dialogue (thread) stands in its Redis hash, and what can be told from the hash whole.

Fields, the namespace always last since it may hold any character:

- `head|<namespace>`: the checkpoint that was put last;
- `c|<checkpoint>|<namespace>`: [parent, checkpoint, metadata];
- `w|<checkpoint>|<task>|<index>|<namespace>`: [task path, channel, value], a write on a checkpoint;
- `b|<checkpoint>|<namespace>`: for a checkpoint whose parents were deleted, what a DeltaChannel
  would have read from them: {channel: history}.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    CheckpointTuple,
    DeltaChannelHistory,
    PendingWrite,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

Record = tuple[str | None, Any, Any]


class Place(NamedTuple):
    """A checkpoint of a thread, or its newest when `checkpoint` is empty."""

    namespace: str
    checkpoint: str

    @property
    def field(self) -> str:
        """Where the checkpoint stands."""
        return f"c|{self.checkpoint}|{self.namespace}"

    @property
    def base_field(self) -> str:
        """Where the history of its deleted parents stands."""
        return f"b|{self.checkpoint}|{self.namespace}"


class Write(NamedTuple):
    """What a task wrote on a checkpoint.

    `at` is its place in the task's list; `packed` holds [task path, channel, value].
    """

    place: Place
    task: str
    at: int
    channel: str
    packed: bytes

    @property
    def field(self) -> str:
        """Where the write stands."""
        return f"w|{self.place.checkpoint}|{self.task}|{self.at}|{self.place.namespace}"

    @property
    def special(self) -> bool:
        """An error, an interrupt or the like: the newest counts, and it is never superseded."""
        return self.channel in WRITES_IDX_MAP


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


def pending(packer: Packer, fields: Mapping[str, bytes]) -> list[PendingWrite]:
    """The writes in `fields`, in the order in which a superstep applies them."""
    rows = []
    for field, packed in fields.items():
        _, _, task, index, _ = field.split("|", 4)
        path, channel, value = packer.unpack(packed)
        rows.append((writes_sort_key(path, task, int(index)), (task, channel, value)))
    return [write for _, write in sorted(rows, key=lambda row: row[0])]


def pairs(flat: Sequence[bytes]) -> dict[str, bytes]:
    """The fields of a hash out of the list that HGETALL answers in a script."""
    return {flat[i].decode(): flat[i + 1] for i in range(0, len(flat), 2)}


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
        """Parent, checkpoint and metadata."""
        if place not in self._records:
            packed = self.fields.get(place.field)
            self._records[place] = None if packed is None else self._packer.unpack(packed)
        return self._records[place]

    def tuple_at(self, place: Place) -> CheckpointTuple | None:
        """What LangGraph calls a checkpoint."""
        record = self.record(place)
        writes = self._writes.get(place, {})
        return record and as_tuple(self.name, place, record, pending(self._packer, writes))

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
            current = Place(place.namespace, record[0]) if record[0] else None

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
        values = record[1]["channel_values"] if record else {}
        for channel in wanted & values.keys():
            found[channel]["seed"] = values[channel]
            wanted.discard(channel)

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
    thread: str, place: Place, record: Record, writes: list[PendingWrite]
) -> CheckpointTuple:
    """A record and its writes in LangGraph's form."""
    parent, checkpoint, metadata = record
    before = config_of(thread, Place(place.namespace, parent)) if parent else None
    return CheckpointTuple(config_of(thread, place), checkpoint, metadata, before, writes)
