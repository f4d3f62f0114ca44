"""`langchain:` models: any LangChain chat model behind our one call.

For the endpoints that only LangChain knows; everything OpenAI-compatible goes through `openai:`.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.failures import Target, connection_failure, http_failure
from emoharbor.models.reply import completion_from, content_of
from emoharbor.models.schema import with_schema
from emoharbor.models.spec import NO_KEY, ModelSpec, api_key_for
from emoharbor.models.words import Secrets, ServerError, server_error
from emoharbor.state.verdict import Usage

# What LangChain's classes call the same thing, the commonest name first.
_NAMES = {
    "model": ("model", "model_name", "model_id"),
    "temperature": ("temperature",),
    "top_p": ("top_p",),
    "max_tokens": ("max_tokens", "max_output_tokens"),
    "timeout": ("timeout", "request_timeout"),
    "max_retries": ("max_retries",),
    "base_url": ("base_url", "openai_api_base", "endpoint_url"),
    "api_key": ("api_key", "openai_api_key"),
}
# What the classes of errors without a status are called when nobody answered.
_UNREACHED = ("Connect", "Timeout", "Transport")


def langchain_model(spec: ModelSpec, config: ModelConfig, sampling: Sampling) -> LangChainChat:
    """Builds `langchain:package.Class:model`; raises ConfigError where that is not possible."""
    path, _, name = spec.model.partition(":")
    chat_class = _load(spec, path)
    key = api_key_for(spec, config.api_key_env)
    given = _settings(spec, config, sampling, key, _parameters(chat_class))
    if spec.base_url and not set(given) & set(_NAMES["base_url"]):
        raise ConfigError(f"{spec}: {path} takes no base URL")
    problem = ""
    try:
        model = chat_class(**given)
    except Exception as error:
        # Pydantic repeats its input, the key included, in its message: only the kind is told.
        problem = f"{spec}: {path} cannot be made ({type(error).__name__}); is its API key set?"
    if problem:
        raise ConfigError(problem)
    shown = Secrets("" if key == NO_KEY else key)
    takes_seed = "seed" in _parameters(chat_class)
    return LangChainChat(model, name or path, config.timeout, takes_seed, shown)


@dataclass(frozen=True)
class LangChainChat:
    """A LangChain chat model. `timeout` is in seconds and covers one attempt."""

    model: Any = field(repr=False)
    name: str
    timeout: float
    takes_seed: bool = False
    secrets: Secrets = field(default_factory=Secrets, repr=False)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Asks with the schema in the prompt: with_structured_output would lose the raw text."""
        asked = messages if schema is None else with_schema(messages, schema)
        extra = {"seed": seed} if self.takes_seed and seed is not None else {}
        started = time.monotonic()
        failure: ModelError
        try:
            async with asyncio.timeout(self.timeout):
                reply = await self.model.ainvoke([dict(m) for m in asked], **extra)
            seconds = time.monotonic() - started
            return _completion(reply, has_schema=schema is not None, seconds=seconds)
        except Exception as error:
            prompt = "\n".join(" ".join(m["content"].split()) for m in asked)
            failure = _failure(error, self._target(prompt), self.timeout)
        raise failure

    def _target(self, prompt: str) -> Target:
        return Target(self.name, type(self.model).__name__, replace(self.secrets, prompt=prompt))


def _load(spec: ModelSpec, path: str) -> Any:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        package = module.partition(".")[0].replace("_", "-") or "langchain-openai"
        raise ConfigError(
            f"{spec}: {path} cannot be imported ({error}); is {package} installed? "
            "The form is langchain:package.Class:model"
        ) from error
    if not hasattr(found, "ainvoke"):
        raise ConfigError(f"{spec}: {path} is no LangChain chat model (it has no ainvoke)")
    return found


def _settings(
    spec: ModelSpec, config: ModelConfig, sampling: Sampling, key: str, known: set[str]
) -> dict[str, Any]:
    """Our settings under the names that the class knows; what it does not know is left out."""
    wanted: dict[str, Any] = {
        **sampling.model_dump(exclude_none=True),
        "model": spec.model.partition(":")[2] or None,
        "timeout": config.timeout,
        "max_retries": 0,
        "base_url": spec.base_url,
        # Beside a base URL a key is always given: the class would fall back to one of its own.
        "api_key": key if spec.base_url or key != NO_KEY else None,
    }
    names = {wish: next((n for n in _NAMES[wish] if n in known), None) for wish in wanted}
    return {
        name: wanted[wish]
        for wish, name in names.items()
        if name is not None and wanted[wish] is not None
    }


def _parameters(chat_class: Any) -> set[str]:
    fields: Mapping[str, Any] = getattr(chat_class, "model_fields", {})
    aliases = {f.alias for f in fields.values() if isinstance(f.alias, str)}
    return aliases | set(fields)


def _completion(reply: Any, *, has_schema: bool, seconds: float) -> Completion:
    words, thoughts = content_of(reply.content)
    extra, meta = dict(reply.additional_kwargs), dict(reply.response_metadata)
    told = extra.get("reasoning_content")
    reasoning = "\n".join(text for text in (told, thoughts) if isinstance(text, str))
    used: Mapping[str, Any] = getattr(reply, "usage_metadata", None) or {}
    details: Mapping[str, Any] = used.get("input_token_details") or {}
    return completion_from(
        words,
        reasoning=reasoning,
        has_schema=has_schema,
        seconds=seconds,
        usage=Usage(
            input_tokens=used.get("input_tokens"),
            output_tokens=used.get("output_tokens"),
            cached_tokens=details.get("cache_read"),
        ),
        finish_reason=meta.get("finish_reason") or meta.get("stop_reason"),
        model=str(meta.get("model_name") or meta.get("model") or ""),
    )


def _failure(error: Exception, target: Target, timeout: float) -> ModelError:
    """By status where the error has one; what is neither HTTP nor connection is a refusal.

    The SDKs behind LangChain are told by what their errors have in common, so that none of them
    is imported.
    """
    response = getattr(error, "response", None)
    status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
    if isinstance(status, int) and status >= 300:
        body = getattr(error, "body", None)
        said = ServerError(str(error)) if body is None else server_error(body)
        return http_failure(status, said, getattr(response, "headers", {}), target)
    kinds = [kind.__name__ for kind in type(error).__mro__]
    if isinstance(error, OSError) or any(word in kind for kind in kinds for word in _UNREACHED):
        return connection_failure(error, target, timeout)
    shown = target.secrets.shown(str(error))
    return target.error(f"{type(error).__name__}: {shown}", "refused_request")
