"""What langgraph-checkpoint-conformance does not ask, of both stores."""

from __future__ import annotations

import asyncio
import copy
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph

from emoharbor.checkpoints.held import HOLD
from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.checkpoints.saver import ThreadSaver
from emoharbor.errors import CheckpointError
from tests.checkpoints.growing import Words, at, play, put, row, says, state, with_saver


def branch(config: RunnableConfig) -> dict[str, Any]:
    return config["configurable"]


def test_another_thread_made_of_a_state_never_changes_the_first(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"), says("c"))
        final = await play(graph, words=["x"])
        await graph.aupdate_state(at("fork"), {"words": ["x", "a"], "count": 1}, as_node="n0")
        assert (await play(graph, "fork"))["words"] == ["x", "a", "b", "c"]
        assert await state(graph) == final == {"words": ["x", "a", "b", "c"], "count": 3}

    with_saver(address, run, use)


def test_branches_of_one_thread_do_not_leak_into_each_other(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"), says("c"))
        await play(graph, words=["x"])
        heads = [snapshot async for snapshot in graph.aget_state_history(at())]
        (after_a,) = (s.config for s in heads if s.next == ("n1",))
        other = await graph.aupdate_state(after_a, {"words": ["z"], "count": 1}, as_node="n1")
        assert (await play(graph))["words"] == ["x", "a", "z", "c"]
        assert (await state(graph, heads[0].config))["words"] == ["x", "a", "b", "c"]
        assert (await state(graph, other))["words"] == ["x", "a", "z"]
        assert (await state(graph, after_a))["words"] == ["x", "a"]

    with_saver(address, run, use)


def test_a_copied_checkpoint_reads_like_the_one_it_copies(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"), says("c"))
        await play(graph, words=["x"])
        heads = [snapshot async for snapshot in graph.aget_state_history(at())]
        (after_b,) = (s.config for s in heads if s.next == ("n2",))
        copied = await graph.aupdate_state(after_b, None, as_node="__copy__")
        assert (await state(graph, copied))["words"] == ["x", "a", "b"]
        assert (await play(graph))["words"] == ["x", "a", "b", "c"]

    with_saver(address, run, use)


def test_a_state_can_be_read_while_checkpoints_are_listed(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"))
        await play(graph, words=["x"])
        seen = []
        async for kept in saver.alist(at()):
            seen.append((await state(graph, kept.config))["words"])
            await put(saver, "another")
        assert seen == [["x", "a", "b"], ["x", "a"], ["x"], []]

    with_saver(address, run, use)


def test_256_dialogues_at_once_with_the_settings_as_they_are(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"))

        async def one(i: int) -> dict[str, Any]:
            await play(graph, f"cell-{i}", words=[str(i)])
            return await state(graph, at(f"cell-{i}"))

        states = await asyncio.gather(*(one(i) for i in range(256)))
        assert [s["words"] for s in states] == [[str(i), "a"] for i in range(256)]
        assert len(await saver.storage.names()) == 256

    with_saver(address, run, use)


def test_two_writers_on_one_thread_are_told_of_each_other(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        first = await put(saver, "t")
        async with open_checkpointer(address, run) as second:
            await put(second, "t", first, step=1)
            with pytest.raises(CheckpointError, match="thread t was changed by another writer"):
                await put(saver, "t", first, step=1)
        assert len([kept async for kept in saver.alist(at())]) == 2

    with_saver(address, run, use)


def test_two_loops_on_one_thread_end_with_an_error_and_a_whole_state(
    address: str, run: str
) -> None:
    async def use(saver: ThreadSaver) -> None:
        async def slow(state: Words) -> dict[str, Any]:
            await asyncio.sleep(0.02)
            return {"words": ["w"], "count": 1}

        graph = row(saver, slow, slow, slow)
        results = await asyncio.gather(
            play(graph, words=["x"]), play(graph, words=["x"]), return_exceptions=True
        )
        assert sum(isinstance(result, CheckpointError) for result in results) == 1
        assert (await state(graph))["words"] == ["x", "w", "w", "w"]

    with_saver(address, run, use)


def test_a_full_checkpoint_without_a_parent_is_taken(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"))
        await play(graph, words=["x"])
        await graph.aupdate_state(at("s"), {"words": ["x", "a"], "count": 1}, as_node="n0")
        whole = await saver.aget_tuple(at("s"))
        assert whole
        config = at("new", checkpoint_ns="")
        await saver.aput(config, whole.checkpoint, whole.metadata, {})
        assert await state(graph, at("new")) == {"words": ["x", "a"], "count": 1}
        assert (await play(graph, "new"))["words"] == ["x", "a", "b"]

    with_saver(address, run, use)


def test_copies_of_a_saver_share_what_they_hold(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        first = await put(saver, "t")
        twin, listed = copy.copy(saver), saver.with_allowlist([("some.module", "Thing")])
        assert listed is not saver and listed.serde is not saver.serde
        config = at("t", checkpoint_ns="", checkpoint_id=first)
        await twin.aput_writes(config, [("ch", "held")], "task")
        for one in (saver, twin, listed):
            kept = await one.aget_tuple(at("t"))
            assert kept and kept.pending_writes == [("task", "ch", "held")]

    with_saver(address, run, use)


def test_a_failed_node_is_run_again_and_its_error_was_kept(address: str, run: str) -> None:
    calls = []

    async def fails_once(state: Words) -> dict[str, Any]:
        calls.append(state["words"])
        if len(calls) == 1:
            raise RuntimeError("no answer")
        return {"words": ["b"], "count": 1}

    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), fails_once, says("c"))
        with pytest.raises(RuntimeError):
            await play(graph, words=["x"])
        open_now = await graph.aget_state(at())
        assert open_now.next == ("n1",)
        assert "no answer" in str(open_now.tasks[0].error)
        assert (await play(graph))["words"] == ["x", "a", "b", "c"]

    with_saver(address, run, use)
    assert calls == [["x", "a"], ["x", "a"]]


def test_what_a_task_wrote_is_kept_while_its_neighbour_still_runs(address: str, run: str) -> None:
    ran: list[str] = []
    seen: list[Any] = []

    async def quick(state: Words) -> dict[str, Any]:
        ran.append("quick")
        return {"words": ["quick"], "count": 1}

    async def slow(state: Words) -> dict[str, Any]:
        ran.append("slow")
        if not seen:
            await asyncio.sleep(3 * HOLD)
            async with open_checkpointer(address, run) as other:
                kept = await other.aget_tuple(at())
            seen.extend((kept.pending_writes if kept else None) or [])
            raise RuntimeError("no answer")
        return {"words": ["slow"], "count": 1}

    async def use(saver: ThreadSaver) -> None:
        builder = StateGraph(Words)
        for node in (quick, slow):
            builder.add_node(node)
            builder.add_edge(START, node.__name__)
        graph = builder.compile(checkpointer=saver)
        with pytest.raises(RuntimeError):
            await play(graph, words=["x"])
        assert (await play(graph))["words"] == ["x", "quick", "slow"]

    with_saver(address, run, use)
    assert [value for _, channel, value in seen if channel == "words"] == [["quick"]]
    assert ran == ["quick", "slow", "slow"]


def test_names_may_hold_any_character(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        for name in ("a|b", "a:b/ c", "心", "a\nb"):
            first = await put(saver, name)
            config = at(name, checkpoint_ns="node:1|sub|x", checkpoint_id=first)
            await saver.aput_writes(config, [("ch|1", "v")], "task")
            kept = await saver.aget_tuple(at(name))
            assert kept and kept.checkpoint["id"] == first and kept.pending_writes == []
        assert len(await saver.storage.names()) == 4

    with_saver(address, run, use)
