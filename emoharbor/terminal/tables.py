"""Tables of a run and of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from emoharbor.state.record import DialogueRecord, RoleUsage
from emoharbor.stats.cost import Prices, cost_of, total_cost
from emoharbor.stats.summary import Mean, SupporterSummary

# To show a run takes none of what a run takes.
if TYPE_CHECKING:
    from emoharbor.models.config import ModelConfig
    from emoharbor.runs.listing import RunState
    from emoharbor.runs.plan import Plan

UNKNOWN = "unknown"
NAME_WIDTH = 34  # of 80 columns, what the rest of a line leaves to a dialogue's name
TOKENS = ("input_tokens", "cached_tokens", "output_tokens")
ENDINGS = {
    "user_satisfied": "user satisfied",
    "user_gave_up": "user gave up",
    "user_left": "user left",
    "max_turns": "exchange limit",
    "recorded_end": "recording ended",
}


def score_table(summaries: Sequence[SupporterSummary]) -> Table:
    """Dimensions down, supporters across: mean, and marks in it and missing from it."""
    table = Table(title="Scores (1-5): mean (marks scored / unscored)", title_justify="left")
    table.add_column("dimension", overflow="fold")
    for summary in summaries:
        table.add_column(summary.supporter, justify="right", overflow="fold")
    keys = list(dict.fromkeys(key for s in summaries for key in s.dimensions))
    for key in keys:
        table.add_row(key, *(_mean(s.dimensions.get(key)) for s in summaries))
    table.add_section()
    table.add_row("mean of dimensions", *(_number(s.average) for s in summaries))
    table.add_row("dialogues finished", *(str(s.finished) for s in summaries))
    table.add_row("dialogues failed", *(str(s.failed) for s in summaries))
    if any(s.unjudged for s in summaries):
        table.add_row("dialogues without a verdict", *(str(s.unjudged) for s in summaries))
    table.add_row("exchanges a dialogue", *(_number(s.exchanges, 1) for s in summaries))
    for reason, words in ENDINGS.items():
        if any(reason in s.endings for s in summaries):
            table.add_row(f"ended: {words}", *(str(s.endings.get(reason, 0)) for s in summaries))
    return table


def usage_table(summary: SupporterSummary, prices: Prices) -> Table:
    """What each role of one supporter's dialogues cost; a price that is not known is no zero."""
    table = Table(title=f"Model calls: {summary.supporter}", title_justify="left")
    table.add_column("role")
    for column in ("calls", "input tokens", "cached", "output tokens", "seconds", "USD"):
        table.add_column(column, justify="right")
    costs = []
    for role, usage in summary.usage.items():
        costs.append(cost_of(usage, summary.models.get(role, ""), prices))
        row = (role, str(usage.calls), *_tokens(usage), f"{usage.seconds:.1f}", _usd(costs[-1]))
        table.add_row(*row)
    calls = sum(usage.calls for usage in summary.usage.values())
    seconds = sum(usage.seconds for usage in summary.usage.values())
    table.add_section()
    total = _usd(total_cost(costs).total)
    table.add_row("all", str(calls), *_sums(summary.usage), f"{seconds:.1f}", total)
    dialogues = summary.finished + summary.failed + summary.unjudged
    if dialogues > 1:
        each = total_cost(costs).total
        per = [_each(summary.usage, name, dialogues) for name in TOKENS]
        mean = _usd(None if each is None else each / dialogues)
        table.add_row(
            "a dialogue", f"{calls / dialogues:.1f}", *per, f"{seconds / dialogues:.1f}", mean
        )
    return table


def dialogue_table(records: Sequence[DialogueRecord]) -> Table:
    """One line a dialogue: how long, how it ended, what it was marked."""
    table = Table(title="Dialogues", title_justify="left")
    # A name that breaks over two lines cannot be copied into the next command.
    longest = max((len(name_of(record)) for record in records), default=0)
    table.add_column("dialogue", overflow="fold", no_wrap=longest <= NAME_WIDTH)
    for column in ("exchanges", "ended", "mean", "scored", "unscored"):
        numeric = column != "ended"
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for record in records:
        table.add_row(name_of(record), str(record.turns), how_ended(record), *_marks(record))
    return table


