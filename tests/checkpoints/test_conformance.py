from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.report import CapabilityReport

from emoharbor.checkpoints.open import open_checkpointer


def report_on(address: str, run: str) -> CapabilityReport:
    @checkpointer_test(name=f"{address}-{run}")
    async def fresh() -> AsyncGenerator[Any, None]:
        async with open_checkpointer(address, run) as saver:
            yield saver

    return asyncio.run(validate(fresh))


def faults(report: CapabilityReport) -> list[str]:
    return [fault for result in report.results.values() for fault in result.failures]


def test_memory_does_what_it_says_it_can() -> None:
    report = report_on("memory:", uuid.uuid4().hex)
    assert report.passed_all_base()
    assert report.passed_all(), faults(report)


def test_redis_can_do_everything(redis_url: str, run: str) -> None:
    report = report_on(redis_url, run)
    assert all(result.passed for result in report.results.values()), faults(report)
    assert len(report.results) == 8


def test_a_file_can_do_everything(tmp_path: Path) -> None:
    report = report_on(f"sqlite:///{tmp_path / 'c.sqlite'}", "")
    assert all(result.passed for result in report.results.values()), faults(report)
    assert len(report.results) == 8
