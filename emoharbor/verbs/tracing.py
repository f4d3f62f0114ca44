"""Sends spans where OpenTelemetry's own environment variables say, if they say so."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from emoharbor.errors import ConfigError, nearest
from emoharbor.models.tracing import tracer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
OTLP = {"http/protobuf": "http", "grpc": "grpc"}


@contextmanager
def spans_sent() -> Iterator[None]:
    """While the block runs, spans go where OTEL_* variables say; what is left is sent at its end.

    Nothing happens where these name no exporter, without the extra `otel`, and where somebody has
    set a provider up already. Raises ConfigError for an exporter or protocol that there is not.
    """
    named = _exporter_named()
    provider = _provider(named) if named and tracer() is None else None
    try:
        yield
    finally:
        if provider is not None:
            provider.shutdown()


def _provider(named: str) -> TracerProvider | None:
    """The process's provider from now on; None where the extra is not installed."""
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto import http  # noqa: F401
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        return None
    provider = TracerProvider(resource=_resource())
    provider.add_span_processor(BatchSpanProcessor(_exporter(named)))
    trace.set_tracer_provider(provider)
    return provider


def _exporter_named() -> str | None:
    if os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    named = os.environ.get("OTEL_TRACES_EXPORTER", "").strip()
    if not named:
        return "otlp" if any(os.environ.get(name) for name in ENDPOINTS) else None
    if named not in ("otlp", "console", "none"):
        raise ConfigError(
            f"OTEL_TRACES_EXPORTER={named}: there is no such exporter here"
            f"{nearest(named, ('otlp', 'console', 'none'))}"
        )
    return None if named == "none" else named


def _exporter(named: str) -> Any:
    if named == "console":
        from opentelemetry.sdk.trace.export import ConsoleSpanExporter

        return ConsoleSpanExporter(out=sys.stderr)
    said = next((v for name in PROTOCOLS if (v := os.environ.get(name))), "http/protobuf")
    if said not in OTLP:
        raise ConfigError(f"OTEL_EXPORTER_OTLP_PROTOCOL={said}: not spoken{nearest(said, OTLP)}")
    try:
        module = import_module(f"opentelemetry.exporter.otlp.proto.{OTLP[said]}.trace_exporter")
    except ImportError as error:
        package = f"opentelemetry-exporter-otlp-proto-{OTLP[said]}"
        raise ConfigError(
            f"spans over {said} need a package: pip install {package}, "
            "or set OTEL_TRACES_EXPORTER=none"
        ) from error
    return module.OTLPSpanExporter()


def _resource() -> Any:
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource

    found = Resource.create()
    unnamed = str(found.attributes[SERVICE_NAME]).startswith("unknown_service")
    return found.merge(Resource({SERVICE_NAME: "emoharbor"})) if unnamed else found
