"""Configs, dialogues and templates for tests of training."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2.sandbox

from emoharbor.models.base import ChatMessage
from emoharbor.training.sft.masks import Render

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# As a reasoning model's: the newest reply begins with an empty thought, earlier ones do not.
THINKING = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if loop.last and m.role == 'assistant' %}<think></think>{% endif %}"
    "{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
TALK: tuple[ChatMessage, ...] = (
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "I am sad."},
    {"role": "assistant", "content": "Tell me more."},
    {"role": "user", "content": "It is my cat."},
    {"role": "assistant", "content": "I am sorry."},
)


def rendering(template: str) -> Render:
    """The conversation as transformers renders it with this template."""
    made = jinja2.sandbox.ImmutableSandboxedEnvironment().from_string(template)

    def render(messages: Sequence[ChatMessage], reply: bool) -> str:
        return made.render(messages=list(messages), add_generation_prompt=reply)

    return render


def line(messages: Sequence[Any] = TALK) -> str:
    return json.dumps({"messages": list(messages), "metadata": {"profile": "en-001"}}) + "\n"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
