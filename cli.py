"""The command line: which verbs there are, and how an error is told."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console
from rich.logging import RichHandler
from rich.text import Text

from emoharbor import __version__
from emoharbor.errors import EmoHarborError
from emoharbor.verbs import (
    agents,
    agreeing,
    arena,
    auditing,
    building,  # noqa: F401
    comparing,
    debugging,
    deleting,
    discriminating,
    exporting,
    forking,
    generating,
    graphing,
    importing,
    judge_check,
    judging,
    leading,
    plotting,
    profiles,
    running,
    setup,
    showing,
    stepping,
    training,
    turning,
    varying,
)
from emoharbor.verbs.console import out

EXAMPLES: dict[Callable[..., None], tuple[str, ...]] = {
    running.run: (
        "emoharbor run emoharbor --supporter openai:gpt-4o --model openai:gpt-4o --limit 10",
        "emoharbor run emoharbor --supporter bot=openai:my-bot@http://127.0.0.1:8000/v1 "
        "--model openai:gpt-4o --language zh --out runs/zh",
        "emoharbor run runs/zh/run.yaml --out runs/again",
        "emoharbor run worst_case --supporter openai:gpt-4o --model openai:gpt-4o "
        "--vary engagement=ordinary,low --out runs/grid",
    ),
    varying.controls: (
        "emoharbor controls runs/worst_case-vary",
        "emoharbor controls runs/worst_case-vary --format latex -o tables",
    ),
    running.resume: ("emoharbor resume runs/zh", "emoharbor resume runs/zh --max-cost 20"),
    showing.show: (
        "emoharbor show runs/first",
        "emoharbor show runs/first en-001",
        "emoharbor show runs/first gpt-4o/en-001/0 --prompts talker",
    ),
    showing.runs: (
        "emoharbor runs",
        "emoharbor runs /data/runs",
        "emoharbor runs --store redis://127.0.0.1:6379/0",
    ),
    showing.watch: (
        "emoharbor watch runs/zh",
        "emoharbor watch zh --store redis://127.0.0.1:6379/0",
    ),
    deleting.delete: (
        "emoharbor delete runs/zh",
        "emoharbor delete zh --store redis://127.0.0.1:6379/0 --yes",
    ),
    graphing.graph: (
        "emoharbor graph emoharbor",
        "emoharbor graph emoharbor --supporter openai:gpt-4o --model openai:gpt-4o -o graph.svg",
        "emoharbor graph demo --set opening=user --format mermaid",
        "emoharbor graph runs/zh gpt-4o/zh-001/0",
        "emoharbor graph runs/zh zh-001 --watch",
    ),
    agents.agents: (
        "emoharbor agents",
        "emoharbor agents thinker",
        "emoharbor agents --check my_package.stoic:StoicThinker",
        "emoharbor agents talker --check mine.py:talker --set mood=low",
    ),
    debugging.history: (
        "emoharbor history runs/zh gpt-4o/zh-001/0",
        "emoharbor history runs/zh zh-001 --step 7",
        "emoharbor history runs/zh zh-001 --call 3",
    ),
    forking.fork: (
        "emoharbor fork runs/zh zh-001 --at-turn 4 --set agents.talker.temperature=1.0",
        "emoharbor fork runs/zh zh-001 --at-turn 4 --edit 'supporter=那天后来呢？'",
        "emoharbor fork runs/zh --all --at-turn 4 --supporter openai:gpt-4o-mini",
    ),
    debugging.replay: ("emoharbor replay runs/zh", "emoharbor replay runs/zh zh-001"),
    comparing.compare: (
        "emoharbor compare runs/zh runs/zh-turn-4",
        "emoharbor compare runs/a runs/b --pair gpt-4o=my-bot",
        "emoharbor compare runs/average runs/worst --format latex -o tables",
        "emoharbor compare runs/zh runs/zh@standard --dimension EP",
    ),
    leading.leaderboard: (
        "emoharbor leaderboard runs/zh",
        "emoharbor leaderboard runs/zh runs/en --by age --by topic --reference zh",
        "emoharbor leaderboard runs/zh --judging standard --format latex -o tables",
    ),
    discriminating.discriminate: (
        "emoharbor discriminate runs/zh --reference",
        "emoharbor discriminate runs/a runs/b --seed 1 -o tables",
    ),
    turning.turns: (
        "emoharbor turns runs/zh",
        "emoharbor turns runs/a runs/b --event left --censor cap --top 5 -o tables",
    ),
    plotting.plot: (
        "emoharbor plot runs/zh -o figures",
        "emoharbor plot runs/a runs/b --language en -o figures",
    ),
    stepping.step: (
        "emoharbor step emoharbor --supporter openai:gpt-4o --model openai:gpt-4o",
        "emoharbor step emoharbor --supporter openai:gpt-4o --model openai:gpt-4o --profile en-007",
        "emoharbor step runs/step-emoharbor-en-007",
    ),
    auditing.audit: (
        "emoharbor audit runs/zh",
        "emoharbor audit runs/en --against ESConv.json -o audit.csv",
        "emoharbor audit release/ -o audit.json",
        "emoharbor audit runs/zh --model openai:gpt-4o --limit 50",
    ),
    agreeing.agreement: (
        "emoharbor agreement ratings.csv",
        "emoharbor agreement ratings.csv runs/zh --reference",
        "emoharbor agreement ratings.csv judgements.csv --within-rater -o tables/",
    ),
    importing.bring: (
        "emoharbor import worst-case release/worst -o runs/worst",
        "emoharbor import esconv ESConv.json -o runs/esconv",
        "emoharbor import chat chats.jsonl -o runs/chats",
        "emoharbor import mindeval human.jsonl -o runs/mindeval --ratings mindeval.csv",
        "emoharbor import form experts.csv --ratings experts-long.csv",
    ),
    judging.judge: (
        "emoharbor judge runs/zh --model openai:gpt-4o --strategy standard --strategy user_aware",
        "emoharbor judge runs/zh --model openai:gpt-4o --repeats 5 --every 3 "
        "--set agents.evaluator.temperature=0.7",
        "emoharbor judge chats.jsonl --model openai:gpt-4o --profiles people.jsonl",
    ),
    exporting.export: (
        "emoharbor export runs/zh --format chat --min-mean 4 -o data",
        "emoharbor export runs/zh --format parquet -o tables",
        "emoharbor export runs/average runs/worst --format hf --recipe mix --count 1000 "
        "--against runs/zh -o data",
    ),
    generating.generate: (
        "emoharbor generate --recipe mix --supporter openai:gpt-4o --model openai:gpt-4o "
        "--profiles people.jsonl --against en -o data --dry-run",
    ),
    judge_check.judge_check: (
        "emoharbor judge-check runs/zh --model openai:gpt-4o",
        "emoharbor judge-check runs/zh --model openai:gpt-4o --strategy standard --limit 10",
    ),
    arena.arena: (
        "emoharbor arena runs/emoharbor runs/one_agent --model openai:gpt-4o",
        "emoharbor arena runs/zh --question helpful --model openai:gpt-4o --limit 20",
    ),
    setup.suites: ("emoharbor suites", "emoharbor suites emoharbor"),
    setup.doctor: ("emoharbor doctor", "emoharbor doctor --model openai:gpt-4o"),
}

# A verb that no function can be called by.
NAMES: dict[Callable[..., None], str] = {importing.bring: "import"}

app = typer.Typer(
    name="emoharbor",
    help="Is this chatbot's emotional support right for this person?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for verb, examples in EXAMPLES.items():
    app.command(NAMES.get(verb), epilog="Examples:\n\n" + "\n\n".join(examples))(verb)
app.add_typer(profiles.app)
app.add_typer(training.app)


@app.callback(invoke_without_command=True)
def common(
    version: Annotated[bool, typer.Option("--version", help="Print it.")] = False,
) -> None:
    """Evaluate emotional support as the person who seeks it."""
    handler = RichHandler(console=Console(stderr=True), show_time=False, show_path=False)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[handler])
    if version:
        out.print(__version__)
        raise typer.Exit


def main() -> None:
    """The entry point: an error that a user is meant to read is one message, not a traceback."""
    try:
        app()
    except EmoHarborError as error:
        Console(stderr=True).print(Text.assemble(("error: ", "bold red"), str(error)))
        sys.exit(2)


if __name__ == "__main__":
    main()
