"""The contract of each of the five agents, to be held to in one's own tests.

    class TestStoic(ThinkerContract):
        def make_agent(self):
            return StoicThinker(echo_model())

pytest runs it; nothing here imports pytest. `emoharbor agents --check` runs the same checks.
"""

from emoharbor.testing.checks import CHECKS, ContractBroken, Terms
from emoharbor.testing.contracts import (
    EvaluatorContract,
    SupporterContract,
    TalkerContract,
    TerminationContract,
    ThinkerContract,
)
from emoharbor.testing.inputs import Given
from emoharbor.testing.model import GivingWay, echo_model

__all__ = [
    "CHECKS",
    "ContractBroken",
    "EvaluatorContract",
    "Given",
    "GivingWay",
    "SupporterContract",
    "TalkerContract",
    "TerminationContract",
    "Terms",
    "ThinkerContract",
    "echo_model",
]
