"""LangGraph's checkpoints over a storage of threads: what a superstep adds is one atomic change."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from emoharbor.checkpoints.held import HeldWrites
from emoharbor.checkpoints.prune import without
from emoharbor.checkpoints.serde import state_serializer
from emoharbor.checkpoints.storage import Change, Place, Storage, Write
from emoharbor.checkpoints.thread import Packer, Thread, as_tuple, config_of
from emoharbor.errors import CheckpointError


class ThreadSaver(BaseCheckpointSaver[int]):
    """Keeps every checkpoint of every thread; asynchronous only.

    What a superstep wrote is held until the checkpoint that it leads to is put (or, when none
    comes, a tenth of a second): then both are one change, and of the writes only those are kept
    that the checkpoint does not hold, which are the appends of DeltaChannels. An error or an
    interrupt is kept at once, and a read sees everything.

    A checkpoint that a running loop puts on another than the thread's newest one is refused: two
    writers are at work. (So `durability="exit"` does not go with going on from an old checkpoint.)

    Copies of a saver, of which LangGraph makes some, share the storage and what is held.
    """

    def __init__(self, storage: Storage, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(serde=serde or state_serializer())
        self.storage = storage
        self.held = HeldWrites(storage)

    @asynccontextmanager
    async def closing(self) -> AsyncIterator[Self]:
        """The saver for a block, at whose end everything is kept."""
        try:
            yield self
        except BaseException:
            with suppress(CheckpointError):
                await self.held.flush()
            raise
        else:
            await self.held.flush()
        finally:
            self.held.close()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keeps a checkpoint and, with it, the writes that it was made of."""
        thread, parent = _place(config)
        place = Place(parent.namespace, checkpoint["id"])
        packer = Packer(self.serde)
        known = _metadata(config, metadata)
        change = Change(
            put={
                place.field: packer.pack_record(parent.checkpoint or None, checkpoint, known),
                place.head_field: place.checkpoint.encode(),
            },
            conflict=f"thread {thread} was changed by another writer or deleted before step "
            f"{metadata.get('step')} was kept: go on from its newest checkpoint",
        )
        change.add(_lasting(self.held.take(thread, parent), checkpoint))
        if parent.checkpoint and metadata.get("source") == "loop":
            change.expect = (place.head_field, parent.checkpoint.encode())
        await self.storage.change(thread, change)
        return config_of(thread, place)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Holds what a task wrote on a checkpoint until the superstep is over."""
        thread, place = _place(config)
        pack = Packer(self.serde).pack
        made = [
            Write(
                place,
                task_id,
                WRITES_IDX_MAP.get(channel, index),
                channel,
                pack([task_path, channel, value]),
            )
            for index, (channel, value) in enumerate(writes)
        ]
        self.held.add(thread, made)
        if any(write.special for write in made):
            await self.held.flush(thread)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint that `config` names, or the thread's newest; None if there is none.

        Raises CheckpointError when the server cannot be asked or the run's keys have vanished.
        """
        thread, wanted = _place(config)
        await self.held.flush(thread)
        found = await self.storage.find(thread, wanted)
        if found is None:
            return None
        packer = Packer(self.serde)
        return as_tuple(packer, thread, found.place, found.record, found.writes)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Checkpoints, the newest of a thread first; of all threads without a `config`."""
        left = limit if limit is not None else -1
        for name in [_place(config)[0]] if config else await self._names():
            thread = await self._thread(name)
            for place in _wanted(thread, config, filter or {}, before):
                if left == 0:
                    return
                left -= 1
                if found := thread.tuple_at(place):
                    yield found

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What each DeltaChannel's value at a checkpoint is rebuilt from."""
        if not channels:
            return {}
        name, place = _place(config)
        thread = await self._thread(name)
        target = place if place.checkpoint else thread.newest(place.namespace)
        return thread.history(target or place, channels)

    async def adelete_thread(self, thread_id: str) -> None:
        """Deletes everything of a thread."""
        self.held.drop(str(thread_id))
        await self.storage.change(str(thread_id), Change(clear=True))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Makes `target_thread_id` a copy of the other thread, its whole history included."""
        source = await self._thread(str(source_thread_id))
        if source.fields:
            self.held.drop(str(target_thread_id))
            change = Change(clear=True, put=dict(source.fields))
            await self.storage.change(str(target_thread_id), change)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Deletes what these invocations (metadata `run_id`) put, in all threads."""
        for name in await self._names() if run_ids else ():
            thread = await self._thread(name)
            runs = {place: _metadata_of(thread, place).get("run_id") for place in thread.places}
            await self._take_out(thread, {place for place, run in runs.items() if run in run_ids})

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keeps only the newest checkpoint of each namespace (`keep_latest`), or none (`delete`).

        What the newest is rebuilt from is kept with it.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"no strategy '{strategy}': keep_latest or delete is wanted")
        for name in map(str, thread_ids):
            if strategy == "delete":
                await self.adelete_thread(name)
                continue
            thread = await self._thread(name)
            heads = {thread.newest(place.namespace) for place in thread.places}
            await self._take_out(thread, set(thread.places) - heads)

    async def _take_out(self, thread: Thread, doomed: Collection[Place]) -> None:
        if doomed:
            await self.storage.change(thread.name, without(thread, doomed, Packer(self.serde)))

    async def _names(self) -> list[str]:
        await self.held.flush()
        return await self.storage.names()

    async def _thread(self, name: str) -> Thread:
        await self.held.flush(name)
        return Thread(name, await self.storage.fields(name), Packer(self.serde))


def _place(config: RunnableConfig) -> tuple[str, Place]:
    known = config["configurable"]
    namespace, checkpoint = known.get("checkpoint_ns", ""), get_checkpoint_id(config)
    return str(known["thread_id"]), Place(str(namespace), str(checkpoint or ""))


def _metadata(config: RunnableConfig, metadata: CheckpointMetadata) -> dict[str, Any]:
    """With the counts of DeltaChannels as lists: a tuple would be packed by its import path."""
    known: dict[str, Any] = dict(get_checkpoint_metadata(config, metadata))
    if counts := known.get("counters_since_delta_snapshot"):
        known["counters_since_delta_snapshot"] = {name: [*both] for name, both in counts.items()}
    return known


def _lasting(writes: Sequence[Write], checkpoint: Checkpoint) -> list[Write]:
    """The writes that the checkpoint made of them does not replace."""
    values, versions = checkpoint["channel_values"], checkpoint["channel_versions"]
    return [w for w in writes if w.channel in versions and w.channel not in values]


def _wanted(
    thread: Thread, config: RunnableConfig | None, filter: dict[str, Any], before: Any
) -> list[Place]:
    known = config["configurable"] if config else {}
    end = get_checkpoint_id(before) if before else None
    return [
        place
        for place in thread.places
        if known.get("checkpoint_ns") in (None, place.namespace)
        and known.get("checkpoint_id") in (None, "", place.checkpoint)
        and (not end or place.checkpoint < end)
        and filter.items() <= _metadata_of(thread, place).items()
    ]


def _metadata_of(thread: Thread, place: Place) -> dict[str, Any]:
    record = thread.record(place)
    return record.metadata if record else {}
