"""What the command line's flags change in a suite."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from emoharbor.agents.resolve import plugins_of
from emoharbor.models.config import ModelConfig
from emoharbor.models.spec import FINISHED_BOTS, PROVIDERS, parse_spec
from emoharbor.suite import Suite, make_suite, parse_setting, suite_values

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
    values, source = suite_values(name)
    return changed_suite(values, source, supporters, model, judge, plain, settings)


def changed_suite(
    values: Mapping[str, Any],
    source: str,
    supporters: Sequence[str] = (),
    model: str | None = None,
    judge: str | None = None,
    plain: dict[str, Any] | None = None,
    settings: Sequence[str] = (),
) -> Suite:
    """As `suite_from_flags`, from what a suite's file holds; `source` names the file in errors."""
    changes: dict[str, Any] = {k: v for k, v in (plain or {}).items() if v is not None}
    suite = make_suite(values, source)
    if (language := changes.get("language")) and suite.profiles == suite.language:
        changes.setdefault("profiles", language)
    if model:
        changes |= _models(suite, USER_SIDE, model)
    if judge:
        changes |= _models(suite, ("evaluator",), judge)
    if supporters:
        changes["supporters"] = [_supporter(text) for text in supporters]
    changes |= dict(parse_setting(text) for text in settings)
    return make_suite(values, source, changes)


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
        values.pop("serve", None)
    return {**values, "spec": spec}


def _endpoint(spec: str) -> tuple[str, str | None]:
    parsed = parse_spec(spec)
    return parsed.provider, parsed.base_url


def _supporter(text: str) -> dict[str, Any]:
    """`[name=]SPEC`: a model, a finished bot, a package's short name or `module:attribute`."""
    match = re.match(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)", text)
    name, spec = match.groups() if match else (None, text)
    if spec in plugins_of("supporter") or (":" in spec and not _is_model(spec)):
        return {"name": _clean(name or spec), "use": spec}
    parsed = parse_spec(spec)
    shape: dict[str, Any] = {"use": "bot", "model": spec}
    if parsed.provider not in FINISHED_BOTS:
        shape = {"use": "chat", "model": spec, "temperature": 0.7}
    # Of a folder, its own name.
    model = Path(parsed.model).name if parsed.provider in ("hf", "lora") else parsed.model
    return {"name": _clean(name or model), **shape}


def _is_model(spec: str) -> bool:
    return spec.partition(":")[0] in PROVIDERS or "@" in spec


def _clean(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:64] or "supporter"
