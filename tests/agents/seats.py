"""The shipped agents with their shipped prompts, on any model."""

from __future__ import annotations

from emoharbor.agents.evaluator import UserAsJudge
from emoharbor.agents.supporter import ChatSupporter
from emoharbor.agents.talker import ChatTalker
from emoharbor.agents.thinker import AppraisalThinker
from emoharbor.models.base import ChatModel
from emoharbor.models.scripted import ScriptedChat
from emoharbor.prompts.loader import load_prompt
from emoharbor.prompts.rubric import load_rubric
from emoharbor.state.profile import Language
from emoharbor.state.verdict import Strategy

SILENT = ScriptedChat(())
OPENING_LINE = "(joins the chat)"
# The prompts of the demo, for a model of a hundred million parameters; in English alone.
SMALL = "small/"


def supporter(
    model: ChatModel = SILENT, language: Language = "en", folder: str = ""
) -> ChatSupporter:
    return ChatSupporter(model, load_prompt(f"{folder}supporter", language), OPENING_LINE)


def thinker(
    model: ChatModel = SILENT, language: Language = "en", folder: str = ""
) -> AppraisalThinker:
    return AppraisalThinker(
        model, load_prompt(f"{folder}thinker", language), load_prompt("repair", language)
    )


def talker(model: ChatModel = SILENT, language: Language = "en", folder: str = "") -> ChatTalker:
    return ChatTalker(
        model, load_prompt(f"{folder}talker", language), load_prompt("repair", language)
    )


def judge(
    model: ChatModel = SILENT,
    language: Language = "en",
    strategy: Strategy = "internal_state_aware",
    folder: str = "",
) -> UserAsJudge:
    return UserAsJudge(
        model,
        load_prompt(f"{folder}evaluator", language),
        load_prompt("repair", language),
        load_rubric("emoharbor-10", language),
        strategy,
    )
