"""Whether the user leaves. Words decide nothing here: the Talker has decided."""

from __future__ import annotations

from emoharbor.state.dialogue import UserView
from emoharbor.state.verdict import Ending, EndingReason

REASONS: dict[str, EndingReason] = {
    "satisfied": "user_satisfied",
    "gave_up": "user_gave_up",
    "unspecified": "user_left",
}


async def structured_termination(user: UserView) -> Ending | None:
    """Ends the dialogue when the Talker said so; giving up is told from satisfaction by `why`."""
    said = user.utterance
    if said is None or not said.wants_to_end:
        return None
    return Ending(reason=REASONS[said.why], turn=user.turn, words=said.text, because=said.reason)