def plan_table(plan: Plan) -> Table:
    """What would be run."""
    suite = plan.suite
    profiles = len({cell.profile.id for cell in plan.cells})
    table = Table(title=f"Plan of {suite.name}", title_justify="left", show_header=False)
    table.add_row("dialogues", f"{len(plan.cells)} = {len(suite.supporters)} supporters x "
                  f"{profiles} profiles x {suite.repeats} repeats")  # fmt: skip
    table.add_row("exchanges", f"at most {suite.max_turns}, the {suite.opening} opens")
    table.add_row("model calls", f"at most {plan.most_calls}, repairs and retries aside")
    table.add_row("language, profiles", f"{suite.language}, {suite.profiles}")
    for name, seating in plan.seatings.items():
        table.add_row(f"supporter {name}", _model(seating.models, "supporter"))
    for role in ("thinker", "talker", "termination", "evaluator"):
        table.add_row(role, _model(next(iter(plan.seatings.values())).models, role))
    return table


def runs_table(states: Sequence[RunState]) -> Group:
    """One line a run, and below who runs those that are running."""
    table = Table(title="Runs", title_justify="left")
    numbers = ("failed", "calls", "USD so far")
    table.add_column("run", overflow="fold")
    for column in ("kept in", "state", "dialogues", *numbers):
        table.add_column(column, justify="right" if column in numbers else "left", no_wrap=True)
    for s in states:
        done = (f"{s.finished} of {s.cells}", str(s.failed), str(s.calls), _usd(s.cost))
        table.add_row(Text(s.name), s.place, s.word, *done)
    owners = (Text(f"{s.name} ({s.place}): run by {s.owner}") for s in states if s.owner)
    return Group(table, *owners)


def run_line(state: RunState) -> Text:
    """How far a run is, in one line."""
    by = f", run by {state.owner}" if state.owner else ""
    cost = "cost unknown" if state.cost is None else f"{_usd(state.cost)} USD"
    return Text(
        f"{state.where}: {state.word}, {state.finished} of {state.cells} dialogues finished, "
        f"{state.failed} failed, {state.calls} calls, {cost}{by}"
    )


def name_of(record: DialogueRecord) -> str:
    """How a dialogue is called on the command line."""
    return record.name


def how_ended(record: DialogueRecord) -> str:
    """The ending in words, or the failure's type and node; of a prefix, where it was cut."""
    if record.failure:
        return f"failed: {record.failure.error} in {record.failure.node or 'the runner'}"
    if record.judging and record.judging.upto:
        return f"judged up to exchange {record.judging.upto}"
    return ENDINGS[record.ending.reason] if record.ending else "?"


def _marks(record: DialogueRecord) -> tuple[str, str, str]:
    if not record.verdict:
        return "-", "-", "-"
    marks = record.verdict.scores.values()
    values = [mark.value for mark in marks if mark.kind == "score"]
    mean = sum(values) / len(values) if values else None
    return _number(mean), str(len(values)), str(len(marks) - len(values))


def _mean(mean: Mean | None) -> str:
    if mean is None:
        return "not in this rubric"
    return f"{_number(mean.value)} ({mean.scored}/{mean.unscored})"


def _number(value: float | None, digits: int = 2) -> str:
    return "undefined" if value is None else f"{value:.{digits}f}"


def _usd(cost: float | None) -> str:
    return UNKNOWN if cost is None else f"{cost:.4f}"


def _sum_of(usage: Mapping[str, RoleUsage], name: str) -> int | None:
    values = [getattr(one, name) for one in usage.values()]
    return None if None in values else sum(values)


def _sums(usage: Mapping[str, RoleUsage]) -> list[str]:
    sums = [_sum_of(usage, name) for name in TOKENS]
    return [UNKNOWN if value is None else f"{value:,}" for value in sums]


def _each(usage: Mapping[str, RoleUsage], name: str, dialogues: int) -> str:
    value = _sum_of(usage, name)
    return UNKNOWN if value is None else f"{value / dialogues:,.0f}"


def _tokens(usage: RoleUsage) -> list[str]:
    values = [getattr(usage, name) for name in TOKENS]
    return [UNKNOWN if value is None else f"{value:,}" for value in values]


def _model(models: Mapping[str, ModelConfig], role: str) -> str:
    return models[role].spec or "" if role in models else "no model"
