"""Tables at 80 columns: what is copied from them is whole."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from emoharbor.state.record import Judging
from emoharbor.terminal.tables import dialogue_table
from tests.state.test_verdict import record


def lines(table: Table) -> list[str]:
    console = Console(width=80)
    with console.capture() as capture:
        console.print(table)
    return capture.get().splitlines()


def test_a_dialogue_is_named_on_one_line() -> None:
    cut = record(supporter="a-bot", judging=Judging(run="r", sample=2, upto=12))
    told = lines(dialogue_table([cut]))
    assert cut.name in "\n".join(told) and all(len(line) <= 80 for line in told)


def test_a_name_that_is_too_long_is_folded_and_not_cut() -> None:
    long = record(supporter="a" * 70)
    told = lines(dialogue_table([long]))
    cells = "".join(line.split("│")[1].strip() for line in told if line.startswith("│"))
    assert cells == long.name and all(len(line) <= 80 for line in told)
