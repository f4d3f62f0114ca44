"""Spans of a run: their tree, what is on them, and what is not.

OpenTelemetry's provider is one for a process and for good, so every run is in a process of its own.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from emoharbor.flags import suite_from_flags
from emoharbor.runs.budget import Budget
from emoharbor.runs.engine import RunOptions
from emoharbor.runs.executor import run_suite
from emoharbor.state.dialogue import Message
from emoharbor.suite import Suite
from tests.fake_openai import FakeOpenAI, fake_openai, refusal
from tests.processes import ROOT, Forked, forked
from tests.served import lines_of, plays_all, small_suite

KEY, ECHO = "sk-a-key-for-a-test", "scripted:echo"
Span = dict[str, Any]


def traced_run(suite: Suite, folder: Path, most_calls: int | None = None) -> None:
    """In a process of its own: a run whose spans are left in `folder`."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    options = RunOptions(budget=Budget(max_calls=most_calls))
    asyncio.run(run_suite(suite, folder / "a-run", options=options))
    spans = [json.loads(span.to_json()) for span in exporter.get_finished_spans()]
    (folder / "spans.json").write_text(json.dumps(spans), encoding="utf-8")


async def nosy(history: Sequence[Message]) -> str:
    """A supporter that says what its context holds."""
    return " ".join(sorted(var.name for var in contextvars.copy_context()))


async def finished(process: Forked) -> str:
    printed, error = await process.communicate()
    assert process.returncode == 0, (printed + error).decode()
    return printed.decode()


async def spans_of(
    suite: Suite, folder: Path, most_calls: int | None = None, **env: str
) -> list[Span]:
    given = (suite, folder, most_calls)
    await finished(await forked(traced_run, *given, cwd=ROOT, OPENAI_API_KEY=KEY, **env))
    spans: list[Span] = json.loads((folder / "spans.json").read_text(encoding="utf-8"))
    return spans


def traced(
    folder: Path, change: Any = None, how: dict[str, Any] | None = None, **env: str
) -> tuple[list[Span], FakeOpenAI]:
    """The spans of a small run, and what the models' server was asked."""

    async def go() -> tuple[list[Span], FakeOpenAI]:
        async with fake_openai(plays_all(change) if change else plays_all()) as server:
            return await spans_of(
                small_suite(server.url, **(how or {})), folder, None, **env
            ), server

    return asyncio.run(go())


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
    spans, _ = traced(tmp_path, how={"limit": 2})
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


def test_spans_say_which_dialogue_and_visit(tmp_path: Path) -> None:
    spans, _ = traced(tmp_path)
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
    turns = [
        span["attributes"]["emoharbor.turn"] for span in named(spans, "invoke_agent supporter")
    ]
    assert turns == [1, 2]


def test_the_span_of_a_call_holds_what_the_conventions_want(tmp_path: Path) -> None:
    spans, server = traced(tmp_path)
    (call,) = named(spans, "chat judge")
    asked = dict(call["attributes"])
    assert asked.pop("gen_ai.conversation.id").startswith("bot/en-001/0/")
    assert call["kind"] == "SpanKind.CLIENT"
    assert isinstance(asked.pop("emoharbor.answer_seconds"), float)
    assert asked == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "judge",
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.seed": server.bodies[-1]["seed"],
        "gen_ai.output.type": "json",
        "gen_ai.response.model": "served-model",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "emoharbor.role": "evaluator",
        "emoharbor.step": 9,
        "emoharbor.attempt": 1,
        "server.address": "127.0.0.1",
        "server.port": int(server.url.split(":")[2].split("/")[0]),
    }


def test_nothing_that_was_said_and_no_key_is_on_a_span(tmp_path: Path) -> None:
    spans, server = traced(tmp_path, lambda role, body, nth: f"§{role}§" if nth > 1 else None)
    told = json.dumps(spans, ensure_ascii=False)
    assert any(KEY in headers["Authorization"] for headers in server.headers) and KEY not in told
    said = [m["content"] for body in server.bodies for m in body["messages"]]
    assert len(said) > 10 and not [text for text in said if text in told]
    assert "§" not in told and "Reply" not in told


def test_what_was_said_is_there_when_asked_for(tmp_path: Path) -> None:
    spans, server = traced(tmp_path, EMOHARBOR_OTEL_CONTENT="1")
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

    spans, _ = traced(tmp_path, busy, {"settings": ["models.judge.tries=3"]})
    (call,) = named(spans, "chat judge")
    (event,) = call["events"]
    assert (event["name"], event["attributes"]["error.type"]) == ("retry", "overloaded")
    assert call["attributes"]["emoharbor.retries"] == 1
    assert call["status"]["status_code"] == "UNSET" and "§" not in json.dumps(spans)


def test_a_failure_is_on_call_visit_and_dialogue_by_its_cause(tmp_path: Path) -> None:
    def refused(role: str, body: Any, nth: int) -> Any:
        return refusal(400, "not that: §") if role == "evaluator" else None

    spans, _ = traced(tmp_path, refused)
    failed = [span for span in spans if span["status"]["status_code"] == "ERROR"]
    assert [span["name"] for span in failed] == [
        "chat judge",
        "invoke_agent evaluator",
        "invoke_workflow emoharbor",
    ]
    assert {span["attributes"]["error.type"] for span in failed} == {"refused_request"}
    assert "§" not in json.dumps(spans) and not any(span["events"] for span in spans)


def test_a_dialogue_that_is_stopped_has_not_failed(tmp_path: Path) -> None:
    async def go() -> list[Span]:
        async with fake_openai(plays_all()) as server:
            return await spans_of(small_suite(server.url), tmp_path, most_calls=2)

    spans = asyncio.run(go())
    (dialogue,) = named(spans, "invoke_workflow emoharbor")
    assert dialogue["attributes"]["emoharbor.stopped"] is True
    assert {span["status"]["status_code"] for span in spans} == {"UNSET"}


def test_a_call_that_is_read_from_the_journal_makes_no_span(tmp_path: Path) -> None:
    async def twice() -> tuple[list[Span], list[Span]]:
        async with fake_openai(plays_all()) as server:
            suite = small_suite(server.url)
            first = await spans_of(suite, tmp_path)
            for lost in ("records.jsonl", "checkpoints.sqlite"):
                (tmp_path / "a-run" / lost).unlink()
            return first, await spans_of(suite, tmp_path)

    first, again = asyncio.run(twice())
    calls = [span for span in first if span["name"].startswith("chat")]
    assert len(calls) == 7 and len(again) == len(first) - 7
    assert not [span for span in again if span["name"].startswith("chat")]


def test_an_agent_finds_the_span_in_its_context_and_nothing_more(tmp_path: Path) -> None:
    suite = suite_from_flags(
        "emoharbor",
        supporters=[f"bot={__name__}:nosy"],
        model="scripted:echo",
        plain={"max_turns": 1, "limit": 1},
    )
    asyncio.run(spans_of(suite, tmp_path))
    (record,) = lines_of(tmp_path / "a-run" / "records.jsonl")
    span, where = record["h_s"][0]["text"].split()
    assert where == "emoharbor_where" and span.startswith("current_context")
