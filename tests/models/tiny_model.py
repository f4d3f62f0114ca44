"""A causal language model of a few thousand random numbers, with a tokenizer of single bytes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

CHATML = (
    "{% for m in messages %}{% if m.role not in ('system', 'user', 'assistant') %}"
    "{{ raise_exception('no such role: ' + m.role) }}{% endif %}"
    "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CONTEXT = 512


def make_model(folder: Path, *, template: str = CHATML, seed: int = 0) -> Path:
    """Writes the model into `folder`: config, safetensors, tokenizer and chat template."""
    torch, transformers = import_module("torch"), import_module("transformers")
    tokenizer = _tokenizer(template)
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=CONTEXT,
        initializer_range=0.3,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))
    return folder


def make_adapter(folder: Path, base: Path, *, seed: int = 1) -> Path:
    """Writes an adapter on `base` whose numbers are random, so that it answers otherwise."""
    torch, peft = import_module("torch"), import_module("peft")
    auto = import_module("transformers").AutoModelForCausalLM
    torch.manual_seed(seed)
    # Without these initial weights, B is zero and an adapter does nothing.
    config = peft.LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False)
    model = auto.from_pretrained(str(base))
    peft.get_peft_model(model, config).save_pretrained(str(folder))
    return folder


def _tokenizer(template: str) -> Any:
    tokenizers, transformers = import_module("tokenizers"), import_module("transformers")
    parts = [import_module(f"tokenizers.{name}") for name in ("pre_tokenizers", "decoders")]
    letters = sorted(parts[0].ByteLevel.alphabet())
    vocabulary = {letter: number for number, letter in enumerate(letters)}
    made = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    made.pre_tokenizer = parts[0].ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = parts[1].ByteLevel()
    marks = ["<|im_start|>", "<|im_end|>", "<|pad|>"]
    made.add_special_tokens(marks)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token=marks[1], pad_token=marks[2], chat_template=template
    )
