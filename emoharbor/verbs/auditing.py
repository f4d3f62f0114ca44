"""`audit`: whether the simulated user is any good; what `resume` and `show` do with its readings.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from emoharbor.errors import ConfigError
from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.audit import Corpus
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.inquiring import Prepared

Reader = Annotated[
    str | None,
    typer.Option("--model", help="Who reads each dialogue beside its profile for contradictions."),
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="With --model: the first so many dialogues.")
]
Out = Annotated[
    Path | None,
    typer.Option("--out", help="With --model: where its readings are kept (RUN/audit/MODEL)."),
]
Settings = Annotated[
    list[str],
    typer.Option("--set", help="KEY=VALUE, as in model.api_key_env=MY_KEY, temperature=0.3"),
]


def audit(
    source: Annotated[
        Path, typer.Argument(help="A run; or a file or folder of worst-case, ESConv or chat JSON.")
    ],
    against: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="A second one, to be shown beside it.")
    ] = None,
    model: Reader = None,
    limit: Limit = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Every figure: .csv or .json."),
    ] = None,
    folder: Out = None,
    concurrency: flags.Concurrency = None,
    settings: Settings = [],  # noqa: B006
    store: flags.Store = None,
    max_cost: flags.MaxCost = None,
    max_calls: flags.MaxCalls = None,
    max_time: flags.MaxTime = None,
) -> None:
    """Is the simulated user any good? Figures beside those of people; a model only with --model."""
    from emoharbor.audit.export import checked
    from emoharbor.audit.reading import read_corpus

    if output:
        checked(output)
    corpus = asyncio.run(read_corpus(source, store))
    other = asyncio.run(read_corpus(against, store)) if against else None
    if model is None:
        _report(corpus, other, output)
        return
    from emoharbor.runs.engine import RunOptions
    from emoharbor.verbs.doing import budget_of

    values = _values(source, store, model, limit, concurrency)
    options = RunOptions(budget=budget_of(max_cost, max_calls, max_time))
    _read(source, values, settings, corpus, other, folder, output, options)


def _values(
    source: Path, store: str | None, model: str, limit: int | None, concurrency: int | None
) -> dict[str, Any]:
    more = {"concurrency": concurrency} if concurrency else {}
    return {
        "source": str(source.absolute()),
        "store": store is not None,
        "model": {"spec": model, **more},
        "limit": limit,
    }


def _read(
    source: Path,
    values: dict[str, Any],
    settings: list[str],
    corpus: Corpus,
    other: Corpus | None,
    folder: Path | None,
    output: Path | None,
    options: RunOptions,
) -> None:
    from dataclasses import replace
    from functools import partial

    from emoharbor.audit.with_model import audit_config, folder_of, make_audit, readings_of
    from emoharbor.suite import parse_setting
    from emoharbor.verbs.doing import end
    from emoharbor.verbs.inquiring import ask

    config = audit_config(values, dict(map(parse_setting, settings)))
    where = folder or folder_of(source, config)
    asked, drain = ask(partial(make_audit, config, corpus), where, options)
    _report(replace(corpus, readings=readings_of(config, asked)), other, output)
    out.print(f"Readings: {where}   (emoharbor show {where})", highlight=False, markup=False)
    end(where, drain, f"{len(asked.failed)} dialogues" if asked.failed else "")


def _report(corpus: Corpus, other: Corpus | None, output: Path | None) -> None:
    from emoharbor.audit import audit as audited
    from emoharbor.audit.export import write
    from emoharbor.terminal.audit import audit_view

    found = audited(corpus, other)
    out.print(audit_view(found))
    if output:
        write(found, output)
        out.print(f"All figures: {output}", markup=False, highlight=False)


def prepare(values: dict[str, Any]) -> Prepared:
    """The dialogues that the values of a run.yaml ask to be read, and the figures as tables."""
    from functools import partial

    from emoharbor.audit.reading import read_corpus
    from emoharbor.audit.tables import reading_sheets
    from emoharbor.audit.with_model import AuditConfig, make_audit, readings_of

    config = AuditConfig.model_validate(values)
    if config.store:
        raise ConfigError(
            f"the dialogues of {config.source} are in Redis, whose address is not kept: go on with "
            "emoharbor audit --store and the same --model"
        )
    corpus = asyncio.run(read_corpus(Path(config.source)))
    return (
        partial(make_audit, config, corpus),
        lambda asked: reading_sheets(corpus, readings_of(config, asked)),
    )
