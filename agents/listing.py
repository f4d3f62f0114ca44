"""What can be put into a node, for a reader."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

from emoharbor.agents.locate import GROUP, package_of, plugins
from emoharbor.agents.parameters import parameter_words
from emoharbor.agents.resolve import BUILT_IN, find, plugins_of
from emoharbor.agents.shape import NODES, Node
from emoharbor.errors import ConfigError, nearest


@dataclass(frozen=True)
class Offer:
    """One agent: its short name, who offers it, what it takes, what it is or what is wrong."""

    use: str
    source: str
    parameters: tuple[str, ...] = ()
    says: str = ""
    problem: str | None = None


def offers(node: Node) -> list[Offer]:
    """The built-in agents of a node and those of installed packages.

    One that cannot be loaded is told as such; it takes no other with it.
    """
    named = [(name, "built in") for name in BUILT_IN[node]]
    for name, entries in plugins_of(node).items():
        named += [(name, package_of(entry)) for entry in entries]
    return [_offer(node, name, source) for name, source in named]


def astray() -> Iterator[str]:
    """The entry points of the group that name no node."""
    for name, entries in plugins().items():
        node, dot, rest = name.partition(".")
        if node not in NODES or not rest:
            for entry in entries:
                hint = nearest(node, NODES) if dot else "; wanted is NODE.NAME"
                where = f"{package_of(entry)}: the entry point '{name}' of {GROUP}"
                yield f"{where} names no node{hint}"


def _offer(node: Node, name: str, source: str) -> Offer:
    try:
        found = find(node, name)
        says = (inspect.getdoc(found) or "").partition("\n")[0]
        return Offer(name, source, tuple(parameter_words(found)), says)
    except ConfigError as error:
        return Offer(name, source, problem=str(error))
