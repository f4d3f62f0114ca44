"""Where the dialogue goes next: pure functions of the state.

Async, though they wait for nothing: LangGraph hands plain functions to a thread.
"""

from __future__ import annotations

from typing import Literal

from emoharbor.state.channels import DialogueState


async def goes_on(state: DialogueState) -> Literal["goes on", "over"]:
    """Over as soon as an ending is set, by the user's leaving or by the cap on exchanges."""
    return "over" if state.get("ending") else "goes on"
