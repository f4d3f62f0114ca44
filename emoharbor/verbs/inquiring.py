"""What verbs that ask many single questions have in common: run, resume, show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.runs.answers import Asked
    from emoharbor.runs.drain import Drain
    from emoharbor.runs.engine import RunOptions
    from emoharbor.runs.inquiry import Make
    from emoharbor.runs.reader import RunReader
    from emoharbor.sheets import Format, Sheet

Tables = Callable[["Asked"], "Sequence[Sheet]"]
Prepared = tuple["Make", Tables]


def prepared(values: dict[str, Any], where: str) -> Prepared:
    """The questions of the inquiry that run.yaml holds, and its tables."""
    from emoharbor.verbs import arena, auditing, judge_check

    kinds = {
        "arena": arena.prepare,
        "judge-check": judge_check.prepare,
        "model-audit": auditing.prepare,
    }
    kept = {key: value for key, value in values.items() if key != "recorded"}
    if kept["inquiry"] not in kinds:
        raise ConfigError(f"{where}: this version knows no inquiry '{kept['inquiry']}'")
    return kinds[kept["inquiry"]](kept)


def do_inquiry(
    what: Prepared,
    where: Path,
    options: RunOptions,
    form: Format | None = None,
    output: Path | None = None,
) -> None:
    """Asks and prints; exits with 1 when a question failed, 3 at a limit, 130 or 143 if stopped."""
    from emoharbor.terminal.sheets import emit
    from emoharbor.verbs.doing import end

    make, tables = what
    asked, drain = ask(make, where, options)
    emit(out, tables(asked), form, output)
    if output or form is None:
        words = f"Run folder: {where}   (emoharbor show {where})"
        out.print(words, highlight=False, markup=False, soft_wrap=True)
    end(where, drain, f"{len(asked.failed)} questions" if asked.failed else "")


def ask(make: Make, where: Path, options: RunOptions) -> tuple[Asked, Drain]:
    """What came of the questions, asked until a signal; the drain knows whether a limit stopped."""
    from emoharbor.runs.drain import Drain
    from emoharbor.runs.inquiry import run_inquiry
    from emoharbor.terminal.inquiry import LiveInquiry
    from emoharbor.verbs.doing import until_signal

    live, drain = LiveInquiry(out), Drain()
    work = partial(run_inquiry, make, where, live.listener, options, drain)
    return until_signal(work, where, drain, live.bar), drain


async def show_inquiry(
    reader: RunReader, values: dict[str, Any], key: str | None, role: str | None
) -> None:
    """The tables of what was answered so far, or the requests and replies of one question."""
    import asyncio

    from emoharbor.models.pool import ModelPool
    from emoharbor.runs.answers import settled, stored_answers
    from emoharbor.runs.find import calls_in
    from emoharbor.terminal.dialogues import call_view
    from emoharbor.terminal.sheets import emit

    known = await stored_answers(reader.record_lines.all())
    if key is None:
        make, tables = await asyncio.to_thread(prepared, values, reader.where)
        plan = make(ModelPool().model)
        emit(out, tables(settled({q.key: q.thread for q in plan.questions}, known)), None, None)
        return
    if key not in known:
        raise ConfigError(f"{reader.where} has no question '{key}'{nearest(key, known)}")
    record = known[key]
    asked = role or next(iter(record.usage), "")
    for entry in await calls_in(reader, (record.thread,), record.usage, asked):
        out.print(call_view(entry))
