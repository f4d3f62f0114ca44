"""What a server said about a failure, made fit to be repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_LONGEST = 200
# Beyond this nothing is read: an error body may be a whole page.
_READ = 1000
# Masked keys (sk-ab***yz), keys of known makes, and long runs that no prose has.
_KEY_LIKE = re.compile(
    r"\S*\*{3,}\S*|\b(?=[\w-]*\d)(?:sk|pk|gsk|hf|xai|key|tok)[-_][\w-]{8,}|\bAIza[\w-]{8,}"
    r"|\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{32,}|(?<=Bearer )\S+"
)
_PIECE = 6
_PROMPT_PIECE, _STRIDE = 20, 5


@dataclass(frozen=True)
class Secrets:
    """What no message may hold: the key, whole or in pieces, and the words of the prompt."""

    key: str = field(default="", repr=False)
    prompt: str = field(default="", repr=False)

    def redact(self, text: str) -> str:
        """`text` without the key."""
        return text.replace(self.key, "***") if len(self.key) > _PIECE else text

    def shown(self, words: str) -> str:
        """The server's words in one short line; "" where they repeat the prompt."""
        line = " ".join(words[:_READ].split())
        if any(piece in self.prompt for piece in _pieces(line, _PROMPT_PIECE, _STRIDE)):
            return ""
        line = _KEY_LIKE.sub("***", self.redact(line))
        line = " ".join("***" if self._holds_piece(word) else word for word in line.split(" "))
        return line if len(line) <= _LONGEST else line[:_LONGEST].rstrip() + "…"

    def _holds_piece(self, word: str) -> bool:
        if len(self.key) <= _PIECE:
            return False
        return any(piece in word for piece in _pieces(self.key, _PIECE, 1))


@dataclass(frozen=True)
class ServerError:
    """What an error body says: in words, in codes, and about which parameter."""

    words: str
    codes: str = ""
    param: str | None = None


def server_error(body: Any) -> ServerError:
    """Reads an error body of any of the usual shapes: a JSON value, or a text."""
    # Gemini's endpoint puts its error into a list of one.
    body = body[0] if isinstance(body, list) and body else body
    words = server_words(body)
    inner = body.get("error") if isinstance(body, Mapping) else None
    about = inner if isinstance(inner, Mapping) else body
    if not isinstance(about, Mapping):
        return ServerError(words)
    param = about.get("param")
    codes = f"{about.get('code')} {about.get('type')}"
    return ServerError(words, codes, param if isinstance(param, str) else None)


def server_words(body: Any) -> str:
    """The message in an error body of any of the usual shapes, "" where there is none."""
    if isinstance(body, str):
        return "" if body.lstrip().startswith("<") else body
    if not isinstance(body, Mapping):
        return ""
    inner = body.get("error")
    if isinstance(inner, Mapping):
        return server_words(inner)
    for text in (inner, body.get("message"), body.get("detail"), body.get("msg")):
        if isinstance(text, str) and text:
            return text
    # FastAPI: a list of {loc, msg, input}; the input is our own request and stays out.
    details = body.get("detail")
    return "; ".join(_detail(item) for item in details) if isinstance(details, list) else ""


def _detail(item: Any) -> str:
    if not isinstance(item, Mapping):
        return ""
    where = item.get("loc")
    place = ".".join(str(part) for part in where) if isinstance(where, list) else ""
    return f"{place}: {item.get('msg', '')}"


def _pieces(text: str, size: int, stride: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text) - size + 1, stride))
