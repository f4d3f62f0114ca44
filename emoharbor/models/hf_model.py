"""A base model in this process and the adapters on it: what torch does, on one thread."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from emoharbor.errors import ConfigError, ModelError
from emoharbor.models.base import ChatMessage
from emoharbor.models.config import Sampling
from emoharbor.models.hf_libraries import library, pick_device
from emoharbor.models.hf_sampling import choosing

# torch takes seeds of 64 bits.
_SEEDS = 2**63


@dataclass(frozen=True)
class HfRequest:
    """One reply that is wanted. Requests with the same `company` can be answered together."""

    adapter: Path | None
    sampling: Sampling
    max_tokens: int
    messages: tuple[ChatMessage, ...]
    seed: int | None = None

    @property
    def company(self) -> tuple[object, ...]:
        """What all rows of one batch share."""
        return (self.adapter, self.sampling, self.max_tokens)


@dataclass(frozen=True)
class Written:
    """A reply, with the tokens of its prompt and its own; `finished` False where it was cut."""

    text: str
    input_tokens: int
    output_tokens: int
    finished: bool


class HfModel:
    """Loads `base` (a folder or a name on the hub). All methods are called on one thread.

    Raises ConfigError where a library is missing or the model cannot be loaded.
    """

    def __init__(self, base: str, threads: int | None = None) -> None:
        torch = library("torch")
        if threads:
            torch.set_num_threads(threads)
        self.base, self._device = base, pick_device()
        self._model = load_base(base, self._device.dtype).to(self._device.name).eval()
        self._tokenizers: dict[Path | None, Any] = {None: load_tokenizer(base, base)}
        self._names: dict[Path, str] = {}

    def add(self, adapter: Path | None) -> None:
        """Loads an adapter, unless it is there; raises ConfigError where it does not fit."""
        if adapter is None or adapter in self._names:
            return
        peft, name = library("peft"), f"adapter{len(self._names)}"
        try:
            if self._names:
                self._model.load_adapter(str(adapter), adapter_name=name)
            else:
                loaded = peft.PeftModel.from_pretrained(self._model, str(adapter), name)
                self._model = loaded.eval()
        except load_errors() as error:
            raise ConfigError(f"lora:{adapter} does not fit {self.base}: {first(error)}") from error
        own = (adapter / "tokenizer_config.json").is_file()
        tokenizer = load_tokenizer(str(adapter), self.base) if own else self._tokenizers[None]
        self._tokenizers[adapter], self._names[adapter] = tokenizer, name

    def write(
        self, requests: Sequence[HfRequest], wanted: Callable[[], bool]
    ) -> list[Written | ModelError]:
        """A reply, or what is wrong with its prompt, for each; they are of the same company.

        Writing ends early when `wanted` says False: nobody waits any longer.
        """
        self.add(requests[0].adapter)
        tokenizer = self._tokenizers[requests[0].adapter]
        prompts = [self._prompt(request, tokenizer) for request in requests]
        ready = [i for i, prompt in enumerate(prompts) if not isinstance(prompt, ModelError)]
        if not ready:
            return [prompt for prompt in prompts if isinstance(prompt, ModelError)]
        rows = [prompts[i] for i in ready]
        written = iter(self._generate([requests[i] for i in ready], rows, tokenizer, wanted))
        return [p if isinstance(p, ModelError) else next(written) for p in prompts]

    def _prompt(self, request: HfRequest, tokenizer: Any) -> list[int] | ModelError:
        """Token ids of the conversation, up to where the reply begins."""
        jinja2 = library("jinja2")
        try:
            text = tokenizer.apply_chat_template(
                [dict(message) for message in request.messages],
                tokenize=False,
                add_generation_prompt=True,
            )
        except (jinja2.TemplateError, ValueError) as error:
            said = f"{self.base}: its chat template refuses this conversation: {first(error)}"
            return ModelError(said, "refused_request")
        ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
        room = self._context() - len(ids)
        if room < 1:
            said = (
                f"{self.base}: the conversation has {len(ids)} tokens, its context "
                f"{self._context()}; lower max_turns, or name a model with a longer context"
            )
            return ModelError(said, "context_too_long")
        return ids

    def _context(self) -> int:
        config = self._model.config.get_text_config()
        return int(getattr(config, "max_position_embeddings", None) or 2**31)

    def _generate(
        self,
        requests: Sequence[HfRequest],
        rows: Sequence[Any],
        tokenizer: Any,
        wanted: Callable[[], bool],
    ) -> list[Written]:
        torch = library("torch")
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        longest, device = max(map(len, rows)), self._device.name
        ids = torch.tensor([[pad] * (longest - len(row)) + row for row in rows], device=device)
        mask = [[0] * (longest - len(row)) + [1] * len(row) for row in rows]
        seeds = [random.randrange(_SEEDS) if r.seed is None else r.seed for r in requests]
        defaults, first_one = self._model.generation_config, requests[0]
        ends, most = _ends(defaults, tokenizer), self._context() - longest
        config = _greedy(defaults, min(first_one.max_tokens, most), pad, ends)
        with torch.inference_mode(), self._as(first_one.adapter):
            made = self._model.generate(
                input_ids=ids,
                attention_mask=torch.tensor(mask, device=device),
                generation_config=config,
                logits_processor=choosing(first_one.sampling, defaults, seeds, device),
                stopping_criteria=[_until(wanted)],
            )
        new = made[:, longest:].tolist()
        return [_written(row, len(p), ends, tokenizer) for row, p in zip(new, rows, strict=True)]

    def _as(self, adapter: Path | None) -> Any:
        """The context in which the model answers with this adapter, or without any."""
        if not self._names:
            return nullcontext()
        if adapter is None:
            return self._model.disable_adapter()
        self._model.set_adapter(self._names[adapter])
        return nullcontext()


def load_base(base: str, dtype: Any) -> Any:
    """The causal language model at `base`, on the CPU; raises ConfigError."""
    transformers = library("transformers")
    transformers.utils.logging.disable_progress_bar()
    try:
        return transformers.AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
    except load_errors() as error:
        raise ConfigError(f"transformers cannot load {base}: {first(error)}") from error


def load_tokenizer(folder: str, base: str) -> Any:
    """The tokenizer in `folder`, with a chat template; raises ConfigError, which names `base`."""
    transformers = library("transformers")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    except load_errors() as error:
        raise ConfigError(f"transformers cannot load a tokenizer: {first(error)}") from error
    if not tokenizer.chat_template:
        raise ConfigError(f"{base} has no chat template; name a model that was made for chats")
    return tokenizer


def load_errors() -> tuple[type[BaseException], ...]:
    """What the libraries raise where a model, an adapter or a tokenizer cannot be loaded."""
    broken: type[BaseException] = library("safetensors").SafetensorError
    return (OSError, ValueError, RuntimeError, KeyError, broken)


def first(error: BaseException) -> str:
    """The first line of an error that fills a screen."""
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _greedy(defaults: Any, tokens: int, pad: int, ends: list[int]) -> Any:
    """The model's own settings without its sampling, which `choosing` does."""
    config = copy.deepcopy(defaults)
    config.update(do_sample=False, temperature=None, top_k=None, top_p=None, max_length=None)
    config.update(max_new_tokens=tokens, pad_token_id=pad, eos_token_id=ends)
    return config


def _ends(defaults: Any, tokenizer: Any) -> list[int]:
    told = defaults.eos_token_id
    ids = {*(told if isinstance(told, list) else [told]), tokenizer.eos_token_id}
    return sorted(i for i in ids if i is not None)


def _until(wanted: Callable[[], bool]) -> Callable[..., Any]:
    def over(input_ids: Any, scores: Any, **more: Any) -> Any:
        torch = library("torch")
        return torch.full((len(input_ids),), not wanted(), device=input_ids.device)

    return over


def _written(row: Sequence[int], prompt: int, ends: Sequence[int], tokenizer: Any) -> Written:
    end = next((at for at, token in enumerate(row) if token in ends), None)
    kept = row if end is None else row[:end]
    text = tokenizer.decode(kept, skip_special_tokens=True)
    return Written(text, prompt, len(kept) + (end is not None), end is not None)
