"""`suites` and `doctor`: what ships and what is installed.

Each verb imports what it needs when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from emoharbor.verbs.console import out

SIGNS = {True: ("ok  ", "green"), False: ("FAIL", "red"), None: ("-   ", "dim")}


def suites(
    name: Annotated[str | None, typer.Argument(help="Print this one, resolved.")] = None,
) -> None:
    """The suites that ship, or one of them resolved."""
    import yaml

    from emoharbor.suite import load_suite, shipped_suites

    if name:
        values = load_suite(name).model_dump(mode="json")
        out.print(Text(yaml.safe_dump(values, allow_unicode=True, sort_keys=False).rstrip()))
        return
    for shipped in shipped_suites():
        out.print(Text.assemble((f"{shipped:24}", "bold"), load_suite(shipped).description))


def doctor(
    model: Annotated[list[str], typer.Option(help="Call this model once; repeatable.")] = [],  # noqa: B006
    install_model: Annotated[
        bool, typer.Option("--install-model", help="Install the small local model.")
    ] = False,
) -> None:
    """What is installed, which endpoints answer, and what to do about what does not."""
    import asyncio

    from emoharbor import doctor as examine

    if install_model:
        examine.install_model()
    findings = examine.installed() + asyncio.run(examine.endpoints(model))
    for finding in findings:
        out.print(Text.assemble(SIGNS[finding.ok], f" {finding.what:20} {finding.says}"))
    if any(finding.ok is False for finding in findings):
        raise typer.Exit(1)
