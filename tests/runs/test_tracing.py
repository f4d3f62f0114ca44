"""Spans of a run: their tree, what is on them, what is not, and where they are sent.

OpenTelemetry's provider is one for a process and for good, so every run is in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from emoharbor.runs.executor import run_suite
from emoharbor.state.dialogue import Message
from tests.fake_openai import FakeOpenAI, fake_openai, refusal
from tests.processes import Forked, emoharbor, forked
from tests.served import plays_all, small_suite

KEY = "sk-a-key-for-a-test"
Span = dict[str, Any]


def traced_run(url: str, folder: Path, how: dict[str, Any]) -> None:
    """In a process of its own: a run whose spans are left in `folder`."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    asyncio.run(run_suite(small_suite(url, **how), folder / "a-run"))
    spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    (folder / "spans.json").write_text(json.dumps(spans), encoding="utf-8")


def untraced_run(url: str, folder: Path) -> None:
    """The same without a provider, telling whether OpenTelemetry was imported all the same."""
    for name in [name for name in sys.modules if name.startswith("opentelemetry")]:
        del sys.modules[name]
    asyncio.run(run_suite(small_suite(url), folder / "a-run"))
    print(sorted(name for name in sys.modules if name.startswith("opentelemetry")))


def run_without_the_package(*args: str) -> None:
    """The command line where OpenTelemetry is not installed."""
    for name in [name for name in sys.modules if name.startswith("opentelemetry")]:
        del sys.modules[name]
    sys.modules["opentelemetry"] = None  # type: ignore[assignment]
    sys.argv = ["emoharbor", *args]
    from emoharbor.cli import main

    main()


async def nosy(history: Sequence[Message]) -> str:
    """A supporter that says what its context holds."""
    return " ".join(sorted(var.name for var in contextvars.copy_context()))


async def finished(process: Forked) -> str:
    printed, _ = await process.communicate()
    assert process.returncode == 0, printed.decode()
    return printed.decode()


def spans_of(
    folder: Path, change: Any = None, how: dict[str, Any] | None = None, **env: str
) -> tuple[list[Span], FakeOpenAI]:
    handler = plays_all(change) if change else plays_all()

    async def go() -> FakeOpenAI:
        async with fake_openai(handler) as server:
            given = (server.url, folder, how or {})
            await finished(await forked(traced_run, *given, OPENAI_API_KEY=KEY, **env))
            return server

    server = asyncio.run(go())
    return json.loads((folder / "spans.json").read_text(encoding="utf-8")), server


def tree(spans: list[Span]) -> Callable[[Span], list[Span]]:
    """Finds the spans from a root down to the one that is given."""
    by_id = {span["context"]["span_id"]: span for span in spans}

    def path(span: Span) -> list[Span]:
        above = by_id.get(span["parent_id"])
        return [*(path(above) if above else []), span]

    return path


def named(spans: list[Span], name: str) -> list[Span]:
    return [span for span in spans if span["name"] == name]


def test_every_dialogue_is_a_tree_of_visits_and_calls(tmp_path: Path) -> None:
    spans, _ = spans_of(tmp_path, how={"limit": 2})
    path = tree(spans)
    shapes = Counter(" > ".join(span["name"] for span in path(span)) for span in spans)
    dialogue = "invoke_workflow emoharbor"
    calls = {"supporter": "bot", "thinker": "user", "talker": "user", "evaluator": "judge"}
    nodes = {**calls, "termination": None}
    visits = {node: 1 if node == "evaluator" else 2 for node in nodes}
    assert shapes == {
        dialogue: 2,
        **{f"{dialogue} > invoke_agent {node}": 2 * visits[node] for node in nodes},
        **{
            f"{dialogue} > invoke_agent {node} > chat {model}": 2 * visits[node]
            for node, model in calls.items()
        },
    }
    assert len({span["context"]["trace_id"] for span in spans}) == 2


