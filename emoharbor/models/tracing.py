"""Spans for OpenTelemetry: ids, times and counts; words only with EMOHARBOR_OTEL_CONTENT=1.

Names and attributes follow OpenTelemetry's conventions for generative AI, with `emoharbor.*` for
what these lack. Where nobody has set tracing up, no span is made and nothing is imported.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from emoharbor import __version__
from emoharbor.errors import ModelError, Stopped
from emoharbor.models.base import ChatMessage, ChatModel, Completion, JsonSchema
from emoharbor.models.config import Sampling
from emoharbor.models.spec import ModelSpec
from emoharbor.models.where import WHERE, Where

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

Attributes = Mapping[str, str | bool | int | float | Sequence[str]]
CONTENT = "EMOHARBOR_OTEL_CONTENT"
HERE = ("local", "scripted")


def tracer() -> Tracer | None:
    """Ours, of the provider that somebody has set up; None where nobody has."""
    # Whoever has set one up has imported this, so that it need not be imported to ask.
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return None
    provider = api.get_tracer_provider()
    nobody = isinstance(provider, api.ProxyTracerProvider | api.NoOpTracerProvider)
    return None if nobody else _tracer_of(provider)


@lru_cache(maxsize=1)
def _tracer_of(provider: TracerProvider) -> Tracer:
    return provider.get_tracer("emoharbor", __version__)


@contextmanager
def span(name: str, attributes: Attributes, *, client: bool = False) -> Iterator[Span | None]:
    """A span around the block, which an error ends with its kind; None where nobody traces.

    `client` is for a call that leaves this process.
    """
    tracing = tracer()
    if tracing is None:
        yield None
        return
    from opentelemetry.trace import SpanKind

    # An exception is not recorded as it is: its message may hold words, its trace more.
    opened = tracing.start_as_current_span(
        name,
        kind=SpanKind.CLIENT if client else SpanKind.INTERNAL,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    )
    with opened as current:
        try:
            yield current
        except BaseException as error:
            _end(current, error)
            raise


def fail(current: Span, kind: str, words: str) -> None:
    """Marks a span as failed; `words` are told with EMOHARBOR_OTEL_CONTENT=1 alone."""
    from opentelemetry.trace import StatusCode

    current.set_attribute("error.type", kind)
    current.set_status(StatusCode.ERROR, words if with_content() else None)


def _end(current: Span, error: BaseException) -> None:
    if isinstance(error, Stopped | asyncio.CancelledError):
        current.set_attribute("emoharbor.stopped", True)
        return
    fail(
        current, error.cause if isinstance(error, ModelError) else type(error).__name__, str(error)
    )


def with_content() -> bool:
    """Whether spans hold what was said."""
    return os.environ.get(CONTENT, "").strip().lower() in ("1", "true")


def carry_span(context: contextvars.Context) -> None:
    """Makes the current span the current one of `context` too, and brings nothing else there."""
    if tracer() is None:
        return
    from opentelemetry import context as held
    from opentelemetry import trace

    alone = trace.set_span_in_context(trace.get_current_span(), held.Context())
    context.run(held.attach, alone)


def visit_attributes(where: Where) -> dict[str, str | int]:
    """Which visit of which node: on its span and on those of its model calls."""
    return {
        "gen_ai.conversation.id": where.thread,
        "emoharbor.step": where.step,
        "emoharbor.role": where.node,
        "emoharbor.attempt": where.attempt,
    }


def note_retry(tried: int, error: ModelError, wait: float) -> None:
    """On the call's span: the try `tried` (1-based) failed, the next comes in `wait` seconds."""
    if tracer() is None:
        return
    from opentelemetry.trace import get_current_span

    current = get_current_span()
    current.set_attribute("emoharbor.retries", tried)
    current.add_event("retry", {"error.type": error.cause, "emoharbor.wait_seconds": wait})


def traced(model: ChatModel, spec: ModelSpec, sampling: Sampling) -> ChatModel:
    """`model` with a span a call; the model itself where nobody traces."""
    return model if tracer() is None else Traced(model, spec, sampling)


@dataclass(frozen=True)
class Traced:
    """A model with a span a call, over all of its tries."""

    inner: ChatModel
    spec: ModelSpec
    sampling: Sampling

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """The inner model's reply. Raises what it raises."""
        asked = self._asked(schema, seed)
        name = " ".join(filter(None, ("chat", asked.get("gen_ai.request.model"))))
        client = self.spec.provider not in HERE
        with span(name, asked, client=client) as current:
            if current is not None and with_content():
                current.set_attribute("gen_ai.input.messages", _messages(messages))
            reply = await self.inner.complete(messages, schema=schema, seed=seed)
            if current is not None:
                current.set_attributes(_answered(reply))
            return reply

    def _asked(self, schema: JsonSchema | None, seed: int | None) -> dict[str, Any]:
        where = WHERE.get()
        url = urlsplit(self.spec.base_url or "")
        told = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self.spec.provider,
            "gen_ai.request.model": _public_name(self.spec),
            "gen_ai.request.temperature": self.sampling.temperature,
            "gen_ai.request.top_p": self.sampling.top_p,
            "gen_ai.request.max_tokens": self.sampling.max_tokens,
            "gen_ai.request.seed": seed,
            "gen_ai.output.type": "text" if schema is None else "json",
            "server.address": url.hostname,
            "server.port": url.hostname and (url.port or (443 if url.scheme == "https" else 80)),
            **(visit_attributes(where) if where else {}),
        }
        return {name: value for name, value in told.items() if value is not None}


def _public_name(spec: ModelSpec) -> str | None:
    """A command may hold a secret, and a file's folders a user's name."""
    if spec.provider in ("process", "http"):
        return None
    return spec.model.rpartition("/")[2] if spec.provider == "local" else spec.model


def _answered(reply: Completion) -> dict[str, Any]:
    usage = reply.usage
    told = {
        "gen_ai.response.model": reply.model or None,
        "gen_ai.response.finish_reasons": reply.finish_reason and [reply.finish_reason],
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_tokens,
        "emoharbor.answer_seconds": reply.seconds,
    }
    if with_content():
        told["gen_ai.output.messages"] = _said(reply)
    return {name: value for name, value in told.items() if value is not None}


def _messages(messages: Sequence[ChatMessage]) -> str:
    shaped = [
        {"role": m["role"], "parts": [{"type": "text", "content": m["content"]}]} for m in messages
    ]
    return json.dumps(shaped, ensure_ascii=False)


def _said(reply: Completion) -> str:
    parts = [("reasoning", reply.reasoning), ("text", reply.text)]
    shown = [{"type": kind, "content": text} for kind, text in parts if text]
    return json.dumps([{"role": "assistant", "parts": shown}], ensure_ascii=False)
