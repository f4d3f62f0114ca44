"""Dialogues as tokens, with the model's own chat template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from emoharbor.errors import ConfigError
from emoharbor.models.base import ChatMessage
from emoharbor.models.hf_libraries import library
from emoharbor.models.hf_model import first
from emoharbor.training.sft.dialogues import Dialogue
from emoharbor.training.sft.masks import Example, has_marks, mask_of, reply_spans, shortened


@dataclass(frozen=True)
class Encoded:
    """Examples, and what became of the dialogues that are longer than max_length tokens.

    `cut` dialogues were shortened by `tokens_cut` tokens in all; `left_out` had no whole reply
    within the limit. `longest` is the longest dialogue's length before any was cut.
    """

    examples: tuple[Example, ...]
    cut: int
    left_out: int
    tokens_cut: int
    longest: int

    def counts(self) -> dict[str, int]:
        """The figures for the model card, with `tokens` and those that count for the loss."""
        figures = asdict(self)
        kept = {key: figures[key] for key in ("cut", "left_out", "tokens_cut", "longest")}
        tokens = sum(len(example.ids) for example in self.examples)
        learnt = sum(sum(example.mask) for example in self.examples)
        return {"dialogues": len(self.examples), "tokens": tokens, "learnt_tokens": learnt, **kept}


def encode(dialogues: Sequence[Dialogue], tokenizer: Any, longest: int) -> Encoded:
    """All dialogues as tokens of at most `longest`.

    Raises ConfigError where the template refuses a dialogue, where it does not show which tokens
    are the assistant's, and where no dialogue is short enough.
    """
    whole = [_example(dialogue, tokenizer) for dialogue in dialogues]
    short = [shortened(example, longest) for example in whole]
    pairs = [(one, other) for one, other in zip(whole, short, strict=True) if other is not None]
    encoded = Encoded(
        examples=tuple(other for _, other in pairs),
        cut=sum(one is not other for one, other in pairs),
        left_out=len(whole) - len(pairs),
        tokens_cut=sum(len(one.ids) - len(other.ids) for one, other in pairs),
        longest=max((len(one.ids) for one in whole), default=0),
    )
    if dialogues and not encoded.examples:
        raise ConfigError(
            f"max_length: in none of {len(whole)} dialogues does a reply end within {longest} "
            f"tokens; the longest has {encoded.longest}"
        )
    return encoded


def _example(dialogue: Dialogue, tokenizer: Any) -> Example:
    jinja2 = library("jinja2")
    try:
        made = _with_marks(dialogue, tokenizer, tokenizer.chat_template)
        made = made or _by_comparing(dialogue, tokenizer) or _patched(dialogue, tokenizer)
    except jinja2.TemplateError as error:
        said = f"{dialogue.place}: the model's chat template refuses the dialogue: {first(error)}"
        raise ConfigError(said) from error
    if made is None:
        raise ConfigError(
            "the chat template does not mark what the assistant says ({% generation %}), and it "
            "writes a reply differently once the dialogue goes on; mark it in the tokenizer's "
            "chat_template.jinja"
        )
    if not any(made.mask):
        raise ConfigError(
            f"{dialogue.place}: no token is the supporter's by the marks ({{% generation %}}) of "
            "the chat template"
        )
    return made


def _with_marks(dialogue: Dialogue, tokenizer: Any, template: str) -> Example | None:
    if not has_marks(template):
        return None
    made = tokenizer.apply_chat_template(
        [dict(message) for message in dialogue.messages],
        chat_template=template,
        return_dict=True,
        return_assistant_tokens_mask=True,
    )
    return Example(tuple(made["input_ids"]), tuple(bool(i) for i in made["assistant_masks"]))


def _by_comparing(dialogue: Dialogue, tokenizer: Any) -> Example | None:
    def render(messages: Sequence[ChatMessage], reply: bool) -> str:
        given = [dict(message) for message in messages]
        text = tokenizer.apply_chat_template(given, tokenize=False, add_generation_prompt=reply)
        return str(text)

    spans = reply_spans(dialogue.messages, render)
    if spans is None:
        return None
    text = render(dialogue.messages, False)
    made = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    return Example(tuple(made["input_ids"]), mask_of(made["offset_mapping"], spans))


def _patched(dialogue: Dialogue, tokenizer: Any) -> Example | None:
    """By the marked template that trl has for the families of models it knows."""
    try:
        template = library("trl.chat_template_utils").get_training_chat_template(tokenizer)
    except ValueError:
        return None
    return _with_marks(dialogue, tokenizer, template) if template else None
