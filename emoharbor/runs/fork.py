"""Branches: going on from inside recorded dialogues with something else, in a run of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.runs.edits import edited
from emoharbor.runs.history import Step, steps_of
from emoharbor.runs.plan import Cell, cell_name
from emoharbor.state.record import DialogueRecord
from emoharbor.suite import Branch, Origin, Suite

STATE = ("h_s", "h_u", "turn", "utterance", "ending")


@dataclass(frozen=True)
class Cut:
    """Where to cut: after the first `turn` exchanges, or after LangGraph's step `step`."""

    turn: int | None = None
    step: int | None = None

    def __post_init__(self) -> None:
        if (self.turn is None) == (self.step is None):
            raise ConfigError("a branch begins at a turn or at a step: name one of the two")
        if self.turn is not None and self.turn < 1:
            raise ConfigError(f"a branch begins after exchange 1 or later, not {self.turn}")

    def find(self, steps: Sequence[Step], name: str) -> Step:
        """The step after which the branch goes on. Raises ConfigError when there is none."""
        for step in steps:
            if step.node and step.next and self._is_at(step):
                return step
        last = max((step.values.get("turn", 0) for step in steps), default=0)
        if self.turn is not None:
            raise ConfigError(f"{name} has no exchange {self.turn} to go on after (it has {last})")
        known = ", ".join(str(s.number) for s in steps if s.node and s.next) or "none"
        raise ConfigError(f"{name}: nothing goes on after step {self.step} (steps: {known})")

    def _is_at(self, step: Step) -> bool:
        if self.turn is None:
            return step.number == self.step
        # Both have spoken, whoever opens, and no node of the exchange is open any more.
        lines = len(step.values.get("h_s", ()))
        return lines == 2 * self.turn and step.node in ("termination", "supporter")


@dataclass
class Branches:
    """New dialogues by their names, where each begins and with which state.

    `left_out` holds the parent's dialogues that cannot go on from there, each with the reason.
    """

    origins: dict[str, Origin] = field(default_factory=dict)
    seeds: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


async def cut_all(
    graph: Any,
    records: Sequence[DialogueRecord],
    cut: Cut,
    *,
    supporters: Sequence[str] = (),
    edits: Mapping[str, Any] | None = None,
) -> Branches:
    """Every dialogue of `records` cut, for each of `supporters` or for its own.

    `graph` is `history.topology` over the parent's checkpoints. A dialogue that ended before the
    cut is left out. Raises ConfigError when none is left, for an edit that does not fit, and when
    two dialogues would become the same new one.
    """
    made = Branches()
    for record in records:
        name = cell_name(record.cell)
        thread = record.own_thread
        try:
            step = cut.find(await steps_of(graph, thread), name)
        except ConfigError as error:
            made.left_out[name] = str(error)
            continue
        kept = {key: step.values[key] for key in STATE if key in step.values}
        origin = Origin(
            thread=thread, step=step.number, node=step.node or "", turn=kept.get("turn", 0)
        )
        for supporter in supporters or (record.supporter,):
            new = cell_name((supporter, record.profile, record.repeat))
            if new in made.origins:
                raise ConfigError(
                    f"{new} would go on from two dialogues, {made.origins[new].thread} and "
                    f"{thread}: say whose with --of SUPPORTER"
                )
            made.origins[new] = origin
            made.seeds[new] = edited({**kept, "ending": None}, edits or {})
    if not made.origins:
        why = next(iter(made.left_out.values()), "the run has no dialogue yet")
        raise ConfigError(f"no dialogue can be forked there: {why}")
    return made


def branch_suite(suite: Suite, parent: str, made: Branches, edits: Mapping[str, Any]) -> Suite:
    """The suite of the new run."""
    branch = Branch(run=parent, dialogues=made.origins, edits=dict(edits))
    return suite.model_copy(update={"branch": branch})


async def plant(graph: Any, cell: Cell, seeds: Mapping[str, Mapping[str, Any]]) -> None:
    """Gives the thread of a branched cell its beginning, unless it has one."""
    config = {"configurable": {"thread_id": cell.thread}}
    if cell.origin is None or (await graph.aget_state(config)).created_at:
        return
    if cell.name not in seeds:
        raise ConfigError(
            f"{cell.name} was to go on from {cell.origin.thread} and was never brought over: "
            "delete this run and fork again"
        )
    await graph.aupdate_state(config, dict(seeds[cell.name]), as_node=cell.origin.node)
