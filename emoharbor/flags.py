"""What the command line's flags change in a suite."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from emoharbor.models.config import ModelConfig
from emoharbor.models.spec import PROVIDERS, parse_spec
from emoharbor.suite import Suite, load_suite, parse_setting

USER_SIDE = ("thinker", "talker", "termination", "evaluator")


def suite_from_flags(
    name: str,
    *,
    supporters: Sequence[str] = (),
    model: str | None = None,
    judge: str | None = None,
    plain: dict[str, Any] | None = None,
    settings: Sequence[str] = (),
) -> Suite:
    """The suite `name` with flags applied: `plain` are top-level keys, `settings` KEY=VALUE texts.

    The rest of the suite stays as it is; of two flags that set the same key, --set wins.
    """
    changes: dict[str, Any] = {k: v for k, v in (plain or {}).items() if v is not None}
    suite = load_suite(name)
    if (language := changes.get("language")) and suite.profiles == suite.language:
        changes.setdefault("profiles", language)
    if model:
        changes |= _models(suite, USER_SIDE, model)
    if judge:
        changes |= _models(suite, ("evaluator",), judge)
    if supporters:
        changes["supporters"] = [_supporter(text) for text in supporters]
    changes |= dict(parse_setting(text) for text in settings)
    return load_suite(name, changes)


def _models(suite: Suite, roles: Sequence[str], spec: str) -> dict[str, Any]:
    """Names the model of `roles`, by the suite's own name for it where it has one."""
    changes: dict[str, Any] = {}
    for role in roles:
        agent = getattr(suite.agents, role)
        if agent.model in suite.models:
            changes[f"models.{agent.model}"] = _moved(suite.models[agent.model], spec)
        elif agent.model:
            changes[f"agents.{role}.model"] = spec
    return changes


def _moved(config: ModelConfig, spec: str) -> dict[str, Any]:
    """The entry at another model. A key that was named for one endpoint goes to no other."""
    values = config.model_dump(exclude_unset=True)
    if config.spec is not None and _endpoint(config.spec) != _endpoint(spec):
        values.pop("api_key_env", None)
    return {**values, "spec": spec}


def _endpoint(spec: str) -> tuple[str, str | None]:
    parsed = parse_spec(spec)
    return parsed.provider, parsed.base_url


def _supporter(text: str) -> dict[str, Any]:
    """`[name=]provider:model[@base_url]`, or `[name=]package.module:attribute` for an own agent."""
    match = re.match(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)", text)
    name, spec = match.groups() if match else (None, text)
    if spec.split(":")[0] in PROVIDERS or ":" not in spec or "@" in spec:
        name = name or parse_spec(spec).model
        shape: dict[str, Any] = {"use": "chat", "model": spec, "temperature": 0.7}
    else:
        shape = {"use": spec}
    return {"name": _clean(name or spec), **shape}


def _clean(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:64] or "supporter"
