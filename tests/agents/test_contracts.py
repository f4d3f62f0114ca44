"""Our own agents keep the contract that is asked of everybody's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from emoharbor.agents import scripted
from emoharbor.agents.replay import RecordedEnd, ReplaySupporter, ReplayTalker
from emoharbor.agents.resolve import BUILT_IN
from emoharbor.agents.shape import Node
from emoharbor.agents.termination import structured_termination
from emoharbor.agents.thinker import no_thinker
from emoharbor.state.verdict import Strategy
from emoharbor.testing import (
    CHECKS,
    EvaluatorContract,
    SupporterContract,
    TalkerContract,
    TerminationContract,
    Terms,
    ThinkerContract,
    echo_model,
)
from emoharbor.testing.checking import check_agent
from tests.agents import seats
from tests.people import heard, said

EVERY = [(node, use) for node, named in BUILT_IN.items() for use in named]
# What a suite must say for them to be made at all.
NEEDS = {"template": {"preset": "mechat"}, "runnable": {"target": "my_chain.py:chain"}}
CHAIN = """
from langchain_core.runnables import RunnableLambda

chain = RunnableLambda(lambda messages: f"You said: {messages[-1].content[:40]}")
"""
RECORDED = tuple(line for n in range(40) for line in (heard(f"what {n}?"), said(f"that {n}")))


class TestChatSupporter(SupporterContract):
    def make_agent(self) -> Any:
        return seats.supporter(echo_model())


class TestScriptedSupporter(SupporterContract):
    def make_agent(self) -> Any:
        return scripted.ScriptedSupporter()


class TestReplaySupporter(SupporterContract):
    def make_agent(self) -> Any:
        return ReplaySupporter(RECORDED)


class TestAppraisalThinker(ThinkerContract):
    def make_agent(self) -> Any:
        return seats.thinker(echo_model(), "zh")


class TestScriptedThinker(ThinkerContract):
    def make_agent(self) -> Any:
        return scripted.ScriptedThinker()


class TestNoThinker(ThinkerContract):
    def make_agent(self) -> Any:
        return no_thinker


class TestChatTalker(TalkerContract):
    def make_agent(self) -> Any:
        return seats.talker(echo_model(), "zh")


class TestScriptedTalker(TalkerContract):
    def make_agent(self) -> Any:
        return scripted.ScriptedTalker()


class TestReplayTalker(TalkerContract):
    def make_agent(self) -> Any:
        return ReplayTalker(RECORDED)


class TestStructuredTermination(TerminationContract):
    def make_agent(self) -> Any:
        return structured_termination


class TestRecordedEnd(TerminationContract):
    def make_agent(self) -> Any:
        return RecordedEnd(RECORDED[:4])


class TestScriptedEvaluator(EvaluatorContract):
    def make_agent(self) -> Any:
        return scripted.ScriptedEvaluator()


class TestUserAsJudge(EvaluatorContract):
    strategy: Strategy = "internal_state_aware"

    def make_agent(self) -> Any:
        return seats.judge(echo_model(), "zh", self.strategy)


class TestUserAwareJudge(TestUserAsJudge):
    strategy = "user_aware"


class TestOutsideJudge(TestUserAsJudge):
    strategy = "standard"


@pytest.mark.parametrize(("node", "use"), EVERY)
def test_every_short_name_keeps_the_contract_as_a_run_makes_it(
    mine: Path, node: Node, use: str
) -> None:
    (mine / "my_chain.py").write_text(CHAIN, encoding="utf-8")
    outcomes = asyncio.run(check_agent(node, use, NEEDS.get(use, {}), Terms(node)))
    assert len(outcomes) == len(CHECKS)
    assert not [outcome for outcome in outcomes if outcome.problem]
