"""Where `emoharbor run` sends its spans, and that it sends none unless it is told to.

OpenTelemetry's provider is one for a process and for good, so every run is in a process of its own.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from emoharbor.cli import main
from tests.here import emoharbor
from tests.processes import ROOT, forked
from tests.runs.test_tracing import ECHO, finished

PACKAGE = "opentelemetry"


def command_line(*args: str) -> None:
    """`emoharbor ARGS`."""
    sys.argv = ["emoharbor", *args]
    main()


def command_line_and_imports(*args: str) -> None:
    """`emoharbor ARGS`, telling which parts of OpenTelemetry it has imported."""
    forget_the_package()
    try:
        command_line(*args)
    finally:
        sys.stdout.write(f"imported: {sorted(name for name in sys.modules if PACKAGE in name)}\n")


def run_without_the_package(*args: str) -> None:
    """The command line where OpenTelemetry is not installed."""
    forget_the_package()
    sys.modules[PACKAGE] = None  # type: ignore[assignment]
    command_line(*args)


def forget_the_package() -> None:
    """This module has imported it, and emoharbor must not."""
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


async def collected(tmp_path: Path, call: Any, **env: str) -> tuple[list[str], str]:
    """The names of the spans that `emoharbor run` sends to a collector, and what it prints."""
    names: list[str] = []

    async def take(request: web.Request) -> web.Response:
        sent: Any = ExportTraceServiceRequest()
        sent.ParseFromString(await request.read())
        scopes = [scope for kind in sent.resource_spans for scope in kind.scope_spans]
        names.extend(span.name for scope in scopes for span in scope.spans)
        resource = {a.key: a.value.string_value for a in sent.resource_spans[0].resource.attributes}
        assert resource["service.name"] == "emoharbor"
        return web.Response()

    app = web.Application()
    app.router.add_post("/v1/traces", take)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        given = ["run", "emoharbor", "--supporter", ECHO, "--model", ECHO, "--turns", "1"]
        given += ["--limit", "1", "--out", str(tmp_path / "run")]
        there = f"http://127.0.0.1:{runner.addresses[0][1]}"
        env = {"OTEL_EXPORTER_OTLP_ENDPOINT": there, **env}
        return names, await finished(await forked(call, *given, cwd=ROOT, **env))
    finally:
        await runner.cleanup()


def test_spans_are_sent_where_the_environment_says(tmp_path: Path) -> None:
    names, _ = asyncio.run(collected(tmp_path, command_line))
    assert names.count("invoke_workflow emoharbor") == 1 and names.count("chat echo") == 4


@pytest.mark.parametrize(
    "env",
    [
        {"OTEL_SDK_DISABLED": "true"},
        {"OTEL_TRACES_EXPORTER": "none"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
    ],
)
def test_nothing_is_sent_or_imported_unless_it_says_so(tmp_path: Path, env: dict[str, str]) -> None:
    names, printed = asyncio.run(collected(tmp_path, command_line_and_imports, **env))
    assert not names and printed.endswith("imported: []\n")


def test_a_run_does_without_the_package(tmp_path: Path) -> None:
    names, printed = asyncio.run(collected(tmp_path, run_without_the_package))
    assert not names and "response_appropriateness" in printed


@pytest.mark.parametrize(
    "env, words",
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "OTEL_TRACES_EXPORTER=zipkin"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "http/proto"}, "did you mean 'http/protobuf'"),
    ],
)
def test_what_cannot_be_sent_is_told_before_anything_runs(
    tmp_path: Path, env: dict[str, str], words: str
) -> None:
    there = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    done = emoharbor(
        "run", "emoharbor", "--supporter", ECHO, "--model", ECHO, cwd=tmp_path, **there, **env
    )
    assert done.returncode == 2 and words in done.stderr
    assert not list(tmp_path.iterdir())
