"""What a store of threads must do: a thread is a set of named fields, changed all or nothing.

The fields of a thread, the namespace always last since it may hold any character:

- `head|<namespace>`: the checkpoint that was put last;
- `c|<checkpoint>|<namespace>`: [parent, checkpoint, metadata];
- `w|<checkpoint>|<task>|<at>|<namespace>`: [task path, channel, value], a write on a checkpoint;
- `b|<checkpoint>|<namespace>`: for a checkpoint whose parents were deleted, what a DeltaChannel
  would have read from them: {channel: history}.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from langgraph.checkpoint.base import WRITES_IDX_MAP

FORMAT = "1"


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

    @property
    def head_field(self) -> str:
        """Where the newest checkpoint of the namespace is named."""
        return f"head|{self.namespace}"


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


@dataclass
class Change:
    """One atomic change of a thread, in this order: `expect` checked, `clear`, `drop`, the rest.

    `put` replaces a field, `first` leaves one that is there; `expect` is a field and the value
    that it must have, and `conflict` what a CheckpointError says when it has not. A thread that
    is cleared and given nothing is gone.
    """

    put: dict[str, bytes] = field(default_factory=dict)
    first: dict[str, bytes] = field(default_factory=dict)
    drop: Sequence[str] = ()
    clear: bool = False
    expect: tuple[str, bytes] | None = None
    conflict: str = ""

    def add(self, writes: Collection[Write]) -> None:
        """Of a task's ordinary write the first counts, of an error or interrupt the newest."""
        for write in writes:
            if write.special:
                self.put[write.field] = write.packed
            else:
                self.first.setdefault(write.field, write.packed)


class Found(NamedTuple):
    """A checkpoint as it is stored: its record, and its writes by field."""

    place: Place
    record: bytes
    writes: Mapping[str, bytes]


class Storage(Protocol):
    """Threads by name. Every method raises CheckpointError when the store cannot be used."""

    async def change(self, thread: str, change: Change) -> None:
        """Applies a change."""
        ...

    async def find(self, thread: str, place: Place) -> Found | None:
        """One checkpoint, or the newest of its namespace."""
        ...

    async def fields(self, thread: str) -> dict[str, bytes]:
        """All of a thread; nothing if it is not there."""
        ...

    async def names(self) -> list[str]:
        """The threads that are there."""
        ...
