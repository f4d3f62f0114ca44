"""One item of a judging: a dialogue up to somewhere, put before the judge or the Thinker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import StateSnapshot

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.agents.replay import RecordedEnd, ReplaySupporter, ReplayTalker, floors
from emoharbor.agents.scripted import ScriptedEvaluator
from emoharbor.agents.thinker import no_thinker
from emoharbor.graphs.context import Context
from emoharbor.graphs.dialogue import Agents, build_dialogue
from emoharbor.judging.cut import first, woven
from emoharbor.judging.plan import Item, JudgingPlan
from emoharbor.runs.drain import Drain
from emoharbor.runs.journal import RunJournal
from emoharbor.runs.threads import AnyGraph, config_of, failure_of, go_on, now, tried
from emoharbor.runs.tracing import dialogue_span
from emoharbor.state.dialogue import Message
from emoharbor.state.record import DialogueRecord
from emoharbor.state.verdict import Ending, Failure, Verdict

Told = Callable[[Item, str, dict[str, Any]], None]


@dataclass(frozen=True)
class Asker:
    """Asks what a plan holds. `name` is the run's, for spans; `told` hears of every node's visit.

    Judges with the same order of dimensions share a graph.
    """

    plan: JudgingPlan
    saver: BaseCheckpointSaver[Any]
    journal: RunJournal
    told: Told
    drain: Drain
    name: str
    graphs: dict[tuple[str, ...], AnyGraph] = field(default_factory=dict)

    async def run(self, item: Item) -> DialogueRecord | None:
        """The item's record, of an answer or of a failure; None when the run is stopping.

        Raises CheckpointError alone: a run whose store is gone cannot go on.
        """
        with dialogue_span(self.plan.work.suite.name, self.name, item) as tell:
            record = await self._run(item)
            tell(record)
            return record

    async def _run(self, item: Item) -> DialogueRecord | None:
        started = now()
        graph = self._judge(item) if item.judging else self._replay(item)

        async def whole() -> DialogueRecord:
            if item.judging:
                await self._put_before(graph, item)
                await self._go_on(graph, item, {})
            else:
                await self._go_on(graph, item, _beginning(item), interrupt_before=["evaluator"])
            state = await graph.aget_state(config_of(item.thread))
            self.journal.forget(item.thread)
            return self._record(item, state, None, started)

        async def failed(error: Exception) -> DialogueRecord:
            state = await graph.aget_state(config_of(item.thread))
            failure = await failure_of(error, item.thread, state, self.journal)
            return self._record(item, state, failure, started)

        return await tried(whole(), failed)

    def _judge(self, item: Item) -> AnyGraph:
        """The loop with the judge in it, who asks in the item's order; nobody else is asked."""
        order = item.judging.order if item.judging else ()
        place = (item.record.language, *order)
        if place not in self.graphs:
            judge = in_order(self.plan.seats[item.record.language].agent, order)
            agents = Agents(
                ReplaySupporter(()), no_thinker, ReplayTalker(()), RecordedEnd(()), judge
            )
            self.graphs[place] = build_dialogue(agents).compile(checkpointer=self.saver)
        return self.graphs[place]

    def _replay(self, item: Item) -> AnyGraph:
        """The loop with the Thinker in it and both sides as recorded; it stops before the judge."""
        lines = tuple(item.record.h_s)
        agents = Agents(
            ReplaySupporter(lines),
            self.plan.seats[item.record.language].agent,
            ReplayTalker(lines),
            RecordedEnd(lines),
            ScriptedEvaluator(),
        )
        return build_dialogue(agents, opening="user").compile(checkpointer=self.saver)

    async def _put_before(self, graph: AnyGraph, item: Item) -> None:
        """Gives a new thread the dialogue as far as it is judged, with the judge next."""
        config, judging = config_of(item.thread), item.judging
        if judging is None or (await graph.aget_state(config)).created_at:
            return
        h_u, turn = first(item.record, judging.upto), judging.upto or item.record.turns
        ended = None if judging.upto else item.record.ending
        values = {
            "h_s": [one for one in h_u if isinstance(one, Message)],
            "h_u": h_u,
            "turn": turn,
            # The loop leads to the judge where a dialogue is over: here what was recorded is.
            "ending": ended or Ending(reason="recorded_end", turn=turn),
        }
        await graph.aupdate_state(config, values, as_node="termination")

    async def _go_on(self, graph: AnyGraph, item: Item, start: dict[str, Any], **how: Any) -> None:
        def told(node: str, update: dict[str, Any]) -> None:
            self.told(item, node, update)

        context = Context(
            profile=item.profile.model_dump_json(),
            seed=item.seed,
            max_turns=item.record.turns if item.judging else _floors_of_user(item),
            language=item.record.language,
            failures=self.journal.failures(item.thread),
        )
        await go_on(graph, item.thread, start, context, self.drain, told, **how)

    def _record(
        self, item: Item, state: StateSnapshot, failure: Failure | None, started: str
    ) -> DialogueRecord:
        role, seat = self.plan.work.role, self.plan.seats[item.record.language]
        others = {k: v for k, v in item.record.prompts.items() if not k.startswith(f"{role}/")}
        answer = self._verdict(item, state) if item.judging else _states(item, state)
        update = {
            **(answer if failure is None else {**answer, "verdict": None}),
            "thread": item.thread,
            "verdict_hash": item.hash if item.judging else "",
            "seed": item.seed,
            "judging": item.judging,
            "failure": failure,
            "models": {**item.record.models, role: self.plan.work.spec},
            "prompts": {**others, **{f"{role}/{k}": v for k, v in seat.prompts.items()}},
            "usage": self.journal.usage(item.thread),
            "started": started,
            "finished": now(),
        }
        return item.record.model_copy(update=update)

    def _verdict(self, item: Item, state: StateSnapshot) -> dict[str, Any]:
        """The dialogue as far as it was judged, and its marks in the rubric's own order."""
        upto = item.judging.upto if item.judging else None
        verdict: Verdict | None = state.values.get("verdict")
        keys = self.plan.seats[item.record.language].agent.rubric.keys
        if verdict:
            marks = {key: verdict.scores[key] for key in keys}
            verdict = verdict.model_copy(update={"scores": marks})
        if upto is None:
            return {"verdict": verdict}
        h_u = first(item.record, upto)
        h_s = [one for one in h_u if isinstance(one, Message)]
        return {"verdict": verdict, "h_s": h_s, "h_u": h_u, "turns": upto, "ending": None}


def in_order(judge: UserAsJudge, order: tuple[str, ...]) -> UserAsJudge:
    """The judge with the dimensions of its rubric asked in another order."""
    by_key = {dimension.key: dimension for dimension in judge.rubric.dimensions}
    dimensions = tuple(by_key[key] for key in order)
    return replace(judge, rubric=judge.rubric.model_copy(update={"dimensions": dimensions}))


def _beginning(item: Item) -> dict[str, Any]:
    """What is there before the user first speaks: the supporter's words, where it opened."""
    lines = floors(item.record.h_s)
    heard = lines[:1] if lines[0].role == "supporter" else []
    return {"turn": 0, "h_s": heard, "h_u": heard}


def _floors_of_user(item: Item) -> int:
    return sum(line.role == "user" for line in floors(item.record.h_s))


def _states(item: Item, state: StateSnapshot) -> dict[str, Any]:
    """The lines as they were recorded, with the states that came before the user's."""
    inner = [one for one in state.values.get("h_u", ()) if not isinstance(one, Message)]
    return {"h_u": woven(item.record.h_s, inner), "verdict": None}