def test_spans_say_which_dialogue_visit_and_call(tmp_path: Path) -> None:
    spans, server = spans_of(tmp_path)
    (dialogue,) = named(spans, "invoke_workflow emoharbor")
    about = dialogue["attributes"]
    assert about["emoharbor.run"] == "a-run" and about["emoharbor.dialogue"] == "bot/en-001/0"
    assert (about["emoharbor.turns"], about["emoharbor.ending"]) == (2, "max_turns")
    thread = about["gen_ai.conversation.id"]
    assert thread.startswith("bot/en-001/0/")
    visit = named(spans, "invoke_agent talker")[1]["attributes"]
    assert visit == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "emoharbor",
        "gen_ai.agent.name": "talker",
        "gen_ai.conversation.id": thread,
        "emoharbor.role": "talker",
        "emoharbor.step": 7,
        "emoharbor.attempt": 1,
        "emoharbor.turn": 2,
    }
    turns = [span["attributes"]["emoharbor.turn"] for span in named(spans, "invoke_agent supporter")]
    assert turns == [1, 2]
    (call,) = named(spans, "chat judge")
    asked = dict(call["attributes"])
    body = server.bodies[-1]
    assert call["kind"] == "SpanKind.CLIENT" and asked.pop("emoharbor.answer_seconds") > 0
    assert asked == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "judge",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.seed": body["seed"],
        "gen_ai.output.type": "json",
        "gen_ai.response.model": "served-model",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "gen_ai.conversation.id": thread,
        "emoharbor.role": "evaluator",
        "emoharbor.step": 9,
        "emoharbor.attempt": 1,
        "server.address": "127.0.0.1",
        "server.port": int(server.url.split(":")[2].split("/")[0]),
    }


def test_nothing_that_was_said_and_no_key_is_on_a_span(tmp_path: Path) -> None:
    spans, server = spans_of(tmp_path, lambda role, body, nth: f"§{role}§" if nth > 1 else None)
    told = json.dumps(spans, ensure_ascii=False)
    assert any(KEY in headers["Authorization"] for headers in server.headers) and KEY not in told
    said = [m["content"] for body in server.bodies for m in body["messages"]]
    assert len(said) > 10 and not [text for text in said if text in told]
    assert "§" not in told and "Reply" not in told


def test_what_was_said_is_there_when_asked_for(tmp_path: Path) -> None:
    spans, server = spans_of(tmp_path, EMOHARBOR_OTEL_CONTENT="1")
    (judged,) = named(spans, "chat judge")
    asked = json.loads(judged["attributes"]["gen_ai.input.messages"])
    assert [(m["role"], m["parts"][0]["content"]) for m in asked] == [
        (m["role"], m["content"]) for m in server.bodies[-1]["messages"]
    ]
    (bot, _) = named(spans, "chat bot")
    (answer,) = json.loads(bot["attributes"]["gen_ai.output.messages"])
    assert answer == {"role": "assistant", "parts": [{"type": "text", "content": "Reply 1."}]}
    assert KEY not in json.dumps(spans)


def test_a_retry_is_an_event_on_its_call(tmp_path: Path) -> None:
    def busy(role: str, body: Any, nth: int) -> Any:
        return refusal(503, "busy: §") if (role, nth) == ("evaluator", 1) else None

    spans, _ = spans_of(tmp_path, busy, {"settings": ["models.judge.tries=3"]})
    (call,) = named(spans, "chat judge")
    (event,) = call["events"]
    assert (event["name"], event["attributes"]["error.type"]) == ("retry", "overloaded")
    assert call["attributes"]["emoharbor.retries"] == 1
    assert call["status"]["status_code"] == "UNSET" and "§" not in json.dumps(spans)


def test_a_failure_is_on_call_visit_and_dialogue_by_its_cause(tmp_path: Path) -> None:
    def refused(role: str, body: Any, nth: int) -> Any:
        return refusal(400, "not that: §") if role == "evaluator" else None

    spans, _ = spans_of(tmp_path, refused)
    failed = [span for span in spans if span["status"]["status_code"] == "ERROR"]
    assert [span["name"] for span in failed] == [
        "chat judge",
        "invoke_agent evaluator",
        "invoke_workflow emoharbor",
    ]
    assert {span["attributes"]["error.type"] for span in failed} == {"refused_request"}
    assert "§" not in json.dumps(spans) and not any(span["events"] for span in spans)


def test_a_call_that_is_read_from_the_journal_makes_no_span(tmp_path: Path) -> None:
    spans_of(tmp_path)
    for lost in ("records.jsonl", "checkpoints.sqlite"):
        (tmp_path / "a-run" / lost).unlink()

    async def again() -> None:
        async with fake_openai(plays_all()) as server:
            ...

    spans, server = spans_of(tmp_path)
    assert not [b for b in server.bodies if b.get("max_tokens") != 1]
    assert not [span for span in spans if span["name"].startswith("chat")]
    assert len(named(spans, "invoke_agent talker")) == 2


def test_an_agent_finds_the_span_in_its_context_and_nothing_more(tmp_path: Path) -> None:
    how = {"supporters": [f"bot={__name__}:nosy"], "turns": 1}
    suite_settings = {"settings": []}
    spans_of(tmp_path, how={**how, **suite_settings})
    record = json.loads((tmp_path / "a-run" / "records.jsonl").read_text(encoding="utf-8"))
    where, span = sorted(record["h_s"][0]["text"].split(), key=lambda name: "current" in name)
    assert where == "emoharbor_where" and span.startswith("current_context")
