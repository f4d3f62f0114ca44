"""`hf:` and `lora:` models: transformers in this process, one base for all adapters on it."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from emoharbor.errors import ModelError
from emoharbor.models.base import ChatMessage, Completion, JsonSchema
from emoharbor.models.config import Sampling
from emoharbor.models.hf_model import HfModel, HfRequest, Written
from emoharbor.models.hf_places import HfPlace
from emoharbor.models.reply import completion_from
from emoharbor.state.verdict import Usage

# A busy machine is slow, not dead.
HF_TIMEOUT = 1800.0
_TEXT_TOKENS, _JSON_TOKENS = 512, 2000
T = TypeVar("T")
_Waiting = tuple[HfRequest, "asyncio.Future[Written]"]


class HfEngine:
    """One base model, loaded at the first call; `close` frees it.

    torch works on a thread of its own. Calls that come while it writes wait, and those of the same
    adapter and sampling are then answered together, in one batch.
    """

    def __init__(self, base: str, threads: int | None = None) -> None:
        self._base, self._threads = base, threads
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="emoharbor-hf")
        self._model: HfModel | None = None
        self._waiting: list[_Waiting] = []
        self._worker: asyncio.Task[None] | None = None

    async def load(self, adapter: Path | None) -> None:
        """Loads the base, and the adapter if one is named; raises ConfigError."""
        await self._in_thread(lambda: self._loaded().add(adapter))

    async def write(self, request: HfRequest) -> Written:
        """The reply. Raises ConfigError where the model cannot be loaded, and ModelError."""
        future: asyncio.Future[Written] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._worker is None:
            # In a context of its own: the worker outlives the call that happened to start it.
            work = self._work()
            loop = asyncio.get_running_loop()
            self._worker = loop.create_task(work, context=contextvars.Context())
        return await future

    async def close(self) -> None:
        """Waits for the batch that is being written, and frees the model."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.cancel()
        for _, future in self._waiting:
            future.cancel()
        await asyncio.to_thread(self._thread.shutdown)
        self._model = None

    async def _work(self) -> None:
        try:
            while self._waiting:
                # Who asks in the same breath is answered in the same batch.
                await asyncio.sleep(0)
                await self._answer(self._next())
        finally:
            self._worker = None

    def _next(self) -> list[_Waiting]:
        """The call that waits longest, and all that can go with it."""
        self._waiting = [each for each in self._waiting if not each[1].done()]
        company = self._waiting[0][0].company if self._waiting else None
        batch = [each for each in self._waiting if each[0].company == company]
        self._waiting = [each for each in self._waiting if each[0].company != company]
        return batch

    async def _answer(self, batch: Sequence[_Waiting]) -> None:
        if not batch:
            return
        requests, futures = [r for r, _ in batch], [f for _, f in batch]
        wanted = lambda: any(not future.done() for future in futures)  # noqa: E731
        answers: Sequence[Written | BaseException]
        try:
            answers = await self._in_thread(lambda: self._loaded().write(requests, wanted))
        except asyncio.CancelledError:
            for future in futures:
                future.cancel()
            raise
        except Exception as error:  # Each caller gets it, and deals with it.
            answers = [error] * len(futures)
        for future, answer in zip(futures, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Written):
                future.set_result(answer)
            else:
                future.set_exception(answer)

    def _loaded(self) -> HfModel:
        if self._model is None:
            self._model = HfModel(self._base, self._threads)
        return self._model

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


@dataclass(frozen=True)
class HfChat:
    """A base or an adapter of an engine. `timeout` is in seconds and covers waiting and writing.

    JSON is asked for by the prompt alone: nothing here makes the model keep to a schema.
    """

    engine: HfEngine
    place: HfPlace
    sampling: Sampling = Sampling()
    timeout: float = HF_TIMEOUT

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: JsonSchema | None = None,
        seed: int | None = None,
    ) -> Completion:
        """Loads the model where needed and asks it. Raises ConfigError and ModelError."""
        usual = _TEXT_TOKENS if schema is None else _JSON_TOKENS
        tokens = self.sampling.max_tokens or usual
        request = HfRequest(self.place.adapter, self.sampling, tokens, tuple(messages), seed)
        since, name = time.monotonic(), Path(self.place.adapter or self.place.base).name
        try:
            async with asyncio.timeout(self.timeout):
                written = await self.engine.write(request)
        except TimeoutError as error:
            said = f"{name}: no reply within {self.timeout:g} seconds"
            raise ModelError(said, "timeout") from error
        return completion_from(
            written.text,
            has_schema=schema is not None,
            usage=Usage(input_tokens=written.input_tokens, output_tokens=written.output_tokens),
            finish_reason="stop" if written.finished else "length",
            model=name,
            seconds=time.monotonic() - since,
        )
