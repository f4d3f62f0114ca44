"""`hf:` and `lora:` models that answer; needs torch, transformers and peft."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage, Completion
from emoharbor.models.config import ModelConfig, Sampling
from emoharbor.models.hf_model import HfModel, HfRequest, Written
from emoharbor.models.pool import ModelPool
from tests.models.tiny_model import CONTEXT, make_adapter, make_model

pytest.importorskip("torch", reason="needs the extra `train`")
pytest.importorskip("transformers", reason="needs the extra `train`")
pytest.importorskip("peft", reason="needs the extra `train`")

T = TypeVar("T")
WARM = Sampling(temperature=1.0, max_tokens=12)


def ask(words: str) -> list[ChatMessage]:
    return [{"role": "user", "content": words}]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "base")


@pytest.fixture(scope="module")
def adapters(base: Path) -> list[Path]:
    return [make_adapter(base.parent / f"a{seed}", base, seed=seed) for seed in (1, 2)]


def pooled(use: Callable[[ModelPool], Awaitable[T]]) -> T:
    async def run() -> T:
        async with ModelPool() as pool:
            return await use(pool)

    return asyncio.run(run())


def answers(
    calls: list[tuple[str, str, int]], sampling: Sampling = WARM, *, together: bool
) -> list[Completion]:
    """The replies to (spec, words, seed), all at once or one after the other."""

    async def use(pool: ModelPool) -> list[Completion]:
        models = [pool.model(ModelConfig(spec=spec), sampling) for spec, _, _ in calls]
        asked = [
            model.complete(ask(words), seed=seed)
            for model, (_, words, seed) in zip(models, calls, strict=True)
        ]
        if together:
            return list(await asyncio.gather(*asked))
        return [await one for one in asked]

    return pooled(use)


def test_replies_do_not_depend_on_who_else_is_asked(base: Path, adapters: list[Path]) -> None:
    specs = [f"hf:{base}", *(f"lora:{each}" for each in adapters)]
    calls = [(spec, "word " * (n + 1), n) for n in range(3) for spec in specs]
    alone, company = answers(calls, together=False), answers(calls, together=True)
    assert [one.text for one in alone] == [one.text for one in company]
    assert len({one.text for one in alone}) == 9


def test_one_batch_answers_as_each_alone(base: Path, adapters: list[Path]) -> None:
    model = HfModel(str(base))
    words = ("hi", "what is it that " * 5, "x")
    wanted = [HfRequest(adapters[0], WARM, 12, tuple(ask(w)), n) for n, w in enumerate(words)]
    together = model.write(wanted, lambda: True)
    assert together == [model.write([one], lambda: True)[0] for one in wanted]


def test_each_adapter_answers_in_its_own_way_and_the_base_as_without_them(
    base: Path, adapters: list[Path]
) -> None:
    cold = Sampling(temperature=0.0, max_tokens=12)
    plain = answers([(f"hf:{base}", "hi", 0)], cold, together=False)[0]
    specs = [f"lora:{adapters[0]}", f"hf:{base}", f"lora:{adapters[1]}", f"hf:{base}"]
    found = [one.text for one in answers([(s, "hi", 0) for s in specs], cold, together=False)]
    assert found[1] == found[3] == plain.text
    assert len({found[0], found[1], found[2]}) == 3
    assert plain.model == "base"


def test_a_seed_decides(base: Path) -> None:
    calls = [(f"hf:{base}", "hi", seed) for seed in (1, 1, 2)]
    one, again, other = answers(calls, together=True)
    assert one.text == again.text != other.text


def test_tokens_are_counted_and_the_limit_is_kept(base: Path) -> None:
    reply = answers([(f"hf:{base}", "hi", 3)], together=False)[0]
    # Each byte is a token: <|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n
    assert reply.usage.input_tokens == 3 + len("user\nhi\nassistant\n")
    assert reply.usage.output_tokens == 12 and reply.finish_reason == "length"


def test_a_prompt_that_is_too_long_fails_alone(base: Path) -> None:
    async def use(pool: ModelPool) -> list[Completion | BaseException]:
        model = pool.model(ModelConfig(spec=f"hf:{base}"), WARM)
        asked = [model.complete(ask(words)) for words in ("hi", "x" * CONTEXT, "oh")]
        return await asyncio.gather(*asked, return_exceptions=True)

    first, long, last = pooled(use)
    assert isinstance(first, Completion) and isinstance(last, Completion)
    assert isinstance(long, ModelError) and long.cause == "context_too_long"
    assert f"its context {CONTEXT}" in str(long)


def test_what_the_template_refuses(base: Path) -> None:
    async def use(pool: ModelPool) -> Completion:
        model = pool.model(ModelConfig(spec=f"hf:{base}"), WARM)
        return await model.complete([{"role": "tool", "content": "x"}])  # type: ignore[typeddict-item]

    with pytest.raises(ModelError, match="chat template refuses .*no such role: tool") as caught:
        pooled(use)
    assert caught.value.cause == "refused_request"


def test_writing_ends_when_nobody_waits_any_longer(base: Path) -> None:
    asked: list[None] = []

    def wanted() -> bool:
        asked.append(None)
        return len(asked) < 5

    request = HfRequest(None, WARM, 100, tuple(ask("hi")), 3)
    (written,) = HfModel(str(base)).write([request], wanted)
    assert isinstance(written, Written) and written.output_tokens == 5


def test_who_is_cancelled_leaves_the_others_their_replies(base: Path) -> None:
    async def use(pool: ModelPool) -> list[str]:
        model = pool.model(ModelConfig(spec=f"hf:{base}"), WARM)
        tasks = [asyncio.create_task(model.complete(ask("hi"), seed=n)) for n in range(3)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(done[1], asyncio.CancelledError)
        return [one.text for one in done if isinstance(one, Completion)]

    calls = [(f"hf:{base}", "hi", seed) for seed in (0, 2)]
    assert pooled(use) == [one.text for one in answers(calls, together=False)]


def test_an_adapter_of_another_base(tmp_path: Path, base: Path) -> None:
    import json

    other = make_adapter(tmp_path / "adapter", base)
    path = other / "adapter_config.json"
    values = json.loads(path.read_text()) | {"r": 8}
    path.write_text(json.dumps(values))
    with pytest.raises(ConfigError, match="does not fit .*base: "):
        answers([(f"lora:{other}", "hi", 0)], together=False)


def test_a_model_without_a_chat_template(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "plain", template="")
    with pytest.raises(ConfigError, match="has no chat template; name a model that was made for"):
        answers([(f"hf:{folder}", "hi", 0)], together=False)


def test_weights_that_cannot_be_read(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ConfigError, match="transformers cannot load .*broken: "):
        answers([(f"hf:{folder}", "hi", 0)], together=False)
