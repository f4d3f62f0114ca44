"""Pruning, deleting and copying threads whose values are rebuilt from their history."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

from emoharbor.checkpoints.saver import ThreadSaver
from tests.checkpoints.growing import at, play, row, says, state, with_saver


def test_pruning_keeps_what_the_newest_is_rebuilt_from(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"), says("c"))
        final = await play(graph, words=["x"])
        await saver.aprune(["t"])
        assert len([kept async for kept in saver.alist(at())]) == 1
        assert await state(graph) == final
        await graph.aupdate_state(at(), {"words": ["d"], "count": 0}, as_node="n2")
        assert (await state(graph))["words"] == [*final["words"], "d"]
        await saver.aprune(["t"])
        assert (await state(graph))["words"] == [*final["words"], "d"]

    with_saver(address, run, use)


def test_a_run_taken_out_of_the_middle_leaves_the_rest_readable(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"))
        for name in ("first", "second", "third"):
            config: RunnableConfig = {**at(), "metadata": {"run_id": name}}
            await graph.ainvoke({"words": [name], "count": 0}, config, durability="sync")
        final = await state(graph)
        assert final["count"] == 6
        await saver.adelete_for_runs(["first", "second"])
        assert await state(graph) == final
        runs = {kept.metadata["run_id"] async for kept in saver.alist(at())}
        assert runs == {"third"}
        await saver.adelete_for_runs(["third"])
        assert await saver.aget_tuple(at()) is None
        assert await saver.storage.names() == []

    with_saver(address, run, use)


def test_a_copied_thread_goes_its_own_way(address: str, run: str) -> None:
    async def use(saver: ThreadSaver) -> None:
        graph = row(saver, says("a"), says("b"))
        final = await play(graph, words=["x"])
        await saver.acopy_thread("t", "copy")
        await graph.aupdate_state(at("copy"), {"words": ["y"], "count": 1}, as_node="n1")
        assert (await state(graph, at("copy")))["words"] == ["x", "a", "b", "y"]
        assert await state(graph) == final

    with_saver(address, run, use)
