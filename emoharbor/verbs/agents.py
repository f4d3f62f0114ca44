"""`agents`: what can be put into each node, and whether an agent of one's own keeps the contract.

What it needs is imported when it is called, so that help and completion come at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer
from rich.text import Text

from emoharbor.verbs import flags
from emoharbor.verbs.console import out

if TYPE_CHECKING:
    from emoharbor.agents.shape import Node
    from emoharbor.state.profile import Language

HINT = (
    "ChatModel is named by `model:` and sampled by `temperature:`, `top_p:`, `max_tokens:`; "
    "Prompt and Rubric by a shipped name or a file.\n"
    "An agent of your own: package.module:attribute or folder/file.py:attribute; see docs/agents.md"
)


def agents(
    node: Annotated[
        str | None,
        typer.Argument(help="supporter, thinker, talker, termination or evaluator."),
    ] = None,
    check: Annotated[
        str | None, typer.Option(metavar="USE", help="Hold this agent to the contract.")
    ] = None,
    settings: Annotated[
        list[str], typer.Option("--set", help="With --check: KEY=VALUE of the agent; repeatable.")
    ] = [],  # noqa: B006
    language: flags.LanguageName = None,
    sampled: Annotated[
        bool, typer.Option("--sampled", help="With --check: it samples from a model of its own.")
    ] = False,
) -> None:
    """The agents that can be put into each node, or the contract of one."""
    from emoharbor.agents.shape import NODES
    from emoharbor.errors import ConfigError, nearest

    if node is not None and node not in NODES:
        raise ConfigError(f"no node '{node}'{nearest(node, NODES)}")
    if check:
        _check(node, check, settings, language, sampled=sampled)
    elif settings or sampled or language:
        raise ConfigError("--set, --language and --sampled go with --check USE")
    else:
        _list(node)


def _list(node: Node | None) -> None:
    from emoharbor.agents.listing import astray, offers
    from emoharbor.agents.shape import NODES, SIGNATURES
    from emoharbor.terminal.agents import offers_table

    for each in (node,) if node else NODES:
        out.print(offers_table(SIGNATURES[each], offers(each)))
    for problem in astray():
        out.print(Text(problem, style="red"))
    out.print(Text(HINT))


def _check(
    node: Node | None, use: str, settings: list[str], language: str | None, *, sampled: bool
) -> None:
    """Prints each check; exits with 1 where one fails."""
    import asyncio

    from emoharbor.agents.shape import SIGNATURES
    from emoharbor.errors import ConfigError
    from emoharbor.suite import parse_setting
    from emoharbor.testing.checking import check_agent, node_for
    from emoharbor.testing.checks import Terms
    from emoharbor.verbs.setup import SIGNS

    if language not in (None, "en", "zh"):
        raise ConfigError(f"--language {language}: en or zh is wanted")
    node = node or node_for(use)
    languages = (language,) if language else ("en", "zh")
    terms = Terms(node, cast("tuple[Language, ...]", languages), sampled)
    given = dict(parse_setting(text) for text in settings)
    outcomes = asyncio.run(check_agent(node, use, given, terms))
    for outcome in outcomes:
        problem = f": {outcome.problem}" if outcome.problem else ""
        out.print(Text.assemble(SIGNS[not outcome.problem], f" {outcome.check}{problem}"))
    if any(outcome.problem for outcome in outcomes):
        out.print(Text(f"wanted: {SIGNATURES[node]}"))
        raise typer.Exit(1)
    out.print(f"{use} keeps the contract of the {node}.")
