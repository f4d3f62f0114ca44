"""`profiles`: the people who can come to talk, looked at, checked, counted and brought along.

Each verb imports what it needs when it is called, so that help and completion come at once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from emoharbor.verbs.console import out

app = typer.Typer(
    name="profiles",
    help="The people who come to talk: list, show, check, count, import and build them.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
Source = Annotated[
    str | None,
    typer.Argument(help="A shipped set, a file or a folder; as in zh?topic=work (all that ship)."),
]
# An option for each filter of an address; its name and its words are those of the address.
FILTERS: dict[str, Any] = {
    "language": Annotated[str | None, typer.Option(help="en or zh.")],
    "topic": Annotated[str | None, typer.Option(help="As in work,study.")],
    "mbti": Annotated[str | None, typer.Option(help="As in INFP,ISFP.")],
    "age": Annotated[str | None, typer.Option(help="A number, or a range as 18-30.")],
    "gender": Annotated[str | None, typer.Option(help="As it stands in the profiles.")],
    "goal": Annotated[
        str | None, typer.Option(help="be_heard, understand, decide, act, repair or accept.")
    ],
    "risk": Annotated[str | None, typer.Option(help="self_harm, violence, abuse or none.")],
    "hard": Annotated[bool | None, typer.Option("--hard/--no-hard", help="Hard to reach.")],
    "minor": Annotated[bool | None, typer.Option("--minor/--no-minor", help="Under 18.")],
}


def filtered(call: Callable[..., None]) -> Callable[..., None]:
    """`call(addresses, *, …)` as a command with SOURCE and the options of FILTERS.

    Without a SOURCE the addresses are those of all shipped sets.
    """

    @functools.wraps(call)
    def command(source: str | None = None, **given: Any) -> None:
        from emoharbor.profiles.filters import narrowed
        from emoharbor.profiles.load import shipped_sets

        wanted = {name: given.pop(name) for name in FILTERS}
        if source is None and wanted["language"] in shipped_sets():
            source = wanted.pop("language")
        words = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in wanted.items()
            if value is not None
        }
        sources = [source] if source is not None else shipped_sets()
        call([narrowed(each, words) for each in sources], **given)

    kind = inspect.Parameter.KEYWORD_ONLY
    own = list(inspect.signature(call, eval_str=True).parameters.values())[1:]
    first = inspect.Parameter("source", kind, default=None, annotation=Source)
    options = (inspect.Parameter(n, kind, default=None, annotation=a) for n, a in FILTERS.items())
    command.__dict__["__signature__"] = inspect.Signature([first, *options, *own])
    return command


def verb(*examples: str, name: str | None = None) -> Callable[..., Any]:
    """A command of this app, with examples below its help."""
    return app.command(name, epilog="Examples:\n\n" + "\n\n".join(examples))


@verb(
    "emoharbor profiles list zh --topic work --age 18-30",
    "emoharbor profiles list 'people.jsonl?risk=none'",
    name="list",
)
@filtered
def list_people(addresses: list[str]) -> None:
    """Who there is, a line a person."""
    from emoharbor.profiles.load import load_each
    from emoharbor.terminal.profiles import people_table

    out.print(people_table([one for people in load_each(addresses).values() for one in people]))


@verb("emoharbor profiles show en-001", "emoharbor profiles show me people.yaml")
def show(
    person: Annotated[str, typer.Argument(metavar="ID", help="As it stands in the list.")],
    source: Source = None,
) -> None:
    """One person whole."""
    from emoharbor.errors import ConfigError, nearest
    from emoharbor.profiles.load import load_each, shipped_sets
    from emoharbor.terminal.profiles import person_view

    sources = [source] if source is not None else shipped_sets()
    people = {one.id: one for found in load_each(sources).values() for one in found}
    if person not in people:
        raise ConfigError(
            f"no person '{person}' in {' or '.join(sources)}{nearest(person, people)}"
        )
    out.print(person_view(people[person]))


@verb("emoharbor profiles check", "emoharbor profiles check people.jsonl")
@filtered
def check(addresses: list[str]) -> None:
    """Schema, coverage, repetition, minors, risk, length; exits with 1 where something is wrong."""
    from emoharbor.profiles.checks import check as examine
    from emoharbor.terminal.profiles import report_view

    reports = [examine(address) for address in addresses]
    for report in reports:
        out.print(report_view(report))
    if any(report.findings for report in reports):
        raise typer.Exit(1)


@verb("emoharbor profiles stats zh", "emoharbor profiles stats en -o figures")
@filtered
def stats(
    addresses: list[str],
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FOLDER", help="Draw the figures here, PNG and SVG."
        ),
    ] = None,
) -> None:
    """How many people of each age, occupation, type, topic and so on; with -o as figures."""
    from emoharbor.profiles.load import load_each
    from emoharbor.terminal.profiles import counts_view

    for address, people in load_each(addresses).items():
        out.print(f"\n{address}: {len(people)} people", style="bold", highlight=False, markup=False)
        out.print(counts_view(people))
        if output:
            from emoharbor.profiles.figures import draw

            for file in draw(people, output, address):
                out.print(str(file), highlight=False, markup=False)


@verb(
    "emoharbor profiles import profiles/ -o drafts.jsonl --from worst_case",
    "emoharbor profiles import ESConv.json -o drafts.jsonl --from esconv",
    name="import",
)
def bring(
    source: Annotated[Path, typer.Argument(help="A JSON or JSONL file, or a folder of these.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The drafts, one a line.")],
    form: Annotated[
        str, typer.Option("--from", help="worst_case, esc_eval, esconv or personamem.")
    ],
) -> None:
    """Another project's people as drafts: what it says of each, and a list of what it does not."""
    from emoharbor.profiles.foreign import read_foreign, write_drafts
    from emoharbor.terminal.profiles import drafts_table

    drafts = read_foreign(source, form)
    write_drafts(drafts, output)
    out.print(drafts_table(drafts))
    out.print(
        f"{len(drafts)} drafts in {output}; `emoharbor profiles build` completes them.",
        highlight=False,
        markup=False,
    )
