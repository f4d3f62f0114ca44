"""Tells what a model thought from what it said, in every notation seen in the wild."""

from __future__ import annotations

import re

_NAMES = r"think(?:ing)?|thought|reasoning|seed:think"
_TAG = re.compile(
    rf"<(?P<close>/?)\s*(?P<name>{_NAMES})\s*>"
    r"|\[(?P<close2>/?)THINK\]|◁(?P<close3>/?)think▷"
    r"|(?P<open4><\|channel>thought\b)|(?P<close4><channel\|>)",
    re.IGNORECASE,
)
_HARMONY = re.compile(r"<\|(start|channel|constrain|message|end|return|call)\|>")
# gpt-oss behind a server that drops special tokens: the channel names stay behind as bare words.
_BARE_HARMONY = re.compile(r"\A\s*analysis(?=\S)(.*?)assistantfinal(?=\S)(.*)\Z", re.DOTALL)

# Every notation holds one of these; most replies hold none.
_MARKS = ("<", "[", "◁", "assistantfinal")


def clean(text: str) -> str:
    """Replaces lone surrogates by U+FFFD: no JSON body or file could hold them."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def split_reasoning(text: str) -> tuple[str, str]:
    """Returns (visible, reasoning), both stripped.

    A block that is never closed is reasoning to its end; an end tag that was never opened makes
    everything before it reasoning (chat templates often put the start tag into the prompt).
    """
    if not any(mark in text for mark in _MARKS):
        return text.strip(), ""
    hidden: list[str] = []
    visible = _without_channels(text, hidden)
    # Cutting a block out can put two halves of another tag together: cut until none is left.
    while _TAG.search(visible):
        visible = _without_blocks(visible, hidden)
    return visible.strip(), "\n".join(part.strip() for part in hidden if part.strip())


def _without_blocks(text: str, hidden: list[str]) -> str:
    """Cuts every block, in any of the tag notations, out of `text` and into `hidden`."""
    visible, at = "", 0
    while tag := _TAG.search(text, at):
        visible += text[at : tag.start()]
        at = tag.end()
        if _closes(tag):
            hidden.append(visible)
            visible = ""
            continue
        end = _end_of(tag, text)
        hidden.append(text[at : end.start() if end else len(text)])
        at = end.end() if end else len(text)
    return visible + text[at:]


def _end_of(tag: re.Match[str], text: str) -> re.Match[str] | None:
    ends = (m for m in _TAG.finditer(text, tag.end()) if _closes(m) and _family(m) == _family(tag))
    return next(ends, None)


def _closes(tag: re.Match[str]) -> bool:
    return bool(tag["close"] or tag["close2"] or tag["close3"] or tag["close4"])


def _family(tag: re.Match[str]) -> str:
    """What closes what: models close <think> with </thinking>, but not with </reasoning>."""
    name: str | None = tag["name"]
    if name:
        return name.lower()[:2]
    return "channel" if tag["open4"] or tag["close4"] else tag[0][0]


def _without_channels(text: str, hidden: list[str]) -> str:
    """Keeps the final channel of a harmony transcript (gpt-oss), moves the others to `hidden`."""
    bare = _BARE_HARMONY.match(text)
    if bare:
        hidden.append(bare[1])
        return bare[2]
    before, *rest = _HARMONY.split(text)
    tokens, bodies = rest[::2], rest[1::2]
    if "channel" not in tokens:
        # A stray <|end|> is markup, not speech.
        return text if not tokens else before + "".join(bodies)
    final: list[str] = []
    loose: list[str] = []
    channel = ""
    hidden.append(before)
    for token, body in zip(tokens, bodies, strict=True):
        if token == "channel":
            channel = body.strip()
        elif token == "message":
            (final if channel.startswith("final") else hidden).append(body)
        elif token in ("end", "return", "call"):
            channel = ""
            loose.append(body)
    # Words after a closed analysis are the reply only where no final channel says otherwise.
    return "".join(final) if final else "".join(loose[-1:])
