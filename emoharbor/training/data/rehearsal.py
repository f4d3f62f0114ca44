"""A dialogue of a suite with nobody in it: how long its requests are, without asking a model."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emoharbor.agents.resolve import BUILT_IN
from emoharbor.agents.shape import NODES
from emoharbor.models.base import ChatMessage, JsonSchema
from emoharbor.models.config import ModelConfig
from emoharbor.models.fill import fill
from emoharbor.models.scripted import Reply
from emoharbor.runs.executor import run_suite
from emoharbor.runs.journal import whole
from emoharbor.runs.jsonl import read_lines
from emoharbor.suite import AgentConfig, Suite, SupporterConfig

SCRIPT = f"scripted:{__name__}:says"
# How much is said: a supporter's line, and each text of a structured reply, in tokens.
LINE, FIELD = 80, 30
CHINESE = "一-鿿"


def says(messages: Sequence[ChatMessage], schema: JsonSchema | None) -> Reply:
    """A line of the usual length in the language of the request, or all that a schema asks for."""
    chinese = len(re.findall(f"[{CHINESE}]", messages[0]["content"])) * 5
    word = "字" if chinese > len(messages[0]["content"]) else "word "
    if schema is None:
        return _long(word, LINE)
    filled: Mapping[str, Any] = _lengthened(fill(schema), _long(word, FIELD))
    return filled


def tokens(text: str) -> int:
    """About how many: one for a Chinese character, one for four characters of other writing."""
    chinese = len(re.findall(f"[{CHINESE}]", text))
    return chinese + (len(text) - chinese + 3) // 4


async def rehearse(suite: Suite) -> list[dict[str, Any]] | None:
    """The journal of one dialogue of full length with each supporter, each request whole.

    None where an agent of the user's own stands in a node: it could do anything.
    """
    if any(_own(suite, node) for node in NODES if node != "supporter"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        run = await run_suite(_scripted(suite), Path(folder) / "rehearsal")
        if any(record.failure for record in run.records().values()):
            return None
        return [e for e in whole(line for _, line in read_lines(run.calls_file))]


def _own(suite: Suite, node: Any) -> bool:
    return getattr(suite.agents, node).use not in BUILT_IN[node]


def _scripted(suite: Suite) -> Suite:
    """One person, once, with a script in the place of every model."""
    nobody = ModelConfig(spec=SCRIPT)
    agents = {
        name: _voiced(getattr(suite.agents, name)) for name in type(suite.agents).model_fields
    }
    process = suite.profile_processing
    return suite.model_copy(
        update={
            "models": dict.fromkeys(suite.models, nobody),
            "agents": suite.agents.model_copy(update=agents),
            "supporters": tuple(map(_stand_in, suite.supporters)),
            "profile_processing": process and process.model_copy(update={"model": SCRIPT}),
            "limit": 1,
            "repeats": 1,
        }
    )


def _voiced(agent: AgentConfig) -> AgentConfig:
    return agent.model_copy(update={"model": SCRIPT}) if agent.model else agent


def _stand_in(supporter: SupporterConfig) -> SupporterConfig:
    """A supporter with a model keeps its prompt; any other one might be asked for real."""
    if supporter.model and supporter.use in ("chat", "bot", "template"):
        return supporter.model_copy(update={"model": SCRIPT})
    return SupporterConfig(name=supporter.name, use="scripted")


def _long(word: str, size: int) -> str:
    """A text of about so many tokens."""
    return (word * size)[: size if word == "字" else 4 * size].strip()


def _lengthened(value: Any, text: str) -> Any:
    """What was filled in, with every sentence of `fill` as long as people make it."""
    if isinstance(value, dict):
        return {key: _lengthened(part, text) for key, part in value.items()}
    if isinstance(value, list):
        return [_lengthened(part, text) for part in value]
    return text if value == fill({"type": "string"}) else value
