"""What `step` does: one dialogue at a prompt, a command a line."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from emoharbor.errors import ConfigError, PromptError
from emoharbor.models.reasoning import clean
from emoharbor.runs.edits import parse_edit
from emoharbor.runs.history import Step
from emoharbor.runs.plan import cell_name
from emoharbor.runs.stepping import Stepper, open_stepper
from emoharbor.suite import Suite, parse_setting
from emoharbor.terminal.dialogues import call_view, ending_line, verdict_table
from emoharbor.terminal.steps import numbered, state_view, steps_view
from emoharbor.verbs.beside import Beside
from emoharbor.verbs.console import out
from emoharbor.verbs.tracing import spans_sent

HELP = """\
n or Enter          run the next node
t                   run to the end of the exchange
c                   run to the end of the dialogue
s                   show the whole state
e NAME=VALUE        edit what was said or thought last: supporter=TEXT, user=TEXT,
                    thinker.FIELD=VALUE, utterance.FIELD=VALUE
w NODE KEY=VALUE …  swap the agent of a node from now on: w talker use=my_mod:MyTalker,
                    w thinker model=openai:gpt-4o temperature=0.2
p                   show the last model call: its raw request and reply
q                   leave; nothing is lost (so does the end of the input, and Ctrl-C)
?                   show this"""

SWAP_FORM = "w: NODE KEY=VALUE … is wanted, as in w thinker temperature=0.2"


def play(suite: Suite, where: Path, store: str | None) -> None:
    """Plays the dialogue until it is left. Ctrl-C loses nothing and exits with 130."""
    left = f"Run folder: {where}"
    code = 0
    # Lines can be edited as they are typed where Python has this module.
    with suppress(ImportError):
        import readline  # noqa: F401
    try:
        with (
            spans_sent(),
            Beside() as beside,
            beside.opened(open_stepper(suite, where, store)) as stepper,
        ):
            session = Session(stepper, beside)
            try:
                session.talk()
            finally:
                node = stepper.next_node
                left = f"{left}   (emoharbor show {where})"
                if node:
                    left = f"Left before the {node}. Go on with: emoharbor step {where}"
    except KeyboardInterrupt:
        out.print()
        code = 128 + signal.SIGINT
    out.print(left, markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(code)


class Session:
    """Commands in, views out."""

    def __init__(self, stepper: Stepper, beside: Beside) -> None:
        self._stepper = stepper
        self._beside = beside
        self._commands: dict[str, Callable[[str], None]] = {
            "": self._next,
            "n": self._next,
            "t": lambda rest: self._on(stepper.to_turn(self._told)),
            "c": lambda rest: self._on(stepper.to_end(self._told)),
            "s": lambda rest: out.print(state_view(stepper.state)),
            "e": self._edit,
            "w": self._swap,
            "p": self._last_call,
            "?": lambda rest: out.print(HELP, markup=False, highlight=False),
        }

    def talk(self) -> None:
        """One command after the other, until `q` or the end of the input."""
        name = cell_name(self._stepper.cell.key)
        out.print(f"{name}, node by node (? tells the commands)", markup=False, highlight=False)
        for item in numbered(self._stepper.state.values.get("h_u", ())):
            out.print(item)
        self._coming()
        while (line := self._asked()) is not None:
            word, _, rest = line.strip().partition(" ")
            if word == "q":
                return
            try:
                if word not in self._commands:
                    raise ConfigError(f"no command '{word}': ? tells them all")
                self._commands[word](rest.strip())
            except (ConfigError, PromptError) as error:
                out.print(Text.assemble(("error: ", "bold red"), str(error)))

    def _asked(self) -> str | None:
        try:
            return clean(input(f"{self._stepper.next_node or 'over'}> "))
        except EOFError:
            out.print()
            return None

    def _next(self, rest: str) -> None:
        self._beside.run(self._stepper.step())
        if self._stepper.failure is None:
            self._told(self._stepper.state)
        self._coming()

    def _on(self, work: Any) -> None:
        self._beside.run(work)
        self._coming()

    def _edit(self, rest: str) -> None:
        self._told(self._beside.run(self._stepper.edit(dict([parse_edit(rest)]))))
        self._coming()

    def _swap(self, rest: str) -> None:
        try:
            node, *settings = shlex.split(rest)
        except ValueError as error:
            raise ConfigError(SWAP_FORM) from error
        if not all("=" in setting for setting in settings):
            raise ConfigError(SWAP_FORM)
        self._beside.run(self._stepper.swap(node, dict(map(parse_setting, settings))))
        self._coming()

    def _last_call(self, rest: str) -> None:
        calls = [call for call in self._stepper.calls if call["kind"] != "failure"]
        if not calls:
            raise ConfigError("no model was called yet")
        out.print(call_view(calls[-1]))

    def _told(self, step: Step) -> None:
        """One step with what it changed; its calls have the numbers of `history --call`."""
        # A later judge's thread is named after the dialogue's.
        thread, calls = self._stepper.cell.thread, self._stepper.calls
        made = [c for c in calls if c["thread"].startswith(thread) and c["kind"] != "failure"]
        turn, most = step.values.get("turn", 0), self._stepper.plan.suite.max_turns
        title = f"exchange {turn} of at most {most}"
        out.print(steps_view(title, [step], len(made) - len(step.calls) + 1))

    def _coming(self) -> None:
        """Why the last node failed, if it did, and who is next; or how the dialogue came out."""
        stepper = self._stepper
        if failure := stepper.failure:
            out.print(Text(f"the {failure.node} failed: {failure.message}", style="red"))
            out.print("It stays open: n tries it again, w puts another agent there.")
        if seat := stepper.next_seat:
            who = ", ".join(filter(None, (seat.fingerprint["use"], seat.fingerprint.get("model"))))
            out.print(Text.assemble("next: ", (str(stepper.next_node), "bold"), f"  ({who})"))
        elif stepper.record and stepper.record.verdict:
            if stepper.record.ending:
                out.print(ending_line(stepper.record.ending))
            out.print(verdict_table(stepper.record.verdict))
