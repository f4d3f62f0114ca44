"""Imported where processes are forked: plans in both languages, for which all prompts are read."""

from __future__ import annotations

from emoharbor.flags import suite_from_flags
from emoharbor.runs.executor import plan_suite

for language in ("en", "zh"):
    echo = suite_from_flags(
        "emoharbor",
        supporters=["bot=scripted:echo"],
        model="scripted:echo",
        plain={"language": language},
    )
    plan_suite(echo)
