"""EmoHarbor under load: a whole run through its public door, or the graph alone."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import redis
from langchain_core.runnables import RunnableConfig

from benchmarks.job import Meter
from emoharbor.checkpoints.open import open_checkpointer
from emoharbor.flags import suite_from_flags
from emoharbor.graphs.context import Context
from emoharbor.graphs.dialogue import build_dialogue
from emoharbor.models.pool import ModelPool
from emoharbor.profiles import load_profiles
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import Listener, run_suite
from emoharbor.runs.seats import seat_all
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Suite


def suite_for(job: Mapping[str, Any]) -> Suite:
    """So many dialogues of the shipped suite, all roles served by one model at one address."""
    spec = f"openai:bench@{job['url']}"
    people = next(n for n in range(10, 0, -1) if job["dialogues"] % n == 0)
    plain = {
        "max_turns": job["turns"],
        "limit": people,
        "repeats": job["dialogues"] // people,
        "concurrency": job["live"],
        "language": job.get("language", "en"),
    }
    return suite_from_flags("emoharbor", supporters=[f"bot={spec}"], model=spec, plain=plain)


async def whole(job: Mapping[str, Any], meter: Meter) -> None:
    """A run with records, journal and checkpoints in its folder, or in Redis with `store`."""
    store = job.get("store")
    records: list[DialogueRecord] = []
    listener = Listener(on_plan=lambda *told: meter.start(), on_record=records.append)
    with tempfile.TemporaryDirectory(prefix="emoharbor-bench-") as parent:
        out = Path(parent) / Path(parent).name
        await run_suite(suite_for(job), out, listener, RunOptions(store=store))
        meter.stop(
            turns=[record.turns for record in records],
            finished=sum(record.verdict is not None for record in records),
            failures=[record.failure.message for record in records if record.failure][:5],
            kept_bytes=sum(f.stat().st_size for f in out.rglob("*") if f.is_file()),
        )
    if store:
        _forget(store, out.name)


def _forget(store: str, run: str) -> None:
    """Takes the run off the server again, whatever the keys are that it left."""
    with redis.Redis.from_url(store) as client:
        for key in client.scan_iter(f"*{run}*", count=10_000):
            client.delete(key)
        client.srem("emoharbor:runs", run)


async def graph_alone(job: Mapping[str, Any], meter: Meter) -> None:
    """The loop and the models without runner and journal; `saver` is "memory:" or "" for none."""
    suite = suite_for(job)
    people = load_profiles(suite.profiles)[: suite.limit]
    async with ModelPool() as pool, open_checkpointer("memory:") as memory:
        agents = seat_all(suite, suite.supporters[0], pool.model).agents
        graph = build_dialogue(agents).compile(checkpointer=memory if job.get("saver") else None)

        start: Any = {"turn": 0}
        durability: Literal["sync"] | None = "sync" if job.get("saver") else None

        async def one(number: int) -> int:
            context = Context(
                profile=people[number % len(people)].model_dump_json(),
                seed=number,
                max_turns=suite.max_turns,
                language=suite.language,
                failures={},
            )
            config = RunnableConfig(
                configurable={"thread_id": f"bench/{number}"}, recursion_limit=10_000
            )
            # The journal would fill in a seed of the dialogue's own; here all share the server's.
            steps = 0
            async for _ in graph.astream(
                start, config, context=context, stream_mode="updates", durability=durability
            ):
                steps += 1
            return steps

        meter.start()
        steps = await asyncio.gather(*(one(number) for number in range(job["dialogues"])))
        meter.stop(finished=len(steps), supersteps=sum(steps))
